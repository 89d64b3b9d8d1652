"""The algorithm `inundate:run`."""

import os

from qgis.core import QgsProcessingException, QgsProcessingParameterFolderDestination

from .results import OUT, ResultsAlgorithm

# Folder of checkpoints in the output folder.
_CHECKPOINT = ".checkpoint"


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
        "duration",
        "solver",
        "roughness",
        "open",
        "out",
        "layers",
        "output_every",
    )
    OWN = ResultsAlgorithm.OWN + ("out",)

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.declare_run()
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, "Folder for the results"))

    def keep_in(self, given, context):
        return os.path.join(self.out, "inputs")

    def processAlgorithm(self, given, context, feedback):
        try:
            self.call(self.arguments(given, context) + [f"--out={self.out}"], feedback)
        except QgsProcessingException:
            # A run that can be resumed reads its inputs again.
            if not os.path.isdir(os.path.join(self.out, _CHECKPOINT)):
                self.files.forget()
            raise
        return self.found_run(given, context, self.out)
