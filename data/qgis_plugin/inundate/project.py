"""Adds the results of a run or a study to the open project."""

import os

from qgis.core import QgsLayerTreeLayer, QgsProject, QgsRasterLayer


def copy(layer):
    """Clones a layer with its temporal properties, which QGIS does not copy."""
    twin = layer.clone()
    if isinstance(layer, QgsRasterLayer) and layer.temporalProperties().isActive():
        times = twin.temporalProperties()
        times.setMode(layer.temporalProperties().mode())
        times.setFixedTemporalRange(layer.temporalProperties().fixedTemporalRange())
        times.setIsActive(True)
    return twin


def add_results(project, file):
    """Adds the groups of a run's project, with their layers, styles and times, to another project."""
    results = QgsProject()
    if not results.read(file):
        return
    name = os.path.basename(os.path.dirname(file))
    top = project.layerTreeRoot().insertGroup(0, name)
    for group in results.layerTreeRoot().children():
        into = top.addGroup(group.name())
        for node in group.findLayers():
            layer = copy(node.layer())
            project.addMapLayer(layer, False)
            added = QgsLayerTreeLayer(layer)
            added.setItemVisibilityChecked(node.itemVisibilityChecked())
            added.setExpanded(node.isExpanded())
            into.addChildNode(added)
        into.setIsMutuallyExclusive(group.isMutuallyExclusive())
        into.setItemVisibilityChecked(group.itemVisibilityChecked())
        into.setExpanded(group.isExpanded())
    if project.timeSettings().temporalRange().isInfinite():
        times = results.timeSettings()
        project.timeSettings().setTemporalRange(times.temporalRange())
        project.timeSettings().setTimeStep(times.timeStep())
        project.timeSettings().setTimeStepUnit(times.timeStepUnit())
