"""Measures what sewers cost: a town of 2000 x 2000 cells of 2 m with 10 000 manholes, with and without its sewers.

    python3 tests/validation/sewer_town.py FOLDER [INUNDATE [OPTIONS ...]]

It writes the town into a folder and, if the program is named, runs the town twice and compares the times of stepping. It needs GDAL's
tools; SWMM is found by INUNDATE_SWMM. Options are passed on, such as --device cuda.
"""

import json
import subprocess
import sys
from array import array
from pathlib import Path

CELLS, CELL = 2000, 2.0
# A manhole every 40 m in both directions; each street of 100 drains into a trunk sewer along the western side.
STREETS, SPACING = 100, 40.0
WEST, NORTH = 450000.0, 5954000.0


def ground(x, y):
    """Height of the ground (m), x and y in m from the north-west corner: streets every 40 m, blocks 0.3 m above them."""
    block = 0.3 if y % SPACING > 8 else 0.0
    return 60.0 - 0.004 * y - 0.002 * (4000.0 - x) + block


def write_terrain(folder):
    rows = array("f")
    for row in range(CELLS):
        rows.extend(ground((column + 0.5) * CELL, (row + 0.5) * CELL) for column in range(CELLS))
    (folder / "town.bin").write_bytes(rows.tobytes())
    (folder / "town.vrt").write_text(
        f"""<VRTDataset rasterXSize="{CELLS}" rasterYSize="{CELLS}"><SRS>EPSG:25832</SRS>
<GeoTransform>{WEST}, {CELL}, 0, {NORTH}, 0, {-CELL}</GeoTransform>
<VRTRasterBand dataType="Float32" band="1" subClass="VRTRawRasterBand"><SourceFilename relativeToVRT="1">town.bin</SourceFilename>
<ByteOrder>LSB</ByteOrder></VRTRasterBand></VRTDataset>"""
    )
    command = ["gdal_translate", "-q", "--config", "GDAL_VRT_RAWRASTERBAND_ALLOWED_SOURCE", "ALL"]
    subprocess.run([*command, "town.vrt", "town.tif"], cwd=folder, check=True)


def write_sewers(folder):
    junctions, conduits, sections, coordinates = [], [], [], []

    def place(name, x, y, depth):
        junctions.append(f"{name} {ground(x, y) - depth:.3f} {depth}")
        coordinates.append(f"{name} {WEST + x} {NORTH - y}")

    for street in range(STREETS):
        y = SPACING * street + 4.0
        for at in range(STREETS):
            place(f"M{street}_{at}", SPACING * at + 4.0, y, 3.0 if at == 0 else 2.0)
            if at:
                conduits.append(f"P{street}_{at} M{street}_{at} M{street}_{at - 1} {SPACING} 0.013 0 0")
                sections.append(f"P{street}_{at} CIRCULAR 0.6 0 0 0")
        if street:
            conduits.append(f"T{street} M{street - 1}_0 M{street}_0 {SPACING} 0.013 0 0")
            sections.append(f"T{street} CIRCULAR 2.5 0 0 0")
    last = ground(4.0, SPACING * (STREETS - 1) + 4.0)
    conduits.append(f"OUTLET M{STREETS - 1}_0 OUT 60 0.013 0 0")
    sections.append("OUTLET CIRCULAR 2.5 0 0 0")
    coordinates.append("OUT 0 0")
    text = "\n".join(
        [
            "[OPTIONS]\nFLOW_UNITS CMS\nFLOW_ROUTING DYNWAVE\nSTART_DATE 01/01/2020\nEND_DATE 01/02/2020",
            "ROUTING_STEP 10\nVARIABLE_STEP 0\nREPORT_STEP 00:15:00\nTHREADS 8",
            "[REPORT]\nNODES NONE\nLINKS NONE",
            "[JUNCTIONS]",
            *junctions,
            f"[OUTFALLS]\nOUT {last - 4.0:.3f} FREE NO\n[CONDUITS]",
            *conduits,
            "[XSECTIONS]",
            *sections,
            "[COORDINATES]",
            *coordinates,
        ]
    )
    (folder / "town.inp").write_text(text + "\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    write_terrain(folder)
    write_sewers(folder)
    if len(sys.argv) < 3:
        return
    times = {}
    for name, more in (("without", []), ("with", ["--sewers", "town.inp"])):
        options = ["--rain", "40 mm/h", "--duration", "30 min", "--layers", "max_depth", "--out", name, "--overwrite", "--quiet"]
        command = [sys.argv[2], "run", "--dem", "town.tif", *options, *more, *sys.argv[3:]]
        subprocess.run(command, cwd=folder, check=True)
        report = json.loads((folder / name / "run.json").read_text())
        times[name] = report["wall_parts_s"]["compute"]
        print(name, report["device"], "steps", report["steps"], "compute", round(times[name], 2), "s", report.get("sewers", ""))
    print(f"sewers: {100 * (1 - times['without'] / times['with']):.1f} % of the time of stepping")


if __name__ == "__main__":
    main()
