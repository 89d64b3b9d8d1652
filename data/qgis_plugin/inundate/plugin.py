"""The plugin, which only registers its Processing provider."""

from qgis.core import QgsApplication

from .provider import InundateProvider


class InundatePlugin:
    """Adds the provider to Processing, and removes it again."""

    def __init__(self):
        self.provider = None

    def initProcessing(self):
        """Initializes Processing only; called by qgis_process, which has no windows."""
        self.provider = InundateProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        QgsApplication.processingRegistry().removeProvider(self.provider)
