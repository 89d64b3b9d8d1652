"""The algorithm `inundate:run`."""

import json
import os

from qgis.core import QgsProcessingException, QgsProcessingOutputFile

from . import toml_text
from .results import MAPS, SCENARIO_USED, ResultsAlgorithm

# Options that are no part of a scenario file in the output folder.
_OF_THE_CALL = ("out", "overwrite", "quiet", "json")


class RunFlood(ResultsAlgorithm):
    """Runs a flood into a folder and adds its results to the map."""

    COMMAND = "run"
    TITLE = "Run a flood"
    ABOUT = (
        "Runs inundate: terrain and water go in; depths, the maximum depth, arrival times and more come out, in a "
        "folder with a QGIS project of its own.\n\n"
        "Set the terrain, the water and the duration here, or choose a scenario file, or both: what is set here overrides "
        "the file. Quantities carry units, like '40 mm/h', '6h' or '0.5 m'. Empty fields are not passed to the program. "
        "With an interval of maps, the temporal controller plays the flood.\n\n"
        "The advanced parameters are all other options of the program, in the groups of its help; their descriptions are "
        "in the tooltips. The folder also has scenario.toml, with which the command line repeats the run."
    )
    COMMON = (
        "dem",
        "rain",
        "source",
        "level",
        "open",
        "roughness",
        "duration",
        "output_every",
        "layers",
        "overwrite",
    )
    OWN = ResultsAlgorithm.OWN + ("out",)

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.declare_results(MAPS)
        self.declare_folder()
        self.addOutput(QgsProcessingOutputFile(SCENARIO_USED, "Scenario of the run"))

    def keep_in(self, given, context):
        return os.path.join(self.out, "inputs")

    def processAlgorithm(self, given, context, feedback):
        try:
            self.call(self.arguments(given, context) + [f"--out={self.out}"], feedback)
        except QgsProcessingException:
            self.files.forget()
            raise
        results = self.found(given, context, self.out, "run.json", MAPS)
        results[SCENARIO_USED] = save_scenario(self.out)
        return results


def save_scenario(out):
    """Saves the scenario of a finished run beside its results, and returns the path."""
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        used = json.load(file)["parameters"]
    keys = {key: toml_text.portable(value, out) for key, value in used.items() if key not in _OF_THE_CALL}
    keys["out"] = "."
    path = toml_text.place(out, "scenario.toml")
    toml_text.write(path, f"inundate run {os.path.basename(path)} --overwrite", toml_text.table(keys))
    return path
