"""The algorithm `inundate:check`."""

from qgis.core import QgsProcessingOutputString

from .scenario import ScenarioAlgorithm

REPORT = "REPORT"


class CheckScenario(ScenarioAlgorithm):
    """Reads and checks everything that a run would, without running it."""

    def name(self):
        return "check"

    def displayName(self):
        return "Check a scenario"

    def shortHelpString(self):
        return (
            "Reads and checks everything that 'Run a flood' would, and says in the log what a run will take. "
            "It runs nothing and writes nothing."
        )

    def initAlgorithm(self, config=None):
        self.add_scenario()
        self.addOutput(QgsProcessingOutputString(REPORT, "What it found"))

    def processAlgorithm(self, parameters, context, feedback):
        said = self.call("check", self.arguments(parameters, context, feedback), context, feedback)
        return {REPORT: "\n".join(said)}
