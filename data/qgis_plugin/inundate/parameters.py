"""Processing parameters of options, and the values that they have."""

import re

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterFile,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterMapLayer,
    QgsProcessingParameterMultipleLayers,
    QgsProcessingParameterNumber,
    QgsProcessingParameterRasterDestination,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
)

from . import inputs

_GEOMETRIES = {
    "points": QgsProcessing.TypeVectorPoint,
    "lines": QgsProcessing.TypeVectorLine,
    "polygons": QgsProcessing.TypeVectorPolygon,
}
_LAYERS = {
    frozenset({"raster"}): QgsProcessing.TypeRaster,
    frozenset({"vector"}): QgsProcessing.TypeVector,
    frozenset({"raster", "vector"}): QgsProcessing.TypeMapLayer,
}


def name(option):
    """Returns the name of an option's parameter."""
    return option.key.upper()


def layer_name(option):
    """Returns the name of the parameter for the layers of an option that also accepts a text."""
    return name(option) + ("_LAYERS" if option.repeatable else "_LAYER")


def declare(option, required=False):
    """Returns the parameters of an option.

    An option that accepts a text or a layer has two: the dialog shows one field for both, but a model can connect a
    layer only to a parameter for layers.
    """
    of_option = [_parameter(option, name(option), option.label + option.shown_default, not required)]
    if option.layers:
        kind = _LAYERS[frozenset(option.layers)]
        if option.repeatable:
            layers = QgsProcessingParameterMultipleLayers(layer_name(option), f"{option.label}: layers", kind, optional=True)
        else:
            types = [kind]
            layers = QgsProcessingParameterMapLayer(layer_name(option), f"{option.label}: layer", optional=True, types=types)
        of_option.append(layers)
    for parameter in of_option:
        parameter.setHelp(help_of(option))
    return of_option


def help_of(option):
    """Returns the description of an option and of its words."""
    words = [f"{word}: {about}" if about else word for word, about in option.words]
    return "\n".join([option.about.replace("\n\n", "\n")] + words)


def advanced(parameter):
    """Makes a parameter an advanced one."""
    parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
    return parameter


def _parameter(option, name, label, optional):
    words = [word for word, _ in option.words]
    if option.kind == "flag":
        return QgsProcessingParameterBoolean(name, label, False)
    if option.kind == "integer":
        number = QgsProcessingParameterNumber.Integer
        return QgsProcessingParameterNumber(name, label, number, None, optional, 0)
    if option.kind == "number":
        return QgsProcessingParameterNumber(name, label, QgsProcessingParameterNumber.Double, None, optional)
    if option.kind in ("choice", "choices"):
        several = option.kind == "choices"
        return QgsProcessingParameterEnum(name, label, words, several, None, optional, usesStaticStrings=True)
    if option.kind == "raster":
        return QgsProcessingParameterRasterLayer(name, label, None, optional)
    if option.kind == "vector":
        kinds = [_GEOMETRIES[geometry] for geometry in option.geometries]
        # A CSV is a table without geometries.
        kinds = [QgsProcessing.TypeVector] if "csv" in option.accepts or not kinds else kinds
        return QgsProcessingParameterFeatureSource(name, label, kinds, None, optional)
    if option.kind in ("file", "folder"):
        folder = QgsProcessingParameterFile.Folder if option.kind == "folder" else QgsProcessingParameterFile.File
        return QgsProcessingParameterFile(name, label, folder, optional=optional)
    if option.kind == "crs":
        return QgsProcessingParameterCrs(name, label, None, optional)
    if option.kind == "output" and option.value == "FILE.tif":
        return QgsProcessingParameterRasterDestination(name, label, None, optional, False)
    if option.kind == "output":
        kind = option.value.split(".")[1]
        return QgsProcessingParameterFileDestination(name, label, f"{kind.upper()} (*.{kind})", None, optional, False)
    return QgsProcessingParameterString(name, label, None, option.repeatable, optional)


class Values:
    """Reads the values of an algorithm's parameters."""

    def __init__(self, algorithm, parameters, context, files, folder):
        self.algorithm, self.parameters, self.context = algorithm, parameters, context
        self.files, self.folder = files, folder

    def of(self, option):
        """Returns the value of an option: a boolean, a number, a text or a list of texts; None if it is not set."""
        key = name(option)
        if option.layers and self.has(layer_name(option)):
            texts = self._texts(option) if option.repeatable else []
            layers = self.algorithm.parameterAsLayerList(self.parameters, layer_name(option), self.context)
            paths = [self.files.layer(option.key, layer, option.accepts) for layer in layers]
            return texts + paths if option.repeatable else paths[0]
        if not self.has(key):
            return None
        arguments = (self.parameters, key, self.context)
        algorithm = self.algorithm
        if option.kind == "flag":
            return algorithm.parameterAsBoolean(*arguments) or None
        if option.kind == "integer":
            return algorithm.parameterAsInt(*arguments)
        if option.kind == "number":
            return algorithm.parameterAsDouble(*arguments)
        if option.kind == "choice":
            return algorithm.parameterAsEnumString(*arguments) or None
        if option.kind == "choices":
            return [word for word in algorithm.parameterAsEnumStrings(*arguments) if word] or None
        if option.kind == "raster":
            layer = algorithm.parameterAsRasterLayer(*arguments)
            return self.files.raster(option.key, layer) if layer else self._path(key)
        if option.kind == "vector":
            return self._vector(option, arguments)
        if option.kind == "crs":
            crs = algorithm.parameterAsCrs(*arguments)
            return crs.authid() or crs.toWkt()
        if option.kind == "output":
            read = algorithm.parameterAsOutputLayer if option.value == "FILE.tif" else algorithm.parameterAsFileOutput
            return inputs.in_folder(read(*arguments), self.folder)
        if option.kind in ("file", "folder"):
            return self._path(key)
        if option.kind == "numbers":
            return [float(number) for number in re.split(r"[\s,;]+", algorithm.parameterAsString(*arguments)) if number] or None
        texts = self._texts(option)
        return (texts or None) if option.repeatable else (texts[0] if texts else None)

    def has(self, key):
        """Returns true if a parameter is set."""
        return self.parameters.get(key) not in (None, "", [])

    def _path(self, key):
        path = self.algorithm.parameterAsString(self.parameters, key, self.context).strip()
        return inputs.in_folder(path, self.folder) if path else None

    def _vector(self, option, arguments):
        layer = self.algorithm.parameterAsVectorLayer(*arguments)
        if layer:
            return self.files.layer(option.key, layer, option.accepts)
        # Selected features, or a file that QGIS cannot open: the program explains why.
        path = self.algorithm.parameterAsCompatibleSourceLayerPath(*arguments, inputs.FORMATS, "gpkg", self.files.feedback)
        return self.files.kept(option.key, path) if path else self._path(name(option))

    def _texts(self, option):
        """Returns the text of an option, or its lines, with layers and relative paths replaced by absolute paths."""
        text = self.algorithm.parameterAsString(self.parameters, name(option), self.context).strip()
        lines = text.splitlines() if option.repeatable else [text]
        return [self._text(option, line.strip()) for line in lines if line.strip()]

    def _text(self, option, text):
        if not option.accepts or text in (word for word, _ in option.words):
            return text
        layer = self.files.named(text, option.accepts)
        return self.files.layer(option.key, layer, option.accepts) if layer else inputs.absolute(text, self.folder)
