#!/usr/bin/env python3
"""Reads the results of a study with rasterio and pandas.

    python3 read_results.py study

`study` is the output folder of `inundate study`. It needs `pip install rasterio pandas`.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import rasterio


def main(folder: Path) -> None:
    # The table: a row per run. Names and texts stay text, figures are numbers.
    runs = pd.read_csv(folder / "runs.csv")
    done = runs[runs["status"] == "done"]
    figures = ["name", "weight", "max_depth_m", "wet_area_m2"]
    figures += [column for column in runs.columns if column.startswith("area_above_")]
    print(done[figures].to_string(index=False))

    # The report: which maps there are, on which grid, and of which runs.
    report = json.loads((folder / "study.json").read_text())
    for grid in report["grids"]:
        print(f"{grid['columns']} x {grid['rows']} cells, {len(grid['runs'])} runs")
        for name in grid["files"]:
            if not name.endswith(".tif"):
                continue
            with rasterio.open(folder / name) as file:
                # NoData cells, outside the domain, are masked.
                band = file.read(1, masked=True)
                cell = abs(file.transform.a * file.transform.e)  # in square units of the CRS
                label = file.descriptions[0]
            if "probability" in name:
                certain, possible = (float((band >= p).sum()) * cell for p in (0.5, 1e-6))
                print(f"{name}: {label}: {certain:.0f} likely, {possible:.0f} possible")
            else:
                print(f"{name}: {label}: {band.mean():.4f} on average, {band.max():.3f} at most")

        # The runs themselves, if the maps over them are not those that you want: here the standard deviation
        # of the maximum depth, each run counting by its weight.
        members = done[done["name"].isin(grid["runs"])]
        paths = [folder / run / "max_depth.tif" for run in members["folder"]]
        depths = []
        for path in paths:
            with rasterio.open(path) as file:
                depths.append(file.read(1, masked=True))
        depths = np.ma.stack(depths)
        mean = np.ma.average(depths, axis=0, weights=members["weight"])
        variance = np.ma.average((depths - mean) ** 2, axis=0, weights=members["weight"])
        print(f"standard deviation of the maximum depth: up to {np.sqrt(variance).max():.3f} m")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
