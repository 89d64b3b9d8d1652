"""Runs the scripts of the tutorials with cells four times as large, in processes that share their imports
(`INUNDATE_TESTS=all`: with the original cells, each in a separate process)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))
ALL = os.environ.get("INUNDATE_TESTS") == "all"
COARSER = 1 if ALL else 4

pytest.importorskip("rioxarray")
pytest.importorskip("inundate_engine")

# Process that has imported the scripts' slow imports. A fork of it runs each script in its folder,
# and redirects the script's output to `said`.
STARTER = """
import os, runpy, sys
import inundate, inundate_engine, matplotlib.pyplot, pandas, rioxarray
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        folder, script = line.rstrip("\\n").split("\\t")
        os.chdir(folder)
        said = os.open("said", os.O_WRONLY | os.O_CREAT)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0), os.dup2(said, 1), os.dup2(said, 2)
        sys.argv = [script]
        runpy.run_path(script, run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def environment():
    return {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture(scope="module")
def starter():
    with subprocess.Popen(
        [sys.executable, "-c", STARTER], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.stdin.close()


def run(script, folder, starter):
    """Runs a script in a folder; returns its exit code and output."""
    if ALL:
        command = [sys.executable, script]
        out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        ran = subprocess.run(command, cwd=folder, env=environment(), **out)
        return ran.returncode, ran.stdout
    print(folder, script, sep="\t", file=starter.stdin, flush=True)
    code = int(starter.stdout.readline())
    return code, (folder / "said").read_text()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_runs(script, tmp_path, starter):
    if script.stem == "sewers" and not os.environ.get("INUNDATE_SWMM"):
        pytest.skip("SWMM is not installed")
    shutil.copy(ROOT / "data" / "jacksboro.tif", tmp_path / "dem.tif")
    text = script.read_text()
    assert text.startswith("# %% [markdown]\n# # "), "it is a notebook with a title"
    text, found = re.subn(r"^CELL = (\d+)", lambda size: f"CELL = {COARSER * int(size[1])}", text, flags=re.M)
    assert found == 1
    (tmp_path / script.name).write_text(text)
    code, said = run(script.name, tmp_path, starter)
    assert code == 0, said[-4000:]
    # The printed mass balance error.
    assert re.search(r" 0\.0$", said, flags=re.M), said


def test_every_script_has_its_tutorial():
    assert len(SCRIPTS) >= 2
    for script in SCRIPTS:
        assert f"{script.name}" in script.with_suffix(".md").read_text(), f"{script.stem}.md leads to it"
