"""Files for the program from what is chosen in QGIS: layers by their source, and copies of layers that have no file."""

import os
import re
import shutil

from qgis.core import QgsMapLayerType, QgsProcessingException, QgsProcessingUtils, QgsProviderRegistry, QgsVectorLayer

# Formats that the program reads directly.
FORMATS = ["gpkg", "geojson", "json", "shp", "fgb"]


def absolute(text, folder):
    """Makes the relative path of an existing file absolute, also after a place (`x,y,flow.csv`); returns other texts as they
    are.
    """
    parts = text.split(",")
    for start in range(len(parts)):
        path = ",".join(parts[start:]).strip()
        if may_be_a_path(path) and os.path.exists(os.path.join(folder, path)):
            return ",".join(parts[:start] + [os.path.normpath(os.path.join(folder, path))])
    return text


def may_be_a_path(text):
    """Returns false for texts that the program reads as values (docs/scenario.md)."""
    return bool(text) and (not re.match(r"[+-]?\.?\d", text) or re.search(r"\.[A-Za-z]\w*$|/$|^\.\.?/", text) is not None)


def in_folder(path, folder):
    """Makes a path absolute, whether it exists or not."""
    return path if "://" in path or path.startswith("/vsi") else os.path.normpath(os.path.join(folder, path))


def has_own_crs(layer):
    """Returns true if the CRS of a layer was changed in QGIS, and is not that of its file."""
    return layer.crs() != layer.dataProvider().crs()


class Inputs:
    """Finds the files of layers. Temporary files are copied into the folder `keep`, if there is one, where they outlast QGIS."""

    def __init__(self, context, feedback, keep=None):
        self.context, self.feedback, self.keep = context, feedback, keep
        self.copies = []

    def named(self, text, kinds):
        """Returns the layer of the project with this id or unique name, or a table of a file (`a.gpkg|layername=b`)."""
        project = self.context.project()
        layer = project.mapLayer(text) if project else None
        # Not by a name like "0.05", which is a value.
        if project and not layer and may_be_a_path(text):
            layers = project.mapLayersByName(text)
            layer = layers[0] if len(layers) == 1 else None
        if not layer and "|" in text:
            layer = QgsProcessingUtils.mapLayerFromString(text, self.context)
        of_kind = {QgsMapLayerType.RasterLayer: "raster", QgsMapLayerType.VectorLayer: "vector"}
        return layer if layer and of_kind.get(layer.type()) in kinds else None

    def layer(self, key, layer, accepts):
        """Returns the file of a layer."""
        if layer.type() == QgsMapLayerType.RasterLayer:
            return self.raster(key, layer)
        if layer.providerType() == "delimitedtext" and "csv" in accepts:
            return QgsProviderRegistry.instance().decodeUri("delimitedtext", layer.source())["path"]
        formats = [] if has_own_crs(layer) else FORMATS + (["csv"] if "csv" in accepts else [])
        convert = (layer, False, key, formats, "gpkg", self.context, self.feedback)
        path, table = QgsProcessingUtils.convertToCompatibleFormatAndLayerName(*convert)
        file = QgsVectorLayer(path, key, "ogr")
        if table and len(file.dataProvider().subLayers()) > 1:
            # The program reads files with one table.
            path = QgsProcessingUtils.convertToCompatibleFormat(*convert)
        return self.kept(key, path)

    def raster(self, key, layer):
        """Returns the GDAL source of a raster layer."""
        if layer.providerType() != "gdal":
            raise QgsProcessingException(f"{key}: '{layer.name()}' is not a file: export it first")
        if has_own_crs(layer):
            raise QgsProcessingException(
                f"{key}: the CRS of the layer '{layer.name()}' in QGIS is not that of its file, which the program reads: "
                "assign it to the file with Raster > Projections > Assign Projection"
            )
        return self.kept(key, layer.source())

    def kept(self, key, path):
        """Returns an absolute path, of a copy in the folder if the file is temporary."""
        if not os.path.exists(path):
            return path
        path = os.path.abspath(path)
        if not self.keep or not path.startswith(os.path.abspath(QgsProcessingUtils.tempFolder()) + os.sep):
            return path
        os.makedirs(self.keep, exist_ok=True)
        extension, number = os.path.splitext(path)[1], 1
        while os.path.exists(to := os.path.join(self.keep, f"{key}{'' if number == 1 else f'_{number}'}{extension}")):
            number += 1
        shutil.copyfile(path, to)
        self.copies.append(to)
        return to

    def forget(self):
        """Removes the copies, and the folders if they are empty."""
        for path in self.copies:
            os.remove(path)
        if self.copies:
            for folder in (self.keep, os.path.dirname(self.keep)):
                if not os.listdir(folder):
                    os.rmdir(folder)
        self.copies = []
