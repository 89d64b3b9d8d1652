#!/bin/sh
# Makes layers from the raw files of merewether_2007 in the working folder, with awk and GDAL's
# tools.
set -eu
export GDAL_PAM_ENABLED=NO

# Converts the corners of a polygon, one per line (x,y), to a CSV line with WKT, which GDAL reads.
polygon() {
    awk -F, 'NR == 1 { first = $1 " " $2 }
             { ring = ring $1 " " $2 ", " }
             END { print FILENAME ",\"POLYGON ((" ring first "))\"" }' "$1"
}

# Houses and roads: polygons with a CRS.
{ echo name,WKT; for file in houses/*.csv; do polygon "$file"; done; } > houses.csv
{ echo name,WKT; polygon RoadPolygon.csv; } > roads.csv
ogr2ogr -a_srs EPSG:32756 houses.gpkg houses.csv
ogr2ogr -a_srs EPSG:32756 roads.gpkg roads.csv

# Manning's n on the grid of the DEM: 0.04, and 0.02 on roads.
gdal_create -q -if topography1.tif -ot Float32 -burn 0.04 roughness.tif
gdal_rasterize -q -burn 0.02 roads.gpkg roughness.tif

# Inflow of 19.7 m³/s over a circle with a radius of 10 m.
ogr2ogr inflow.gpkg roads.csv -dialect SQLite \
    -sql "SELECT ST_Buffer(MakePoint(382265, 6354280, 32756), 10) AS geom, 19.7 AS flow"
