"""The provider `inundate` of Processing algorithms, and its setting: the path of the program."""

import os

from processing.core.ProcessingConfig import ProcessingConfig, Setting
from qgis.core import QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from .check_scenario import CheckScenario
from .program import SETTING
from .run_flood import RunFlood


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
        self.addAlgorithm(RunFlood())
        self.addAlgorithm(CheckScenario())
