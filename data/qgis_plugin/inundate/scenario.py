"""Parameters that both algorithms share, and the flags that they become: one line each."""

import shlex

from processing.core.ProcessingConfig import ProcessingConfig
from qgis.core import (
    QgsProcessing,
    QgsProcessingAlgorithm,
    QgsProcessingException,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterFile,
    QgsProcessingParameterRasterLayer,
    QgsProcessingParameterString,
    QgsProcessingParameterVectorLayer,
)

from . import program

FLAGS = "FLAGS"
SCENARIO = "SCENARIO"

# Parameter, flag, description, kind, and whether it is advanced.
PARAMETERS = [
    ("DEM", "--dem", "Terrain (DEM, in a projected CRS)", "raster", False),
    ("RAIN", "--rain", "Rain: a rate like '40 mm/h', or a CSV or raster", "text", False),
    ("DURATION", "--duration", "Duration, like '6h'", "text", False),
    ("ROUGHNESS", "--roughness", "Roughness: Manning's n, like '0.05', or a raster", "text", False),
    ("LAND_COVER", "--land-cover", "Land cover, for the roughness", "raster", True),
    ("LAND_COVER_TABLE", "--land-cover-table", "Table of land cover: worldcover, nlcd, or a CSV", "text", True),
    ("SOURCES", "--source", "Inflows: points, lines or polygons with a field 'flow' or 'hydrograph'", "vector", False),
    ("LEVELS", "--level", "Held levels: a layer with a field 'level' or 'stage'", "vector", True),
    ("BUILDINGS", "--buildings", "Buildings: polygons", "vector", True),
    ("WALLS", "--walls", "Walls and dikes: lines with a field 'level' or 'height'", "vector", True),
    ("GAUGES", "--gauges", "Gauges: points at which depths and levels are noted", "vector", True),
    ("SECTIONS", "--sections", "Sections: lines across which discharge is noted", "vector", True),
    ("INITIAL_DEPTH", "--initial-depth", "Depth at the start, like '0.5 m', or a raster", "text", True),
    ("OPEN", "--open", "Sides over which water leaves: all, or north, east, south, west", "text", False),
    ("OUTPUT_EVERY", "--output-every", "A map every, like '15 min', for the temporal controller", "text", False),
]


class ScenarioAlgorithm(QgsProcessingAlgorithm):
    """Builds a scenario from parameters, a file, or both, and passes it to the program."""

    def createInstance(self):
        return type(self)()

    def helpUrl(self):
        return ""

    def add_scenario(self):
        """Declares the parameters."""
        scenario = QgsProcessingParameterFile(
            SCENARIO, "Scenario file (what is given below overrides it)", extension="toml", optional=True
        )
        self.addParameter(scenario)
        for name, _, about, kind, advanced in PARAMETERS:
            if kind == "raster":
                parameter = QgsProcessingParameterRasterLayer(name, about, optional=True)
            elif kind == "vector":
                kinds = [QgsProcessing.TypeVectorAnyGeometry]
                parameter = QgsProcessingParameterVectorLayer(name, about, kinds, optional=True)
            else:
                parameter = QgsProcessingParameterString(name, about, optional=True)
            self.add_for(parameter, advanced)
        flags = QgsProcessingParameterString(FLAGS, "Further flags, as on the command line", optional=True)
        self.add_for(flags, True)

    def add_for(self, parameter, advanced):
        """Declares a parameter, as an advanced one if requested."""
        if advanced:
            parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
        self.addParameter(parameter)

    def arguments(self, parameters, context, feedback):
        """Returns the command line without the program and its command."""
        arguments = []
        scenario = self.parameterAsString(parameters, SCENARIO, context)
        if scenario:
            arguments.append(scenario)
        for name, flag, _, kind, _ in PARAMETERS:
            if kind == "raster":
                layer = self.parameterAsRasterLayer(parameters, name, context)
                value = self.raster_path(name, layer) if layer else ""
            elif kind == "vector":
                value = self.vector_path(parameters, name, context, feedback)
            else:
                value = self.parameterAsString(parameters, name, context).strip()
            if value:
                # In a single word, so that a value may begin with a dash.
                arguments.append(f"{flag}={value}")
        return arguments + shlex.split(self.parameterAsString(parameters, FLAGS, context))

    def raster_path(self, name, layer):
        """Returns the GDAL source of a raster layer."""
        if layer.providerType() != "gdal":
            raise QgsProcessingException(f"{name}: '{layer.name()}' is no file: export it first")
        return layer.source()

    def vector_path(self, parameters, name, context, feedback):
        """Returns a file with the layer's features: its own, or a copy if it has none or is filtered."""
        layer = self.parameterAsVectorLayer(parameters, name, context)
        if not layer:
            return ""
        return self.parameterAsCompatibleSourceLayerPath(
            parameters, name, context, ["gpkg", "geojson", "shp", "fgb"], "gpkg", feedback
        )

    def call(self, command, arguments, context, feedback):
        """Runs a command of the program and returns its output; relative paths are relative to the QGIS
        project.
        """
        found = program.find(ProcessingConfig.getSetting(program.SETTING))
        project = context.project()
        folder = project.homePath() if project else ""
        return program.run([found, command] + arguments, feedback, folder or None)
