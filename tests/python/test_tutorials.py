"""The tutorials' scripts run, on cells of twice the size (`INUNDATE_TESTS=all`: on their own)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
COARSER = 1 if os.environ.get("INUNDATE_TESTS") == "all" else 2

pytest.importorskip("rioxarray")
pytest.importorskip("inundate_engine")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_runs(script, tmp_path):
    shutil.copy(ROOT / "data" / "jacksboro.tif", tmp_path / "dem.tif")
    text = script.read_text()
    assert text.startswith("# %% [markdown]\n# # "), "it is a notebook with a title"
    text, found = re.subn(r"^CELL = (\d+)", lambda size: f"CELL = {COARSER * int(size[1])}", text, flags=re.M)
    assert found == 1
    (tmp_path / script.name).write_text(text)
    variables = {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ran = subprocess.run([sys.executable, script.name], cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-4000:]
    # What it prints of mass balances.
    assert re.search(r" 0\.0$", ran.stdout, flags=re.M), ran.stdout


def test_every_script_has_its_tutorial():
    assert len(SCRIPTS) >= 2
    for script in SCRIPTS:
        assert f"{script.name}" in script.with_suffix(".md").read_text(), f"{script.stem}.md leads to it"
