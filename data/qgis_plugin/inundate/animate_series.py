"""The algorithm `inundate:animate`."""

from .command import CommandAlgorithm


class AnimateSeries(CommandAlgorithm):
    """Writes the series of maps of a run as an animation."""

    COMMAND = "animate"
    TITLE = "Animate a series of maps"
    ABOUT = "Writes the series of maps of a run, which has an interval of maps, as an animation (GIF)."
    COMMON = ("layer", "frames", "size", "rate", "to")
    REQUIRED = ("out", "to")
    # QGIS asks before it replaces a file.
    OWN = CommandAlgorithm.OWN + ("overwrite",)

    def processAlgorithm(self, given, context, feedback):
        self.call(self.arguments(given, context) + ["--overwrite"], feedback)
        return {"TO": self.values["to"]}
