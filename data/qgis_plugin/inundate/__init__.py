"""The QGIS plugin of inundate: its flood model as Processing algorithms."""


def classFactory(iface):
    """The plugin, as QGIS asks for it."""
    from .plugin import InundatePlugin

    return InundatePlugin()
