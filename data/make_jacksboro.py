#!/usr/bin/env python3
"""Make data/jacksboro.tif, the terrain of the demonstration, from matplotlib's sample data.

    python3 data/make_jacksboro.py [OUT.tif]

Needs numpy, pip, a network, and GDAL's command line tools (gdal_translate, gdalwarp; 3.6 was used).

The wheel of matplotlib carries jacksboro_fault_dem.npz: SRTM heights in whole metres around the Jacksboro fault in
Tennessee, 344 rows of 403 cells of 3 arc-seconds. Two things about its numbers:

* xmin..xmax and ymin..ymax are the outer edges of the cells, not the centres of the outermost ones:
  (xmax - xmin) / dx is 403, the number of columns (not 402), and the edges lie at halves of 3 arc-seconds, as they do
  where SRTM's whole multiples of 3 arc-seconds are cell centres.
* The first row is the northernmost, and the file's `ymax`, 36.44625 N, is that row's northern edge. The file's `ymin`,
  36.73292 N, lies north of its `ymax`: it is ymax + 344 dy where it should be ymax - 344 dy, and is not used here.
  Three landmarks settle it. With the edge at 36.44625 N the highest cell (1076 m) falls at 36.1983 N 84.2308 W, and
  Cross Mountain (1077 m) is at 36.1983 N 84.2306 W; the step of the water from 305 m to 257 m is where Norris Dam is
  (36.224 N 84.092 W); and Jacksboro (36.330 N 84.184 W) lies at 327 m, at the foot of the Cumberland Mountains.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

MEMBER = "matplotlib/mpl-data/sample_data/jacksboro_fault_dem.npz"
SHA256 = "d493f50a33e82a4420494c54d1fca1539d177bdc27ab190bc5fe6e92f62fb637"
CRS = "EPSG:32616"  # WGS 84 / UTM zone 16N
CELL = 80  # metres; the source's cells are about 75 m (east-west) by 92 m (north-south) here
# The largest rectangle, on whole multiples of CELL, that the source covers wholly: no slivers of NoData at the edges,
# which in UTM lean by the meridian's convergence (1.6 degrees).
WEST, SOUTH, EAST, NORTH = WINDOW = (732_640, 4_005_600, 761_920, 4_036_560)
NODATA = -9999
STEP = 1 / 8  # heights are rounded to this: far below their error, exact in binary, and so they compress well


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def fetch(folder):
    """The npz out of matplotlib's wheel, checked."""
    run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder, "matplotlib")
    (wheel,) = folder.glob("matplotlib-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read(MEMBER)
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        sys.exit(f"{MEMBER} in {wheel.name} is not the file this script knows: SHA-256 {found}, not {SHA256}")
    path = folder / "jacksboro.npz"
    path.write_bytes(content)
    return path


def raster(path, cells, srs, west, north, dx, dy):
    """A raster that GDAL can read: the cells' bytes, and a VRT that says what they are."""
    kind = {"int16": "Int16", "float32": "Float32"}[cells.dtype.name]
    cells.astype(cells.dtype.newbyteorder("<")).tofile(path.with_suffix(".bin"))
    path.write_text(f"""<VRTDataset rasterXSize="{cells.shape[1]}" rasterYSize="{cells.shape[0]}">
  <SRS>{srs}</SRS>
  <GeoTransform>{west!r}, {dx!r}, 0, {north!r}, 0, {-dy!r}</GeoTransform>
  <VRTRasterBand dataType="{kind}" band="1" subClass="VRTRawRasterBand">
    <Description>elevation</Description>
    <UnitType>m</UnitType>
    <NoDataValue>{NODATA}</NoDataValue>
    <SourceFilename relativeToVRT="1">{path.with_suffix(".bin").name}</SourceFilename>
    <ByteOrder>LSB</ByteOrder>
  </VRTRasterBand>
</VRTDataset>
""")


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_name("jacksboro.tif")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with np.load(fetch(folder)) as npz:
            heights = npz["elevation"]
            west, north = float(npz["xmin"]), float(npz["ymax"])  # edges; ymax is the northern one: see above
        second = 1 / 3600
        raster(folder / "source.vrt", heights, "EPSG:4326", west, north, 3 * second, 3 * second)
        run("gdal_translate", "-q", folder / "source.vrt", folder / "geographic.tif")

        warped = folder / "warped.img"  # ENVI: plain little-endian floats, north row first
        run("gdalwarp", "-q", "-t_srs", CRS, "-r", "bilinear", "-tr", CELL, CELL, "-te", *WINDOW, "-ot", "Float32",
            "-dstnodata", NODATA, "-of", "ENVI", folder / "geographic.tif", warped)
        shape = ((NORTH - SOUTH) // CELL, (EAST - WEST) // CELL)
        cells = np.fromfile(warped, "<f4").reshape(shape)
        if (cells == NODATA).any():
            sys.exit("the window reaches past the source")
        cells = (np.round(cells / STEP) * STEP).astype("float32")

        raster(folder / "projected.vrt", cells, CRS, WEST, NORTH, CELL, CELL)
        run("gdal_translate", "-q", "-of", "GTiff", "-co", "TILED=YES", "-co", "BLOCKXSIZE=128", "-co", "BLOCKYSIZE=128",
            "-co", "COMPRESS=DEFLATE", "-co", "PREDICTOR=3", "-co", "ZLEVEL=9", folder / "projected.vrt", out)
    print(f"{out}: {shape[1]} x {shape[0]} cells of {CELL} m, {cells.min():g} to {cells.max():g} m, "
          f"{out.stat().st_size} bytes, SHA-256 {hashlib.sha256(out.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
