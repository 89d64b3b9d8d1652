"""The algorithm `inundate:check`."""

from qgis.core import QgsProcessingOutputString

from .command import CommandAlgorithm
from .run_flood import RunFlood

REPORT = "REPORT"


class CheckScenario(CommandAlgorithm):
    """Reads and checks everything that a run would, without running it."""

    COMMAND = "check"
    TITLE = "Check a scenario"
    ABOUT = (
        "Reads and checks everything that 'Run a flood' would, and shows in the log what a run will take. It runs "
        "nothing and writes no results."
    )
    COMMON = RunFlood.COMMON
    OWN = CommandAlgorithm.OWN + ("out", "overwrite")

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.addOutput(QgsProcessingOutputString(REPORT, "Result of the check"))

    def processAlgorithm(self, given, context, feedback):
        said = self.call(self.arguments(given, context), feedback)
        results = {REPORT: "\n".join(said)}
        if "parted" in self.values:
            results["PARTED"] = self.values["parted"]
        return results
