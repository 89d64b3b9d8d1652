"""Times whole processes on made-up terrain: this program, and the models beside it that are installed.

    python3 tests/validation/whole_runs.py FOLDER INUNDATE [OPTIONS ...]

It writes the decks of each case for every model into the folder, runs them in turn, three times each, and prints a table of the medians.
Options are passed on to `inundate run`, such as --device cuda. Other models are named by environment variables with the command that runs
the deck in its folder: LISFLOOD ("lisflood -cuda case.par", once for each scheme), TRITON ("triton case.cfg"), CAFLOOD
("caflood -WCA2D . case.csv out"). Needs numpy.
"""

import json
import os
import shlex
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

WEST, NORTH, CELL = 500_000.0, 5_000_000.0, 10.0
RUNS = 3


def noise(x, y):
    """Returns a fixed pseudorandom number in 0..1 of two whole numbers (Knuth's multiplicative hash, twice)."""
    x, y = x.astype(np.uint32), y.astype(np.uint32)
    mixed = (x * np.uint32(2654435761) ^ y) * np.uint32(2246822519)
    return ((mixed ^ mixed >> np.uint32(15)) * np.uint32(2654435761) >> np.uint32(8)) / 16_777_216.0


def hills(columns, rows, height):
    """Returns octaves of smooth noise (m), the longest of which has the given height."""
    total, cells = np.zeros((rows, columns)), 512.0
    while cells >= 4.0:
        x, y = np.arange(columns) / cells, np.arange(rows)[:, None] / cells
        left, top = np.floor(x), np.floor(y)
        across, down = ((d * d * (3.0 - 2.0 * d)) for d in (x - left, y - top))
        corner = [[noise(left + dx, top + dy) for dx in (0, 1)] for dy in (0, 1)]
        upper, lower = (pair[0] * (1 - across) + pair[1] * across for pair in corner)
        total += height * (upper * (1 - down) + lower * down)
        height, cells = height / 2, cells / 2
    return total


def mountains(columns, rows):
    """Returns mountains with valleys of all sizes that fall to the south (m)."""
    return hills(columns, rows, 160.0) + 300.0 * (rows - np.arange(rows)[:, None]) / rows


def valley(columns, rows):
    """Returns a valley that falls to the east, with a river that winds on its floor (m)."""
    x, y = np.arange(columns), np.arange(rows)[:, None]
    off = np.abs(y - rows / 2 * (1 + 0.3 * np.sin(x / columns * 12.0)))
    river = np.where(off <= 2.0, -3.0, 0.0)
    return 200.0 - 0.015 * x + 600.0 * (off / rows) ** 2 + 0.02 * hills(columns, rows, 20.0) + river


def write_tiff(path, heights):
    """Writes heights as an uncompressed GeoTIFF in EPSG:32632."""
    rows, columns = heights.shape
    data = heights.astype("<f4").tobytes()
    extra = {
        33550: ("d", [CELL, CELL, 0.0]),
        33922: ("d", [0.0, 0.0, 0.0, WEST, NORTH, 0.0]),
        34735: ("H", [1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32632]),
    }
    tags = {256: columns, 257: rows, 258: 32, 259: 1, 262: 1, 273: 8, 277: 1, 278: rows, 279: len(data), 339: 3}
    after, entries = b"", []
    start = 8 + len(data) + 2 + 12 * (len(tags) + len(extra)) + 4
    for tag, value in tags.items():
        entries.append(struct.pack("<HHII", tag, 4, 1, value))
    for tag, (kind, values) in extra.items():
        entries.append(struct.pack("<HHII", tag, {"d": 12, "H": 3}[kind], len(values), start + len(after)))
        after += struct.pack(f"<{len(values)}{kind}", *values)
    directory = struct.pack("<H", len(entries)) + b"".join(entries) + struct.pack("<I", 0)
    path.write_bytes(struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + directory + after)


def write_asc(path, heights, header=True):
    rows, columns = heights.shape
    head = f"ncols {columns}\nnrows {rows}\nxllcorner {WEST:.0f}\nyllcorner {NORTH - CELL * rows:.0f}\ncellsize {CELL:.0f}\nNODATA_value -9999\n"
    with path.open("w") as file:
        file.write(head if header else "")
        for row in heights:
            file.write(" ".join(map("{:.2f}".format, row.tolist())) + "\n")


class Case:
    """A flood: rain (mm/h) or a river (m3/s) on a terrain, for some seconds."""

    def __init__(self, name, terrain, size, seconds, roughness, rain=None, river=None):
        self.name, self.seconds, self.roughness, self.rain, self.river = name, seconds, roughness, rain, river
        self.heights = np.round(terrain(*size), 2)
        self.source = (WEST + 2.5 * CELL, NORTH - CELL * (size[1] // 2 + 0.5))

    def inundate(self, folder, scheme):
        """Writes the DEM and returns the words of the command."""
        write_tiff(folder / "dem.tif", self.heights)
        x, y = self.source
        water = ["--rain", f"{self.rain} mm/h", "--open", "all"] if self.rain else ["--source", f"{x},{y},{self.river} m3/s", "--open", "east"]
        words = f"run --dem dem.tif --out out --overwrite --quiet --solver {scheme} --duration {self.seconds}s --roughness {self.roughness}"
        return words.split() + water

    def lisflood(self, folder, scheme):
        """LISFLOOD-FP 8: `acceleration` (local inertia) or `fv1`; the eastern edge (or all) is free."""
        write_asc(folder / "dem.asc", self.heights)
        rows, columns = self.heights.shape
        south, east = NORTH - CELL * rows, WEST + CELL * columns
        sides = [("E", south, NORTH)] + ([("N", WEST, east), ("S", WEST, east), ("W", south, NORTH)] if self.rain else [])
        lines = [f"{side} {start:.0f} {end:.0f} FREE" for side, start, end in sides]
        water = ""
        if self.rain:
            (folder / "case.rain").write_text(f"# rain (mm/h)\n2 seconds\n{self.rain} 0\n{self.rain} {self.seconds}\n")
            water = "rainfall case.rain\n"
        else:
            x, y = self.source
            lines.append(f"P {x} {y} QFIX {self.river / CELL}")
        (folder / "case.bci").write_text("\n".join(lines) + "\n")
        (folder / "case.par").write_text(
            f"DEMfile dem.asc\nresroot case\ndirroot out\nsim_time {self.seconds}\ninitial_tstep 1\nmassint {self.seconds}\n"
            f"saveint {self.seconds}\nfpfric {self.roughness}\nbcifile case.bci\n{water}{scheme}\n"
        )

    def triton(self, folder, _):
        """TRITON 1: the shallow-water equations; rain is a runoff over one zone."""
        (folder / "output").mkdir(exist_ok=True)
        write_asc(folder / "dem.asc", self.heights)
        write_asc(folder / "zones.asc", np.zeros_like(self.heights), header=False)
        end = self.seconds / 3600.0
        flow = self.rain or self.river
        (folder / "water.txt").write_text(f"% Time(h) value\n0.0,{flow}\n{end},{flow}\n")
        x, y = self.source
        (folder / "source.txt").write_text(f"% x,y\n{x},{y}\n")
        rain, river = (1, 0) if self.rain else (0, 1)
        (folder / "case.cfg").write_text(
            'input_folder="."\noutput_folder="output"\ndem_filename="dem.asc"\ninput_format=ASC\noutput_format=BIN\noutput_option=SEQ\n'
            f'outfile_pattern="%s/%s/%s_%02d_%02d"\nnum_sources={river}\nhydrograph_filename="water.txt"\nsrc_loc_file="source.txt"\n'
            f'num_runoffs={rain}\nrunoff_filename="water.txt"\nrunoff_map="zones.asc"\nn_infile=""\nconst_mann={self.roughness}\n'
            'num_extbc=0\nextbc_file=""\nextbc_dir=""\nsim_start_time=0\n'
            f"sim_duration={self.seconds}\ncheckpoint_id=0\ntime_increment_fixed=0\ntime_step=0.1\nprint_option=h\n"
            f'print_interval={self.seconds}\ntime_series_flag=0\nobservation_loc_file=""\nprint_observation={self.seconds}\nit_print=1000000\n'
            'h_infile=""\nqx_infile=""\nqy_infile=""\ncourant=0.5\nhextra=0.001\ngpu_direct_flag=0\ndomain_decomposition=static\n'
            "factor_interval_domain_decomposition=0\nopen_boundaries=1\nit_count=0\n"
        )

    def caflood(self, folder, _):
        """CADDIES-caflood: weighted cellular automaton, with the settings of its examples; rain only."""
        (folder / "out").mkdir(exist_ok=True)
        write_asc(folder / "dem.asc", self.heights)
        (folder / "rain.csv").write_text(
            f"Event Name,rain\nRain Intensity (mm/hr),{self.rain}\nTime Stop (seconds),{self.seconds}\nArea (tlx tly brx bry),\n"
        )
        (folder / "raster.csv").write_text("Raster Grid Name,depth\nPhysical Variable,WD\nPeak,true\nPeriod (seconds),0\n")
        (folder / "case.csv").write_text(
            "Simulation Name,case\nShort Name (for outputs),case\nVersion,1,0,0\nModel Type,WCA2Dv2\nTime Start (seconds),0\n"
            f"Time End   (seconds),{self.seconds}\nMax DT (seconds),60\nMin DT (seconds),0.01\nUpdate DT (seconds),60\n"
            f"Alpha (Fraction DT 0.0-1.0),0.1\nMax Iterations,1000000000\nRoughness Global,{self.roughness}\nIgnore WD (meter),0.0001\n"
            "Tolerance (meter),0.0001\nSlope Tolerance (%),0.528\nBoundary Ele (Hi/Closed-Lo/Open),-9000\nElevation ASCII,dem.asc\n"
            "Rain Event CSV,rain.csv\nRaster Grid CSV,raster.csv\nOutput Console,true\n"
            f"Output Period (s),{self.seconds}\nOutput Computation Time,true\nCheck Volumes,true\nRemove Proc Data (No Pre-Proc),true\n"
            "Remove Pre-Proc Data,true\nRaster WD Tolerance (meter),0.01\nUpdate Peak Every DT,false\nExpand Domain,false\n"
            "Ignore Upstream,true\nUpstream Reduction (meter),0.5\n"
        )


def runners(case, program, options):
    """Yields name, way to write the deck, scheme and command of each model that can run a case."""
    for scheme in ("shallow-water", "inertial"):
        yield f"inundate, {scheme}", case.inundate, scheme, [program, *options]
    for name, write, schemes in (("LISFLOOD", case.lisflood, ("fv1", "acceleration")), ("TRITON", case.triton, ("",)), ("CAFLOOD", case.caflood, ("",))):
        command = shlex.split(os.environ.get(name, ""))
        if command and (case.rain or name != "CAFLOOD"):
            for scheme in schemes:
                yield f"{name}{', ' if scheme else ''}{scheme}", write, scheme, command


def main():
    folder, program, options = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve()), sys.argv[3:]
    print("| case | cells | model | whole s | start | read | compute | write | steps |\n|---|---|---|---|---|---|---|---|---|")
    for case in (
        Case("valley flood, 6 h", valley, (2048, 832), 21600, 0.035, river=300.0),
        Case("rain, 30 min", mountains, (2048, 2048), 1800, 0.035, rain=50.0),
        Case("rain, 1 h", mountains, (4096, 4096), 3600, 0.035, rain=50.0),
    ):
        for name, write, scheme, command in runners(case, program, options):
            place = folder / f"{case.name} {name}".replace(" ", "_").replace(",", "")
            place.mkdir(parents=True, exist_ok=True)
            words = write(place, scheme)
            command = [command[0], *words, *command[1:]] if words else command
            times = []
            for _ in range(RUNS):
                began = time.monotonic()
                subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
                whole = time.monotonic() - began
                parts = json.loads((place / "out" / "run.json").read_text()) if words else {}
                times.append((whole, parts))
            whole, parts = sorted(times, key=lambda of: of[0])[RUNS // 2]
            wall = parts.get("wall_parts_s", {})
            shown = [f"{wall[part]:.2f}" if part in wall else "" for part in ("start", "read", "compute", "write")]
            rows, columns = case.heights.shape
            print(f"| {case.name} | {columns} × {rows} | {name} | {whole:.2f} | {' | '.join(shown)} | {parts.get('steps', '')} |", flush=True)


if __name__ == "__main__":
    main()
