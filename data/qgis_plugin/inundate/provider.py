"""The provider `inundate` of Processing algorithms, and its setting: the path of the program."""

import os

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import Qgis, QgsMessageLog, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .animate_series import AnimateSeries
from .check_scenario import CheckScenario
from .command import current
from .compare_results import CompareResults
from .program import SETTING
from .resume_run import ResumeRun
from .run_flood import RunFlood
from .run_study import RunStudy

ALGORITHMS = (RunFlood, CheckScenario, ResumeRun, RunStudy, CompareResults, AnimateSeries)


class InundateProvider(QgsProcessingProvider):
    """Provider of the algorithms that run the program."""

    def id(self):
        return "inundate"

    def name(self):
        return "inundate"

    def longName(self):
        return "inundate flood model"

    def icon(self):
        return QIcon(os.path.join(os.path.dirname(__file__), "icon.svg"))

    def load(self):
        about = "Program (empty: found on the PATH)"
        ProcessingConfig.settingIcons[self.name()] = self.icon()
        ProcessingConfig.addSetting(Setting(self.name(), SETTING, about, "", valuetype=Setting.FILE))
        ProcessingConfig.readSettings()
        self.refreshAlgorithms()
        return True

    def unload(self):
        ProcessingConfig.removeSetting(SETTING)

    def loadAlgorithms(self):
        if current() is None:
            text = (
                "there are no algorithms: the program inundate was not found, and the plugin has no copy of its options; "
                "install the program, or set its path in Settings > Options > Processing > Providers > inundate"
            )
            QgsMessageLog.logMessage(text, "inundate", Qgis.Warning)
            return
        for algorithm in ALGORITHMS:
            self.addAlgorithm(algorithm())
