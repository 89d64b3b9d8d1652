#!/usr/bin/env python3
"""Make the artificial town of `inundate demo --town`: town.tif, cover.tif, buildings.geojson and culverts.csv in data/town.

    python3 data/make_town.py [FOLDER]

Needs numpy and rasterio (`make setup-python` installs both). The seed is fixed, so every run makes the same town.

Coordinates below are local metres, x to the east and y to the north, from the south-western corner of the grid.
"""

import json
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.features import rasterize
from rasterio.transform import from_origin

CELL, COLUMNS, ROWS = 2, 400, 300
WEST, SOUTH = 500000, 5500000
CRS = "EPSG:25832"
STREET, PAVED, GARDEN, GRASS, WOOD, BROOK, RAILWAY = range(1, 8)

random = np.random.default_rng(2024)
x, y = np.meshgrid((np.arange(COLUMNS) + 0.5) * CELL, (np.arange(ROWS)[::-1] + 0.5) * CELL)
GRID = from_origin(0, ROWS * CELL, CELL, CELL)


def curve(function, start, end):
    """Returns a polyline of points along y = function(x)."""
    return [(at, float(function(at))) for at in np.linspace(start, end, 41)]


def across(points):
    """Returns the distance of each cell's centre to a polyline."""
    nearest = np.full(x.shape, np.inf)
    for (x1, y1), (x2, y2) in zip(points, points[1:]):
        dx, dy = x2 - x1, y2 - y1
        along = np.clip(((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy), 0, 1)
        nearest = np.minimum(nearest, np.hypot(x - x1 - along * dx, y - y1 - along * dy))
    return nearest


def smooth_noise(size):
    """Returns noise with a standard deviation of 1 and bumps of about `size` metres."""
    coarse = random.normal(size=(int(ROWS * CELL / size) + 3, int(COLUMNS * CELL / size) + 3))
    row, column = y / size, x / size
    r, c = row.astype(int), column.astype(int)
    v, u = (t * t * (3 - 2 * t) for t in (row - r, column - c))
    top = coarse[r, c] * (1 - u) + coarse[r, c + 1] * u
    return top * (1 - v) + (coarse[r + 1, c] * (1 - u) + coarse[r + 1, c + 1] * u) * v


# Mill Brook flows east, Park Brook south through a hollow and a park into Mill Brook.
def mill(at):
    return 95 + 16 * np.sin(at / 70) + 6 * np.sin(at / 31 + 1)


def park(at):
    return 548 + 10 * np.sin(at / 55)


def railway(at):
    return 186 + 0.02 * at


MILL = curve(mill, -4, COLUMNS * CELL + 4)
PARK = [(float(park(at)), at) for at in np.linspace(float(mill(548)), ROWS * CELL + 4, 61)]
TRACK = curve(railway, -4, COLUMNS * CELL + 4)

# Streets: name, width between the kerbs, and line.
MAIN = curve(lambda at: 302 + 14 * np.sin(at / 110), -4, 804)
STATION = curve(lambda at: railway(at) + 44, 40, 804)
SCHOOL = curve(lambda at: 405 + 9 * np.sin(at / 95 + 1), 84, 804)
UPPER = curve(lambda at: 512 + 12 * np.sin(at / 130 + 2), -4, 804)
BRIDGE = [(272, 604), (262, 512), (255, 410), (250, 312), (246, 236), (244, 190), (242, 120), (236, -4)]
STREETS = [
    (8, MAIN),
    (8, BRIDGE),
    (6, STATION),
    (6, SCHOOL),
    (6, UPPER),
    (6, [(92, 232), (88, 310), (84, 415), (80, 515)]),
    (6, [(384, 238), (388, 290), (380, 400), (372, 520)]),
    (6, [(478, 240), (474, 300), (476, 395), (470, 508)]),
    (6, [(628, 243), (622, 297), (620, 400), (628, 510)]),
    (6, [(726, 245), (732, 312), (724, 400), (720, 604)]),
]

# The ground: a valley that falls to the east, a terrace with the town in the north, a slope in the south.
valley = 100 - 0.004 * x
north, south = np.maximum(y - mill(x), 0), np.maximum(mill(x) - y, 0)
# Undisturbed by the brook's bends away from it.
terrace = np.maximum(y - 150, 0)
ground = valley + 0.004 * np.minimum(north, 60) + 0.014 * terrace + 0.00004 * np.maximum(terrace - 180, 0) ** 2
ground += 0.006 * np.minimum(south, 30) + 0.0018 * np.maximum(south - 30, 0) ** 2
hollow = 1.5 * np.exp(-(((x - park(y)) / 42) ** 2)) * np.clip((y - 120) / 60, 0, 1)
ground += 0.10 * smooth_noise(70) + 0.05 * smooth_noise(25) - hollow
cover = np.full(x.shape, GARDEN, "uint8")
cover[y < 165 + 0.02 * x] = GRASS
cover[south > 42 + 8 * smooth_noise(40)] = WOOD
in_park = (x > 484) & (x < 612) & (y > 312) & (y < 396)
cover[in_park] = GRASS
roads = [(across(line), width / 2) for width, line in STREETS]

# Gardens are uneven; lots are 10 cm above the pavements, and these 13 cm above the gutters.
open_ground = ground.copy()
ground = open_ground + 0.15 + 0.01 * random.normal(size=x.shape)
in_town = y > railway(x) + 10
ground[~in_town] = (open_ground + 0.01 * random.normal(size=x.shape))[~in_town]
for distance, half in roads:
    side = (distance < half + 3) & in_town
    ground[side], cover[side] = open_ground[side] + 0.05, PAVED
square = (np.abs(x - 305) < 30) & (y > 322) & (y < 366)
ground[square], cover[square] = open_ground[square] + 0.05, PAVED
for distance, half in roads:
    road = distance < half
    ground[road] = open_ground[road] - 0.08 + 0.05 * (1 - distance[road] / half)
    cover[road] = STREET

# Brooks: a bed 2 to 3 cells wide with sloping banks. Streets cross Park Brook on culverts, and Mill Brook on a bridge.
street = np.any([distance < half + 2 for distance, half in roads], axis=0)
from_park, from_mill = across(PARK), across(MILL)
bank = open_ground - 0.9 + np.maximum(from_park - 1.5, 0) / 1.5
bed = (from_park < 3) & ~street & (y > mill(548))
ground[bed] = np.minimum(ground, bank)[bed]
cover[(from_park < 2) & ~street] = BROOK
bank = valley - 1.7 + np.maximum(from_mill - 3, 0) / 1.5
bed = from_mill < 6
ground[bed] = np.minimum(ground, bank)[bed]
cover[from_mill < 4] = BROOK

# The railway's embankment, with an underpass for Bridge Street, which dips below it.
distance = distance_to_track = across(TRACK)
from_bridge = roads[1][0]
crest = 103.4 - 0.004 * x
embankment = np.maximum(ground, crest - np.maximum(distance - 4, 0) / 1.5)
under = (from_bridge < 6) & (distance < 16)
ground = np.where(under, ground, embankment)
cover[(distance < 5) & ~under] = RAILWAY
dip = 1.3 * np.exp(-((distance / 18) ** 2))
ground[from_bridge < 6] -= dip[from_bridge < 6]

# Buildings stand along the streets where there is room: rows in the centre, houses elsewhere.
taken = street | (from_park < 10) | (from_mill < 40) | (distance < 20) | in_park | square | ~in_town
buildings = []


def build(centre, direction, length, width, height, kind):
    """Places a building if there is room; `direction` is a unit vector along its length."""
    (cx, cy), (ux, uy) = centre, direction
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    ring = [(cx + a * ux * length / 2 - b * uy * width / 2, cy + a * uy * length / 2 + b * ux * width / 2) for a, b in corners]
    if any(not (6 < px < COLUMNS * CELL - 6 and 6 < py < ROWS * CELL - 6) for px, py in ring):
        return False
    footprint = rasterize([{"type": "Polygon", "coordinates": [[*ring, ring[0]]]}], x.shape, transform=GRID, all_touched=True) > 0
    if taken[footprint].any():
        return False
    # Smooth ground, as a DEM without buildings has: roofs are parallel to it, and drain.
    ground[footprint] = open_ground[footprint] + 0.15
    grown = footprint.copy()
    for shift in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        grown |= np.roll(footprint, shift, (0, 1))
    taken[grown] = True
    cover[grown & (cover == GARDEN)] = PAVED if kind != "house" else GARDEN
    buildings.append((ring, round(height, 1), kind))
    return True


build((305, 378), (1, 0), 34, 14, 18, "church")
build((430, 262), (0.999, 0.02), 44, 18, 9, "factory")
build((160, 252), (1, 0.02), 36, 16, 9, "factory")
for width, line in STREETS:
    for (x1, y1), (x2, y2) in zip(line, line[1:]):
        length = np.hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        for side in (-1, 1):
            at = random.uniform(2, 8)
            while at < length:
                cx, cy = x1 + at * ux, y1 + at * uy
                central = 120 < cx < 480 and 240 < cy < 420
                long, deep = (random.uniform(14, 22), 11) if central else (random.uniform(10, 14), random.uniform(9, 11))
                offset = width / 2 + (4.5 if central else random.uniform(7, 9)) + deep / 2
                centre = (cx - side * uy * offset, cy + side * ux * offset)
                kind = "row" if central else "house"
                built = build(centre, (ux, uy), long, deep, random.uniform(9, 13) if central else random.uniform(6, 9), kind)
                at += (long + 2.5 if central else long + random.uniform(5, 11)) if built else 4



def culverts():
    """Returns the culverts of Park Brook: its way under each street and the railway, with the beds at both ends."""
    line = [(float(park(at)), at) for at in np.arange(ROWS * CELL - 5, float(mill(548)) + 8, -0.5)]
    cells = [(int((ROWS * CELL - py) / CELL), int(px / CELL)) for px, py in line]
    buried = [street[cell] or distance_to_track[cell] < 13 for cell in cells]
    starts = [at for at in range(1, len(cells)) if buried[at] and not buried[at - 1]]
    for start in starts:
        end = next(at for at in range(start, len(cells)) if not buried[at])
        railway_there = any(distance_to_track[cell] < 13 for cell in cells[start:end])
        yield line[start - 3], line[end + 3], railway_there


folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "town"
kind = {"driver": "GTiff", "width": COLUMNS, "height": ROWS, "count": 1, "crs": CRS, "compress": "deflate", "zlevel": 9}
kind["transform"] = from_origin(WEST, SOUTH + ROWS * CELL, CELL, CELL)
with rasterio.open(folder / "town.tif", "w", dtype="float32", predictor=3, nodata=-9999, **kind) as file:
    file.write((np.round(ground * 64) / 64).astype("float32"), 1)
    file.units = ["m"]
with rasterio.open(folder / "cover.tif", "w", dtype="uint8", nodata=0, **kind) as file:
    file.write(cover, 1)
features = [
    {"type": "Feature", "properties": {"kind": kind, "height": f"{height} m"}, "geometry": {"type": "Polygon",
     "coordinates": [[[round(WEST + px, 1), round(SOUTH + py, 1)] for px, py in [*ring, ring[0]]]]}}
    for ring, height, kind in buildings
]
crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
head = json.dumps({"type": "FeatureCollection", "crs": crs})[:-1]
lines = ",\n".join(json.dumps(feature, separators=(",", ":")) for feature in features)
(folder / "buildings.geojson").write_text(f'{head}, "features": [\n{lines}\n]}}\n')
names = iter(["Upper Road", "School Street", "Main Street", "Station Road"])
with open(folder / "culverts.csv", "w") as file:
    file.write("name,kind,x1,y1,x2,y2,diameter [m]\n")
    for (x1, y1), (x2, y2), under_railway in culverts():
        name, diameter = ("railway", 1.0) if under_railway else (next(names), 0.8)
        file.write(f"{name},culvert,{WEST + x1:.1f},{SOUTH + y1:.1f},{WEST + x2:.1f},{SOUTH + y2:.1f},{diameter}\n")
print(len(features), "buildings")
