"""The algorithm `inundate:resume`."""

from .results import OUT, ResultsAlgorithm


class ResumeRun(ResultsAlgorithm):
    """Resumes a stopped run and adds its results to the map."""

    COMMAND = "resume"
    TITLE = "Resume a run"
    ABOUT = (
        "Resumes a run that was cancelled or interrupted, from its last checkpoint, and adds its results to the map. The "
        "run must have been started with an interval of checkpoints."
    )
    COMMON = ("device", "threads")
    REQUIRED = ("out",)

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.declare_run()

    def processAlgorithm(self, given, context, feedback):
        self.call(self.arguments(given, context), feedback)
        results = self.found_run(given, context, self.values["out"])
        del results[OUT]
        return results
