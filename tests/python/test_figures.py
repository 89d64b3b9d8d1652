"""Checks the checker of the figures in the tutorials (tests/docs/figures.py)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CHECKER = Path(__file__).parents[1] / "docs" / "figures.py"


def check(folder, text, *options):
    """Runs the checker on a page with a text in a folder; returns its exit code and error output."""
    (folder / "page.md").write_text(text)
    (folder / "flood").mkdir(exist_ok=True)
    (folder / "flood" / "run.json").write_text(json.dumps({"gauges": [{"name": "mill", "max_depth_m": 10.71}]}))
    ran = subprocess.run([sys.executable, CHECKER, "page.md", *options], cwd=folder, capture_output=True, text=True)
    return ran.returncode, ran.stderr


DEPTH = 'gauge("flood", "mill")["max_depth_m"]'


def test_a_figure_that_matches_its_run_passes(tmp_path):
    code, said = check(tmp_path, f"The mill is 10.7\nm deep.\n<!-- figure: 10.7 m = {DEPTH} -->\n")
    assert code == 0, said


@pytest.mark.parametrize(
    "page",
    [
        f"The mill is 11.2 m deep.\n<!-- figure: 11.2 m = {DEPTH} -->\n",
        f"The mill is 10.7 m deep.\n<!-- figure: 10.8 m = {DEPTH} -->\n",
        f"The mill is deep.\n<!-- figure: deep = {DEPTH} -->\n",
    ],
    ids=["another value", "not in the text", "no number"],
)
def test_a_figure_that_does_not_match_fails(tmp_path, page):
    code, said = check(tmp_path, page)
    assert code == 1 and said.startswith("page.md: '"), said


def test_thousands_are_separated_by_spaces(tmp_path):
    code, said = check(tmp_path, f"It takes 10 710 mm.\n<!-- figure: 10 710 mm = 1000 * {DEPTH} -->\n")
    assert code == 0, said


def test_texts_alone_need_no_results(tmp_path):
    page = "It is 3 m deep.\n<!-- figure: 3 m = gauge('none', 'mill')['max_depth_m'] -->\n"
    assert check(tmp_path, page, "--texts")[0] == 0
    assert check(tmp_path, page.replace("is 3", "is 4"), "--texts")[0] == 1
