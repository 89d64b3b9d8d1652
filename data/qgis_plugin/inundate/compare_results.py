"""The algorithm `inundate:compare`."""

from qgis.core import QgsProcessingOutputString

from .command import CommandAlgorithm

REPORT = "REPORT"


class CompareResults(CommandAlgorithm):
    """Compares a result with another one or with observations."""

    COMMAND = "compare"
    TITLE = "Compare results"
    ABOUT = (
        "Compares a result (a raster of depths, or an output folder) with another result, with an observed extent "
        "(raster or polygons) or with observed points (vector layer or CSV); or compares two time series (CSV). The "
        "statistics are in the log and in the output REPORT; the map of the difference is added to the map."
    )
    COMMON = ("with", "threshold", "difference")
    # QGIS asks before it replaces a file.
    OWN = CommandAlgorithm.OWN + ("overwrite",)

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.addOutput(QgsProcessingOutputString(REPORT, "Statistics"))

    def processAlgorithm(self, given, context, feedback):
        arguments = self.arguments(given, context)
        replace = ["--overwrite"] if "difference" in self.values else []
        results = {REPORT: "\n".join(self.call(arguments + replace, feedback))}
        if replace:
            results["DIFFERENCE"] = self.values["difference"]
        return results
