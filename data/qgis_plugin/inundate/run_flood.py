"""The algorithm `inundate:run`."""

import json
import os

from qgis.core import (
    QgsLayerTreeLayer,
    QgsProcessingOutputFile,
    QgsProcessingOutputRasterLayer,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFolderDestination,
    QgsProject,
    QgsRasterLayer,
)

from .scenario import ScenarioAlgorithm

OUT = "OUT"
OVERWRITE = "OVERWRITE"
ADD = "ADD"
PROJECT = "PROJECT"
RASTERS = [
    ("MAX_DEPTH", "max_depth.tif", "Maximum depth"),
    ("ARRIVAL_TIME", "arrival_time.tif", "Arrival time"),
    ("DEPTH", "depth.tif", "Depth at the end"),
]


class RunFlood(ScenarioAlgorithm):
    """Runs a flood into a folder and adds its results to the map."""

    def __init__(self):
        super().__init__()
        self.project_file = None

    def name(self):
        return "run"

    def displayName(self):
        return "Run a flood"

    def shortHelpString(self):
        return (
            "Runs inundate: terrain and water go in, the depths, the maximum depth, when water arrives and more come "
            "out, in a folder with a QGIS project of its own.\n\n"
            "Either give the terrain, the water and the duration here, or a scenario file, or both. Quantities carry "
            "units, like '40 mm/h', '6h' or '0.5 m'. With 'A map every', the temporal controller plays the flood."
        )

    def initAlgorithm(self, config=None):
        self.add_scenario()
        overwrite = QgsProcessingParameterBoolean(OVERWRITE, "Replace earlier results in the folder", False)
        self.addParameter(overwrite)
        self.addParameter(QgsProcessingParameterBoolean(ADD, "Add the results to the map", True))
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, "Folder for the results"))
        self.addOutput(QgsProcessingOutputFile(PROJECT, "QGIS project"))
        for name, _, about in RASTERS:
            self.addOutput(QgsProcessingOutputRasterLayer(name, about))

    def processAlgorithm(self, parameters, context, feedback):
        out = self.parameterAsString(parameters, OUT, context)
        arguments = self.arguments(parameters, context, feedback) + [f"--out={out}"]
        if self.parameterAsBoolean(parameters, OVERWRITE, context):
            arguments.append("--overwrite")
        self.call("run", arguments, context, feedback)
        with open(os.path.join(out, "run.json"), encoding="utf-8") as report:
            written = json.load(report)["outputs"]
        results = {OUT: out}
        for name, file in [(PROJECT, "project.qgs")] + [(name, file) for name, file, _ in RASTERS]:
            if file in written:
                results[name] = os.path.join(out, file)
        if self.parameterAsBoolean(parameters, ADD, context):
            self.project_file = results.get(PROJECT)
        return results

    def postProcessAlgorithm(self, context, feedback):
        """Adds the results, in the main thread, where the project may be changed."""
        project = context.project()
        if self.project_file and project:
            add_results(project, self.project_file)
        return {}


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
        into.setItemVisibilityChecked(group.itemVisibilityChecked())
        into.setExpanded(group.isExpanded())
    if project.timeSettings().temporalRange().isInfinite():
        times = results.timeSettings()
        project.timeSettings().setTemporalRange(times.temporalRange())
        project.timeSettings().setTimeStep(times.timeStep())
        project.timeSettings().setTimeStepUnit(times.timeStepUnit())
