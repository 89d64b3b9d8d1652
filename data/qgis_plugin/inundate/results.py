"""An algorithm whose results have a QGIS project, and an output folder."""

import json
import os

from qgis.core import (
    QgsProcessingOutputFile,
    QgsProcessingOutputRasterLayer,
    QgsProcessingParameterBoolean,
)

from . import inputs, toml_text
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
# Options that are no part of a scenario file in the output folder.
_OF_THE_CALL = ("out", "overwrite", "quiet", "json")


class ResultsAlgorithm(CommandAlgorithm):
    """Runs a command that writes an output folder, and adds its project to the map."""

    def __init__(self):
        super().__init__()
        self.project_file = None
        # Absolute path of the output folder.
        self.out = ""

    def declare_results(self):
        """Declares the choice to add results to the map, and the project."""
        self.addParameter(QgsProcessingParameterBoolean(ADD, "Add the results to the map", True))
        self.addOutput(QgsProcessingOutputFile(PROJECT, "QGIS project"))

    def declare_run(self):
        """Declares the results of a run."""
        self.declare_results()
        for name, _, about in MAPS:
            self.addOutput(QgsProcessingOutputRasterLayer(name, about))
        self.addOutput(QgsProcessingOutputFile(SCENARIO_USED, "Scenario of the run"))

    def prepareAlgorithm(self, given, context, feedback):
        folder = self.parameterDefinition(OUT)
        if folder and folder.isDestination():
            # Read once: each reading of a temporary folder is another folder.
            self.out = inputs.in_folder(self.parameterAsFileOutput(given, OUT, context), self.folder(context))
        return super().prepareAlgorithm(given, context, feedback)

    def found(self, given, context, out, files):
        """Returns the output folder and its project, if that is one of its files."""
        results = {OUT: out}
        if "project.qgs" in files:
            results[PROJECT] = os.path.join(out, "project.qgs")
            if self.parameterAsBoolean(given, ADD, context):
                self.project_file = results[PROJECT]
        return results

    def found_run(self, given, context, out):
        """Returns the outputs of a finished run, and saves its scenario beside them."""
        with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
            report = json.load(file)
        results = self.found(given, context, out, report["outputs"])
        results.update((name, os.path.join(out, file)) for name, file, _ in MAPS if file in report["outputs"])
        results[SCENARIO_USED] = save_scenario(out, report["parameters"])
        return results

    def postProcessAlgorithm(self, context, feedback):
        """Adds the results, in the main thread, where the project may be changed."""
        project = context.project()
        if self.project_file and project:
            add_results(project, self.project_file)
        return {}


def save_scenario(out, used):
    """Saves the keys of a run as a scenario file in its output folder, and returns the path."""
    keys = {key: toml_text.portable(value, out) for key, value in used.items() if key not in _OF_THE_CALL}
    keys["out"] = "."
    path = toml_text.place(out, "scenario.toml")
    toml_text.write(path, f"inundate run {os.path.basename(path)} --overwrite", toml_text.table(keys))
    return path
