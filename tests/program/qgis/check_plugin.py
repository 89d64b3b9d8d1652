#!/usr/bin/python3
"""Runs the Processing algorithms of the plugin in QGIS, without a display: a flood, the check of a scenario, a study, a
comparison, an animation, a resumed run, wrong input, a run that is cancelled; adds results to a map; and opens the dialogs.

    INUNDATE=path/to/inundate check_plugin.py DEM.tif SOURCES FOLDER [PICTURES]
"""
import json
import re
import shutil
import subprocess
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path += ["/usr/share/qgis/python/plugins", os.path.join(here, "../../../data/qgis_plugin")]

from qgis.core import (QgsApplication, QgsCoordinateReferenceSystem, QgsFeature, QgsFeatureRequest, QgsGeometry,
                       QgsProcessingAlgRunnerTask, QgsProcessingContext, QgsProcessingException, QgsProcessingFeatureSourceDefinition,
                       QgsProcessingFeedback, QgsProcessingOutputLayerDefinition, QgsProcessingParameterDefinition,
                       QgsProject, QgsRasterLayer, QgsVectorFileWriter, QgsVectorLayer)
from qgis.PyQt.QtWidgets import QGroupBox, QLabel, QLineEdit, QMenu, QPlainTextEdit, QScrollArea

COMMANDS = {"run", "check", "resume", "study", "compare", "animate"}
# Options that the plugin sets itself: how it reads results, and what QGIS's own dialogs ask.
OWN = {"json", "quiet"}


class Feedback(QgsProcessingFeedback):
    """Feedback that records the progress, and cancels at the first progress if requested."""

    def __init__(self, cancels=False):
        super().__init__(False)
        self.steps = []
        self.progressChanged.connect(self.steps.append)
        if cancels:
            self.progressChanged.connect(lambda progress: self.cancel())


class Caller:
    """Calls algorithms in a project, as Processing does."""

    def __init__(self, project):
        self.project = project

    def algorithm(self, name):
        return QgsApplication.processingRegistry().createAlgorithmById(f"inundate:{name}")

    def names(self, name):
        """Returns the names of an algorithm's parameters."""
        algorithm = self.algorithm(name)
        return {parameter.name() for parameter in algorithm.parameterDefinitions()}

    def call(self, name, parameters, feedback=None):
        context = QgsProcessingContext()
        context.setProject(self.project)
        algorithm = self.algorithm(name)
        feedback = feedback or Feedback()
        good, why = algorithm.checkParameterValues(parameters, context)
        assert good, why
        results, ok = algorithm.run(parameters, context, feedback, {}, False)
        assert ok, feedback.textLog()
        return results, feedback.textLog()

    def refused(self, name, parameters, feedback=None):
        """Returns the message of an algorithm about invalid input."""
        try:
            self.call(name, parameters, feedback)
        except QgsProcessingException as error:
            return str(error)
        raise AssertionError("it was not refused")

    def unacceptable(self, name, parameters):
        """Returns the message of a dialog about its parameters."""
        context = QgsProcessingContext()
        context.setProject(self.project)
        good, why = self.algorithm(name).checkParameterValues(parameters, context)
        assert not good
        return why


def program(*arguments):
    ran = subprocess.run([os.environ["INUNDATE"], *arguments], capture_output=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def check_options(caller):
    """Checks that every option of the program has a parameter, in its group and with its description."""
    schema = json.loads(program("schema"))["properties"]
    keys = {key for key, value in schema.items() if not value.get("deprecated")} - OWN
    assert len(keys) > 80
    run = caller.algorithm("run")
    definitions = {parameter.name(): parameter for parameter in run.parameterDefinitions()}
    missing = {key for key in keys if key.upper() not in definitions}
    assert not missing, missing
    advanced = QgsProcessingParameterDefinition.FlagAdvanced
    for key in keys - {"out"}:
        parameter = definitions[key.upper()]
        # The schema's first sentence.
        assert schema[key]["description"].split("\n")[0] in parameter.help(), key
        is_advanced = bool(parameter.flags() & advanced)
        assert is_advanced == (key.upper() in run.groups) and is_advanced != (key in run.COMMON), key
    assert set(run.groups.values()) == {"Terrain", "Water", "Losses", "Time", "Solver", "Output", "Report", "Machine"}
    assert len(run.COMMON) == 10 and run.parameterDefinitions()[1].name() == "DEM"
    # A study has its own keys, and the scenario's for its base.
    study = caller.names("study")
    own = json.loads(program("schema", "--study"))["properties"]
    assert {key.upper() for key in own} <= study, study
    assert {key.upper() for key in keys - {"overwrite"}} <= study, study
    for command in COMMANDS:
        of_command = caller.names(command)
        flags = re.findall(r"^ +(?:-\w, )?--([\w-]+)", program(command, "--help"), re.M)
        of_dialogs = {"overwrite", "out"} if command != "run" else set()
        names = {flag.replace("-", "_") for flag in flags} - OWN - of_dialogs - {"help", "version"}
        assert {name.upper() for name in names} <= of_command, (command, names)
    kinds = {"DEM": "raster", "BUILDINGS": "source", "STRUCTURES": "source", "LINKS": "source", "SINKS": "raster", "LOGO": "file",
             "ROUGHNESS": "string", "ROUGHNESS_LAYER": "layer", "SOURCE": "string", "SOURCE_LAYERS": "multilayer",
             "SOLVER": "enum", "LAYERS": "enum", "SUBGRID": "number", "RAIN_FACTOR": "number", "KEEP_STATE": "boolean",
             "DURATION": "string", "NODATA": "string", "OUT": "folderDestination", "DAMAGE_CURVES": "file"}
    assert {name: definitions[name].type() for name in kinds} == kinds
    compare = caller.algorithm("compare")
    assert compare.parameterDefinition("CRS").type() == "crs"
    assert "(default: shallow-water)" in definitions["SOLVER"].description(), definitions["SOLVER"].description()
    assert definitions["LAYERS"].allowMultiple() and "max_velocity" in definitions["LAYERS"].options()


def check_dialogs(caller, pictures):
    """Opens each dialog: it shows each option once, in groups, and passes only what is set."""
    for command in sorted(COMMANDS):
        algorithm = caller.algorithm(command)
        dialog = algorithm.createCustomParametersWidget(None)
        dialog.resize(900, 1000)
        dialog.show()
        QgsApplication.processEvents()
        if pictures:
            dialog.grab().save(os.path.join(pictures, f"{command}.png"))
        panel = dialog.mainWidget()
        boxes = {box.title() for box in panel.findChildren(QGroupBox)}
        assert set(algorithm.groups.values()) - {"Options"} <= boxes, boxes
        for box in panel.findChildren(QGroupBox):
            box.setProperty("collapsed", False)
        QgsApplication.processEvents()
        content = panel.findChild(QScrollArea).widget()
        for _ in range(3):
            content.adjustSize()
            QgsApplication.processEvents()
        for name, wrapper in panel.wrappers.items():
            hidden = name.endswith("_LAYER") or name.endswith("_LAYERS")
            assert wrapper.wrappedWidget().isVisibleTo(content) != hidden, (command, name)
        if pictures:
            content.grab().save(os.path.join(pictures, f"{command}_all.png"))
        dialog.close()
    dialog = caller.algorithm("run").createCustomParametersWidget(None)
    panel = dialog.mainWidget()
    duration = panel.wrappers["DURATION"].wrappedWidget()
    assert isinstance(duration, QLineEdit) and duration.placeholderText() == "such as 6h"
    # The menu beside a text offers words, layers and files.
    for name, layer in (("SOURCE", "scratch source"), ("ROUGHNESS", "terrain")):
        edit = panel.wrappers[name].wrappedWidget()
        menu = edit.parent().findChild(QMenu)
        menu.aboutToShow.emit()
        actions = {action.text(): action for action in menu.actions()}
        assert layer in actions and "Choose a file…" in actions, actions
        actions[layer].trigger()
        text = edit.toPlainText() if isinstance(edit, QPlainTextEdit) else edit.text()
        assert caller.project.mapLayer(text).name() == layer, text
    menu = panel.wrappers["OPEN"].wrappedWidget().parent().findChild(QMenu)
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "all").trigger()
    given = dialog.createProcessingParameters()
    given = {key: value for key, value in given.items() if value not in (None, "", [], False)}
    assert given.pop("OPEN") == "all" and set(given) == {"SOURCE", "ROUGHNESS", "ADD", "OUT"}, given
    labels = {label.text() for label in panel.findChildren(QLabel)}
    assert "Manning's n in s/m^(1/3) (default: 0.035) [optional]" in labels, labels


def check_scenario_used(results, expected):
    """Checks that the saved scenario repeats the run on the command line, with the same result."""
    path = results["SCENARIO_USED"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert path.endswith("/scenario.toml") and "--overwrite" in text.splitlines()[1], text
    for line in expected:
        assert f"\n{line}\n" in text, f"no {line} in:\n{text}"
    with open(results["DEPTH"], "rb") as file:
        before = file.read()
    program("run", path, "--overwrite", "-q")
    with open(results["DEPTH"], "rb") as file:
        assert file.read() == before
    return text


def lines(wkts, **fields):
    """Returns a layer of lines that has no file."""
    columns = "".join(f"&field={name}:{'string' if isinstance(value, str) else 'double'}" for name, value in fields.items())
    layer = QgsVectorLayer(f"LineString?crs=EPSG:32633{columns}", "scratch", "memory")
    for wkt in wkts:
        feature = QgsFeature(layer.fields())
        feature.setGeometry(QgsGeometry.fromWkt(wkt))
        feature.setAttributes(list(fields.values()))
        layer.dataProvider().addFeature(feature)
    return layer


def main(dem, sources, folder, pictures=None):
    # With windows, for the dialogs.
    app = QgsApplication([], True)
    app.initQgis()
    from processing.core.Processing import Processing
    Processing.initialize()
    import inundate
    plugin = inundate.classFactory(None)
    plugin.initProcessing()
    provider = QgsApplication.processingRegistry().providerById("inundate")
    assert {algorithm.name() for algorithm in provider.algorithms()} == COMMANDS
    project = QgsProject.instance()
    caller = Caller(project)
    check_options(caller)

    out = os.path.join(folder, "out of QGIS")
    flood = {"DEM": dem, "RAIN": "40 mm/h", "DURATION": "10min", "OUTPUT_EVERY": "5 min", "SOURCE": sources, "OPEN": "all",
             "OUT": out}
    # Checking needs no folder.
    results, log = caller.call("check", {key: value for key, value in flood.items() if key != "OUT"})
    assert "bed " in results["REPORT"] and not os.path.exists(out), results
    feedback = Feedback()
    results, log = caller.call("run", flood, feedback)
    assert os.path.isfile(results["MAX_DEPTH"]) and "error" in log and "0 m³ exactly" in log, log
    assert "wet_cells" not in log and feedback.steps[-1] == 100, (feedback.steps, log)
    tree = project.layerTreeRoot().findGroup("out of QGIS")
    groups = [group.name() for group in tree.children()]
    assert groups[:4] + groups[-1:] == ["Features", "Inputs", "Results", "Water depth, series", "Terrain"], groups
    assert len(groups) == 6 and groups[4].startswith("Basemap"), groups
    series = [node.layer().temporalProperties() for node in tree.findGroup("Water depth, series").findLayers()]
    assert len(series) == 2 and all(time.isActive() for time in series)
    assert all(layer.isValid() for layer in project.mapLayers().values())
    assert not project.timeSettings().temporalRange().isInfinite()
    expected = ['dem = "../\\"dem\\".tif"', 'rain = "40 mm/h"', 'source = ["../spring.gpkg"]', 'out = "."']
    text = check_scenario_used(results, expected)
    assert "overwrite = " not in text and "wall" not in text, text
    assert "--overwrite" in caller.refused("run", flood)
    # A file of the user's own is kept.
    own = "# mine\n" + text
    with open(results["SCENARIO_USED"], "w", encoding="utf-8") as file:
        file.write(own)
    # Layers without a file, as text by their id and as layers; some features of one; a setting of each kind. They are
    # copied to the folder, and the results are not added to the map.
    layer = QgsVectorLayer(sources, "sources", "ogr").materialize(QgsFeatureRequest())
    layer.setName("scratch source")
    walls = lines(["LINESTRING(500105 4999955, 500105 4999805)", "LINESTRING(500305 4999955, 500305 4999805)"], height=2.0)
    walls.selectByIds([1])
    weir = lines(["LINESTRING(500205 4999955, 500205 4999755)"], kind="weir", height=0.2)
    terrain = QgsRasterLayer(dem, "terrain")
    for added in (layer, walls, weir, terrain):
        project.addMapLayer(added)
    before = len(project.mapLayers())
    settings = {"LAYERS": ["depth", "max_velocity"], "SOLVER": "inertial", "ORDER": 1, "RAIN_FACTOR": 0.5, "KEEP_STATE": True,
                "INITIAL_LOSS": "2 mm", "GAUGES": "500105,4999855,a\n500205,4999855,b", "SUBGRID": None, "TITLE": "\"R&D\" \\ 1",
                "RATING": "", "NODATA": "-9999", "INFILTRATION": "horton", "HORTON_FIRST": "9 mm/h", "HORTON_LAST": "3 mm/h",
                "HORTON_DECAY": "2 1/h"}
    given = dict(flood, **settings, DEM=terrain.id(), SOURCE=layer.id(), SOURCE_LAYERS=[layer.id()],
                 WALLS=QgsProcessingFeatureSourceDefinition(walls.id(), True), STRUCTURES=weir.id(), OVERWRITE=True, ADD=False)
    results, log = caller.call("run", given)
    assert len(project.mapLayers()) == before
    with open(os.path.join(out, "scenario.toml"), encoding="utf-8") as file:
        assert file.read() == own
    os.remove(os.path.join(out, "scenario.toml"))
    shutil.move(results["SCENARIO_USED"], os.path.join(out, "scenario.toml"))
    results["SCENARIO_USED"] = os.path.join(out, "scenario.toml")
    with open(os.path.join(out, "run.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert len(report["structures"]) == 1 and len(report["gauges"]) == 2 and report["rule"] == "inertial", report
    expected = ['walls = "./inputs/walls.gpkg"', 'source = ["./inputs/source.gpkg", "./inputs/source_2.gpkg"]',
                'structures = "./inputs/structures.gpkg"', "keep_state = true", "rain_factor = 0.5", 'solver = "inertial"',
                'gauges = ["500105,4999855,a", "500205,4999855,b"]', 'title = "\\"R&D\\" \\\\ 1"']
    text = check_scenario_used(results, expected)
    assert "rating" not in text and "subgrid" not in text, text
    copied = QgsVectorLayer(os.path.join(out, "inputs", "walls.gpkg"), "walls", "ogr")
    assert copied.featureCount() == 1

    said = caller.refused("run", dict(flood, RAIN="40", OVERWRITE=True))
    assert said.startswith("rain: '40' has no unit\n  hint: "), said
    assert "no_such" in caller.refused("check", dict(flood, ROUGHNESS="no_such.tif"))
    # A temporary folder, with a copy of a layer; a layer by its name.
    results, log = caller.call("run", dict(flood, OUT="TEMPORARY_OUTPUT", SOURCE="scratch source", ADD=False))
    temporary = [os.path.dirname(path) for path in (results["MAX_DEPTH"], results["SCENARIO_USED"])]
    assert temporary == [results["OUT"]] * 2 and os.path.isfile(os.path.join(results["OUT"], "inputs", "source.gpkg"))
    # A CRS that was changed in QGIS: of a vector layer it goes into a copy; a raster is refused.
    moved = QgsVectorLayer(sources, "moved", "ogr")
    moved.setCrs(QgsCoordinateReferenceSystem("EPSG:32634"))
    project.addMapLayer(moved)
    said = caller.refused("check", dict(flood, SOURCE=moved.id()))
    assert "source" in said and "outside" in said, said
    terrain.setCrs(QgsCoordinateReferenceSystem("EPSG:32634"))
    said = "".join(failed(caller, "check", dict(flood, DEM=terrain.id())))
    assert "dem: the CRS of the layer 'terrain'" in said, said
    terrain.setCrs(terrain.dataProvider().crs())
    # One table of a file with several.
    two = os.path.join(folder, "two.gpkg")
    shutil.copy(sources, two)
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.layerName, options.actionOnExistingFile = "other", QgsVectorFileWriter.CreateOrOverwriteLayer
    QgsVectorFileWriter.writeAsVectorFormatV3(walls, two, project.transformContext(), options)
    results, log = caller.call("check", dict(flood, SOURCE="", WALLS=f"{two}|layername=other"))
    assert "--walls=" in log and two not in log, log
    # A CSV of structures, as a file and as a layer of delimited text, which has no geometries.
    structures = os.path.join(folder, "structures.csv")
    with open(structures, "w", encoding="utf-8") as file:
        file.write("x1,y1,x2,y2,kind,height\n500205,4999955,500205,4999755,weir,0.2\n")
    delimited = QgsVectorLayer(f"file://{structures}?type=csv&geomType=none".replace(" ", "%20"), "weirs", "delimitedtext")
    project.addMapLayer(delimited)
    for given in (structures, delimited.id()):
        results, log = caller.call("check", dict(flood, STRUCTURES=given))
        assert f"--structures={structures}" in log, log
    # A refused run leaves no copies of layers behind.
    copies = sorted(os.listdir(os.path.join(out, "inputs")))
    caller.refused("run", dict(flood, SOURCE_LAYERS=[layer.id()], RAIN="40", OVERWRITE=True))
    assert sorted(os.listdir(os.path.join(out, "inputs"))) == copies
    caller.refused("run", dict(flood, SOURCE_LAYERS=[layer.id()], RAIN="40", OUT=os.path.join(folder, "refused")))
    assert not os.path.exists(os.path.join(folder, "refused"))
    assert "ROUGHNESS_LAYER are both set" in caller.unacceptable("run", dict(flood, ROUGHNESS="0.05", ROUGHNESS_LAYER=terrain.id()))

    check_dialogs(caller, pictures)
    check_other_commands(caller, flood, folder, out, layer)

    slow = os.path.join(folder, "slow")
    feedback = Feedback(cancels=True)
    parameters = dict(flood, DURATION="900h", OUTPUT_EVERY="900h", OUT=slow)
    assert "cancelled" in caller.refused("run", parameters, feedback)
    assert os.listdir(slow) == [], os.listdir(slow)
    assert feedback.steps and 0 < feedback.steps[-1] < 100, feedback.steps
    # With checkpoints, a cancelled run can be resumed, with its copies of layers: here, until it is cancelled again.
    scratch = dict(parameters, CHECKPOINT_EVERY="1 s", SOURCE=layer.id())
    assert "resume" in caller.refused("run", scratch, Feedback(cancels=True))
    feedback = Feedback(cancels=True)
    assert "cancelled" in caller.refused("resume", {"OUT": slow}, feedback)
    assert "going on at" in feedback.textLog(), feedback.textLog()

    # Without the program and a packaged copy of its options, there are no algorithms; with the copy there are.
    description = sys.modules["inundate.description"]
    program_path, os.environ["INUNDATE"] = os.environ["INUNDATE"], "/nowhere/inundate"
    assert "/nowhere/inundate" in caller.refused("run", flood)
    provider.refreshAlgorithms()
    assert os.path.exists(description.PACKAGED) or not provider.algorithms()
    description.PACKAGED = os.path.join(folder, "description.json")
    with open(description.PACKAGED, "w", encoding="utf-8") as file:
        json.dump(description.texts(program_path), file)
    provider.refreshAlgorithms()
    assert {algorithm.name() for algorithm in provider.algorithms()} == COMMANDS
    assert "/nowhere/inundate" in caller.refused("run", flood)
    plugin.unload()
    print("the plugin offers all options, runs, checks, studies, compares, animates, resumes, refuses and cancels")


def check_other_commands(caller, flood, folder, out, layer):
    """Runs a study, a comparison and an animation."""
    project = caller.project
    target = os.path.join(folder, "study of QGIS")
    # The base as a scenario file; a folder of relative paths; a matrix and a single run.
    with open(os.path.join(folder, "base.toml"), "w", encoding="utf-8") as file:
        file.write(f"dem = {json.dumps(flood['DEM'])}\nduration = '5 min'\n")
    study = {"BASE": os.path.join(folder, "base.toml"), "MATRIX": ["rain", "20 mm/h; 60 mm/h", "order", "1; []"], "OUT": target,
             "RUN": ["one", "", "", "rain = 90 mm/h; steps = []"], "PERCENTILES": "10, 90", "DEPTHS": "0.1 m; 5 cm"}
    results, log = caller.call("study", study)
    assert os.path.isfile(results["PROJECT"]) and "[5/5]" in log and '"runs"' not in log, log
    assert project.layerTreeRoot().findGroup("study of QGIS").findLayers()
    with open(os.path.join(target, "study.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["percentiles"] == [10, 90] and report["depths_m"] == [0.05, 0.1] and len(report["runs"]) == 5, report
    assert report["runs"][4]["name"] == "one", report["runs"]
    assert "5 are done already" in subprocess.run([os.environ["INUNDATE"], "study", results["STUDY_USED"]], capture_output=True,
                                                  encoding="utf-8").stderr
    # The base from the dialog, with a layer without a file; and the study file again.
    base = {"DEM": flood["DEM"], "DURATION": "5 min", "SOURCE_LAYERS": [layer.id()], "THREADS": 1, "LOCAL_METRES": False}
    results, log = caller.call("study", dict(base, MATRIX=["rain", "['20 mm/h', {value = '60 mm/h', name = 'T9'}]"], OUT=target, ADD=False))
    with open(results["STUDY_USED"], encoding="utf-8") as file:
        text = file.read()
    assert 'source = ["./inputs/source.gpkg"]' in text and "threads = 1" in text and "local" not in text, text
    results, log = caller.call("study", {"STUDY": results["STUDY_USED"], "DRY_RUN": True, "OUT": target})
    assert "T9" in log and "PROJECT" not in results, log
    assert "nothing varies" in caller.unacceptable("study", dict(base, OUT=target, MATRIX=[None]))
    assert "no folder" in caller.unacceptable("study", dict(study, OUT=""))
    assert "a study file and BASE" in caller.unacceptable("study", dict(study, STUDY="a.toml"))
    assert "base scenario file and DEM" in caller.unacceptable("study", dict(study, DEM=flood["DEM"]))
    assert "key = value" in "".join(failed(caller, "study", dict(study, RUN=["one", "", "", "rain 90"])))

    difference = os.path.join(folder, "difference.tif")
    runs = [os.path.join(target, "runs", name) for name in sorted(os.listdir(os.path.join(target, "runs")))]
    compare = {"RESULT": runs[0], "WITH": runs[-1], "THRESHOLD": "0.01\n0.1", "DIFFERENCE": difference}
    results, log = caller.call("compare", compare)
    assert "0.01 m" in results["REPORT"] and "cells compared" in log and results["DIFFERENCE"] == difference
    assert QgsRasterLayer(difference).isValid()
    # In another thread, as from a dialog: the map is added to the project.
    context, feedback, ended = QgsProcessingContext(), Feedback(), []
    context.setProject(project)
    output = QgsProcessingOutputLayerDefinition(difference, project)
    algorithm = caller.algorithm("compare")
    task = QgsProcessingAlgRunnerTask(algorithm, dict(compare, DIFFERENCE=output), context, feedback)
    task.executed.connect(lambda good, results: ended.append(good))
    QgsApplication.taskManager().addTask(task)
    while not ended:
        QgsApplication.processEvents()
    assert ended == [True] and context.willLoadLayerOnCompletion(difference), feedback.textLog()
    added = QgsRasterLayer(difference, "difference", "gdal", QgsRasterLayer.LayerOptions(False))
    assert added.renderer().type() == "singlebandgray"
    context.layerToLoadOnCompletionDetails(difference).postProcessor().postProcessLayer(added, context, feedback)
    assert added.renderer().type() == "singlebandpseudocolor"
    raster = QgsRasterLayer(os.path.join(runs[0], "max_depth.tif"), "result")
    project.addMapLayer(raster)
    caller.call("compare", dict(compare, RESULT="", RESULT_LAYER=raster.id(), WITH="", WITH_LAYER=raster.id()))

    animation = os.path.join(folder, "flood.gif")
    caller.call("run", dict(flood, OVERWRITE=True, ADD=False))
    results, log = caller.call("animate", {"OUT": out, "TO": animation, "RATE": 2})
    assert results["TO"] == animation and os.path.getsize(animation) > 100


def failed(caller, name, parameters):
    """Returns the log of an algorithm that fails while it prepares."""
    context, feedback = QgsProcessingContext(), Feedback()
    context.setProject(caller.project)
    results, ok = caller.algorithm(name).run(parameters, context, feedback, {}, True)
    assert not ok
    return feedback.textLog()


if __name__ == "__main__":
    main(*sys.argv[1:])
