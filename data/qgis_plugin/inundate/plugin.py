"""The plugin: nothing but its Processing provider."""

from qgis.core import QgsApplication

from .provider import InundateProvider


class InundatePlugin:
    """Adds the provider to Processing, and takes it away again."""

    def __init__(self):
        self.provider = None

    def initProcessing(self):
        """Called by qgis_process, which has no windows."""
        self.provider = InundateProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        QgsApplication.processingRegistry().removeProvider(self.provider)
