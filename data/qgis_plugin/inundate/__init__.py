"""The QGIS plugin of inundate: its flood model as Processing algorithms."""


def classFactory(iface):
    """Creates the plugin; called by QGIS."""
    from .plugin import InundatePlugin

    return InundatePlugin()
