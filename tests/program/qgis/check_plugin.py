#!/usr/bin/python3
"""Runs the Processing algorithms of the plugin in QGIS, without a display: a flood, the check of a scenario, wrong
input, a run that is cancelled; and adds results to a map.

    INUNDATE=path/to/inundate check_plugin.py DEM.tif SOURCES FOLDER
"""
import os
import sys
import threading

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path += ["/usr/share/qgis/python/plugins", os.path.join(here, "../../../data/qgis_plugin")]

from qgis.core import (QgsApplication, QgsFeatureRequest, QgsProcessingContext, QgsProcessingException,
                       QgsProcessingFeedback, QgsProject, QgsVectorLayer)


def refused(run, parameters):
    """Returns the message of an algorithm about invalid input."""
    try:
        run(parameters)
    except QgsProcessingException as error:
        return str(error)
    raise AssertionError("it was not refused")


def main(dem, sources, folder):
    app = QgsApplication([], False)
    app.initQgis()
    from processing.core.Processing import Processing
    Processing.initialize()
    import inundate
    plugin = inundate.classFactory(None)
    plugin.initProcessing()
    registry = QgsApplication.processingRegistry()
    names = {algorithm.id() for algorithm in registry.providerById("inundate").algorithms()}
    assert names == {"inundate:run", "inundate:check"}, names
    project = QgsProject.instance()

    def call(name, parameters, feedback=None):
        context = QgsProcessingContext()
        context.setProject(project)
        algorithm = registry.createAlgorithmById(name)
        feedback = feedback or QgsProcessingFeedback(False)
        assert algorithm.checkParameterValues(parameters, context)[0], algorithm.checkParameterValues(parameters, context)
        results, ok = algorithm.run(parameters, context, feedback, {}, False)
        assert ok
        return results, feedback.textLog()

    out = os.path.join(folder, "out of QGIS")
    flood = {"DEM": dem, "RAIN": "40 mm/h", "DURATION": "10min", "OUTPUT_EVERY": "5 min", "SOURCES": sources, "OPEN": "all",
             "OUT": out}
    # Checking needs no folder.
    results, log = call("inundate:check", {key: value for key, value in flood.items() if key != "OUT"})
    assert "bed " in results["REPORT"] and not os.path.exists(out), results
    results, log = call("inundate:run", flood)
    assert os.path.isfile(results["MAX_DEPTH"]) and "error" in log and "0 m³ exactly" in log, log
    tree = project.layerTreeRoot().findGroup("out of QGIS")
    groups = [group.name() for group in tree.children()]
    assert groups[:3] + groups[-1:] == ["Inputs", "Results", "Water depth, series", "Terrain"], groups
    assert len(groups) == 5 and groups[3].startswith("Basemap"), groups
    series = [node.layer().temporalProperties() for node in tree.findGroup("Water depth, series").findLayers()]
    assert len(series) == 2 and all(time.isActive() for time in series)
    assert all(layer.isValid() for layer in project.mapLayers().values())
    assert not project.timeSettings().temporalRange().isInfinite()
    assert "--overwrite" in refused(lambda p: call("inundate:run", p), flood)
    # A memory layer, written again to the folder, and not added to the map.
    layer = QgsVectorLayer(sources, "sources", "ogr").materialize(QgsFeatureRequest())
    project.addMapLayer(layer)
    before = len(project.mapLayers())
    call("inundate:run", dict(flood, SOURCES=layer.id(), OVERWRITE=True, ADD=False))
    assert len(project.mapLayers()) == before

    said = refused(lambda p: call("inundate:run", p), dict(flood, RAIN="40", OVERWRITE=True))
    assert said.startswith("rain: '40' has no unit\n  hint: "), said
    assert "--overwite" in refused(lambda p: call("inundate:check", p), dict(DEM=dem, FLAGS="--overwite"))

    slow = os.path.join(folder, "slow")
    feedback = QgsProcessingFeedback(False)
    threading.Timer(2, feedback.cancel).start()
    parameters = dict(flood, DURATION="90000h", OUTPUT_EVERY="90000h", OUT=slow)
    assert "cancelled" in refused(lambda p: call("inundate:run", p, feedback), parameters)
    assert os.listdir(slow) == [], os.listdir(slow)

    os.environ["INUNDATE"] = "/nowhere/inundate"
    assert "/nowhere/inundate" in refused(lambda p: call("inundate:run", p), flood)
    plugin.unload()
    print("the plugin runs, checks, refuses and cancels")


if __name__ == "__main__":
    main(*sys.argv[1:])
