"""An algorithm whose results have a QGIS project, and an output folder."""

import json
import os

from qgis.core import (
    QgsProcessingOutputFile,
    QgsProcessingOutputRasterLayer,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFolderDestination,
)

from . import inputs
from .command import CommandAlgorithm
from .project import add_results

ADD = "ADD"
OUT = "OUT"
PROJECT = "PROJECT"
SCENARIO_USED = "SCENARIO_USED"
# Outputs, their files, and their names.
MAPS = [
    ("MAX_DEPTH", "max_depth.tif", "Maximum depth"),
    ("ARRIVAL_TIME", "arrival_time.tif", "Arrival time"),
    ("DEPTH", "depth.tif", "Depth at the end"),
]


class ResultsAlgorithm(CommandAlgorithm):
    """Runs a command that writes an output folder, and adds its project to the map."""

    def __init__(self):
        super().__init__()
        self.project_file = None
        # Absolute path of the output folder.
        self.out = ""

    def declare_results(self, maps=()):
        """Declares the choice to add results to the map, and the outputs."""
        self.addParameter(QgsProcessingParameterBoolean(ADD, "Add the results to the map", True))
        self.addOutput(QgsProcessingOutputFile(PROJECT, "QGIS project"))
        for name, _, about in maps:
            self.addOutput(QgsProcessingOutputRasterLayer(name, about))

    def declare_folder(self):
        """Declares the output folder."""
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, "Folder for the results"))

    def prepareAlgorithm(self, given, context, feedback):
        folder = self.parameterDefinition(OUT)
        if folder and folder.isDestination():
            # Read once: each reading of a temporary folder is another folder.
            self.out = inputs.in_folder(self.parameterAsFileOutput(given, OUT, context), self.folder(context))
        return super().prepareAlgorithm(given, context, feedback)

    def found(self, given, context, out, report, maps=()):
        """Returns the outputs in a folder that its report lists."""
        with open(os.path.join(out, report), encoding="utf-8") as file:
            written = json.load(file)["outputs"]
        results = {OUT: out}
        for name, file in [(PROJECT, "project.qgs")] + [(name, file) for name, file, _ in maps]:
            if file in written:
                results[name] = os.path.join(out, file)
        if self.parameterAsBoolean(given, ADD, context):
            self.project_file = results.get(PROJECT)
        return results

    def postProcessAlgorithm(self, context, feedback):
        """Adds the results, in the main thread, where the project may be changed."""
        project = context.project()
        if self.project_file and project:
            add_results(project, self.project_file)
        return {}
