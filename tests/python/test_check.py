"""What a check returns."""

from datetime import timedelta

import pytest

import inundate
from conftest import SOUTH, WEST


def test_a_check_has_typed_fields(storm):
    gauge, source = (WEST + 200, SOUTH + 150, "bridge"), (WEST + 100, SOUTH + 150, "2 m3/s")
    check = inundate.check(storm, gauges=gauge, source=source)
    assert isinstance(check, inundate.Check)
    assert (check.solver, check.rows, check.columns, check.domain_cells) == ("shallow-water", 30, 40, 1179)
    assert check.cell_size_m == (10, 10) and check.roughness == pytest.approx((0.05, 0.05))
    assert check.duration == timedelta(minutes=10)
    assert check.rain_mm == pytest.approx(10) and check.rain_m3 == pytest.approx(1179)
    assert check.inflow_m3 == pytest.approx(1200)
    assert check.open_sides == ("east",) and check.gauges == ("bridge",)
    assert check.sources == (f"{WEST + 100},{SOUTH + 150},2 m3/s",)
    fewest, most = check.steps
    shortest, longest = check.run_time
    assert 0 < fewest <= most and timedelta() < shortest <= longest
    assert check.warnings == () and check.memory_bytes > 0 and check.maps == 3
    # The report of the program.
    assert check["rule"] == "shallow-water" and check.report["dx_m"] == 10


def test_a_check_is_readable(storm):
    with pytest.warns(inundate.InundateWarning, match="no water"):
        check = inundate.check(storm, rain=None, roughness=None, duration="36 h")
    lines = repr(check).splitlines()
    assert lines[0] == "<inundate.Check: can run, 1 warning"
    assert lines[1] == "  domain     40 × 30 cells of 10 m, 1,179 in the domain, bed 8.05 to 12.8 m"
    assert "  duration   36 h" in lines and "  open edges east" in lines
    [warning] = check.warnings
    assert any("give one with roughness" in each for each in check.assumed)
    assert f"  assumed    {check.assumed[0]}" in lines and all(f"             {each}" in lines for each in check.assumed[1:])
    assert "give rain, source, level," in warning and lines[-1] == f"  warnings   {warning}>"


def test_a_check_of_an_automaton_has_no_duration(storm):
    check = inundate.check(storm, solver="aqua-graph", rain="1 mm/step", duration=None, roughness=None, steps=60)
    assert check.duration is None and check.steps == (60, 60) and check.roughness is None
    assert "  steps      60\n" in repr(check) and "duration" not in repr(check)
