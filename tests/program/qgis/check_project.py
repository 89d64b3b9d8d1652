#!/usr/bin/python3
"""Opens a project that `inundate run` wrote in QGIS, without a display, and asserts that it is sound:
QGIS reports no problems, layers are valid, at the place of the DEM, labelled and styled, and every frame
of the animation has one map. Draws the project, its themes and its frames into a folder.

    QT_QPA_PLATFORM=offscreen /usr/bin/python3 check_project.py PROJECT.qgs [PICTURES]
"""
import os
import sys

from qgis.core import (Qgis, QgsApplication, QgsInterval, QgsLayoutExporter, QgsLayoutItemLabel,
                       QgsLayoutItemLegend, QgsLayoutItemMap, QgsLayoutItemPicture, QgsLayoutItemScaleBar,
                       QgsMapRendererParallelJob, QgsMapSettings, QgsProject, QgsRasterLayer,
                       QgsTemporalNavigationObject)
from qgis.PyQt.QtCore import QSize

SERIES = ", series"
UNITS = ("m", "h", "steps", "m/s", "m2/s", "m²/s", "m above datum", "1", "")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
complaints = []


def listen(message, tag, level):
    if level not in (Qgis.Info, Qgis.Success):
        complaints.append(f"{tag}: {message}")


def draw(project, layers, picture=None, moments=None):
    """Draws the layers, at the given times if any."""
    settings = QgsMapSettings()
    settings.setLayers(layers)
    settings.setDestinationCrs(project.crs())
    extent = project.viewSettings().defaultViewExtent()
    settings.setExtent(extent)
    settings.setOutputSize(QSize(1000, max(200, int(1000 * extent.height() / extent.width()))))
    if moments is not None:
        settings.setIsTemporal(True)
        settings.setTemporalRange(moments)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    assert not job.errors(), [error.message for error in job.errors()]
    image = job.renderedImage()
    if picture:
        image.save(picture)
    colours = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 1, f"{picture or 'the map'} is blank"


def check_layers(project):
    for layer in project.mapLayers().values():
        name = layer.name()
        assert layer.isValid(), f"{name} is not valid: {layer.error().summary()}"
        if not isinstance(layer, QgsRasterLayer):
            continue
        assert layer.crs() == project.crs(), f"{name} has {layer.crs().authid()}"
        assert project.viewSettings().defaultViewExtent().contains(layer.extent()), f"{name} lies elsewhere"
        group = project.layerTreeRoot().findLayer(layer).parent().name()
        if group.startswith("Terrain"):
            continue
        provider = layer.dataProvider()
        assert provider.sourceHasNoDataValue(1) and provider.sourceNoDataValue(1) == -9999.0, name
        assert layer.renderer().type() == "singlebandpseudocolor", f"{name} has no style"
        if group.startswith("Runs"):
            continue
        description = layer.bandName(1).split(": ", 1)[1]
        assert description[0].upper() + description[1:] in name, f"'{description}' is not in '{name}'"
        # The unit is in the legend, and not in the title too.
        assert not any(unit and name.endswith(f" ({unit})") for unit in UNITS), name


def maps_of(root):
    """Returns the result group of a run, or the quantity groups of a study, which show one map at a time."""
    results = root.findGroup("Results")
    return [results] if results else [group for group in root.findGroups() if group.isMutuallyExclusive()]


def with_sheets(root):
    """Returns the maps with their own theme and layout: all maps of a run, and the first map of each quantity of a study."""
    names = [[node.layer().name() for node in group.findLayers()] for group in maps_of(root)]
    return [name for group, all in zip(maps_of(root), names) for name in (all[:1] if group.isMutuallyExclusive() else all)]


def check_sheets(project, pictures):
    """Checks that every map has a layout that can be exported, with nothing missing."""
    maps = with_sheets(project.layerTreeRoot())
    layouts = {layout.name(): layout for layout in project.layoutManager().printLayouts()}
    assert sorted(layouts) == sorted(maps), list(layouts)
    for number, (name, layout) in enumerate(layouts.items()):
        items = layout.items()
        kinds = [kind for kind in (QgsLayoutItemMap, QgsLayoutItemLegend, QgsLayoutItemScaleBar, QgsLayoutItemPicture)
                 if any(isinstance(item, kind) for item in items)]
        assert len(kinds) == 4, kinds
        assert sum(isinstance(item, QgsLayoutItemLabel) for item in items) == 3
        map = next(item for item in items if isinstance(item, QgsLayoutItemMap))
        assert map.followVisibilityPreset() and map.followVisibilityPresetName() == name
        assert map.extent().contains(project.viewSettings().defaultViewExtent())
        assert map.grid().enabled() and map.grid().annotationEnabled() and map.grid().intervalX() > 0
        for item in items:
            if isinstance(item, (QgsLayoutItemLegend, QgsLayoutItemScaleBar)):
                assert item.linkedMap() == map
            if isinstance(item, QgsLayoutItemLegend):
                tree = item.model().rootGroup()
                assert tree.findLayers() and all(node.layer() for node in tree.findLayers())
        if pictures:
            exporter = QgsLayoutExporter(layout)
            stem = os.path.join(pictures, f"sheet_{number + 1}")
            settings = QgsLayoutExporter.ImageExportSettings()
            settings.dpi = 110
            assert exporter.exportToImage(f"{stem}.png", settings) == QgsLayoutExporter.Success
            if number == 0:
                done = exporter.exportToPdf(f"{stem}.pdf", QgsLayoutExporter.PdfExportSettings())
                assert done == QgsLayoutExporter.Success


def check_groups(project):
    root = project.layerTreeRoot()
    groups = [child.name() for child in root.children()]
    maps = maps_of(root)
    assert groups.index(maps[-1].name()) < groups.index("Terrain") == len(groups) - 1, groups
    assert groups[-2].startswith("Basemap (drag one in") and not root.children()[-2].children(), groups
    for group in root.children():
        if group.name().endswith(SERIES):
            assert not group.isExpanded() and not group.isVisible(), f"{group.name()} is in the way"
    shown = [node for group in maps for node in group.findLayers() if node.isVisible()]
    assert len(shown) == 1, "one result at a time"


def check_times(project):
    """Checks that time ranges of a series ascend without gaps or overlaps, with one map per frame. Returns the frames."""
    series = [group for group in project.layerTreeRoot().children() if group.name().endswith(SERIES)]
    timed = [[node.layer().temporalProperties() for node in group.findLayers()] for group in series]
    if not any(time.isActive() for times in timed for time in times):
        assert project.timeSettings().temporalRange().isInfinite()
        return []
    whole = project.timeSettings().temporalRange()
    for times in timed:
        assert all(time.isActive() for time in times)
        ranges = [time.fixedTemporalRange() for time in times]
        assert whole.contains(ranges[0]) and whole.contains(ranges[-1])
        for before, after in zip(ranges, ranges[1:]):
            gap = before.end().msecsTo(after.begin())
            assert before.begin() < before.end() and 0 < gap <= 2000, (before.end(), after.begin())
    player = QgsTemporalNavigationObject()
    player.setTemporalExtents(whole)
    settings = project.timeSettings()
    player.setFrameDuration(QgsInterval(settings.timeStep(), settings.timeStepUnit()))
    frames = [player.dateTimeRangeForFrameNumber(number) for number in range(player.totalFrameCount())]
    # The last frame may start only at the end.
    frames = [frame for frame in frames if frame.begin() < whole.end()]
    for frame in frames:
        for times in timed:
            found = sum(time.isVisibleInTemporalRange(frame) for time in times)
            assert found == 1, f"{found} maps at {frame.begin().toString()}"
    return frames


def main(path, pictures=None):
    app = QgsApplication([], False)
    app.initQgis()
    app.messageLog().messageReceived.connect(listen)
    project = QgsProject.instance()
    assert project.read(path), project.error()
    check_layers(project)
    check_groups(project)
    frames = check_times(project)
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    named = lambda name: pictures and os.path.join(pictures, f"{name}.png".replace(" ", "_").replace("/", "_"))
    root = project.layerTreeRoot()
    draw(project, [layer for layer in root.layerOrder() if root.findLayer(layer).isVisible()], named("opened"))
    themes = project.mapThemeCollection()
    results = with_sheets(root)
    series = [group.name() for group in root.children() if group.name().endswith(SERIES)]
    assert sorted(themes.mapThemes()) == sorted(results + series), "each map and each series is a theme of its own"
    for theme in themes.mapThemes():
        layers = themes.mapThemeVisibleLayers(theme)
        assert any(layer.name() == "Hillshade" for layer in layers), theme
        if theme.endswith(SERIES) and frames:
            for number, frame in enumerate(frames):
                draw(project, layers, named(f"{theme} {number + 1}"), frame)
        else:
            draw(project, layers, named(theme))
    check_sheets(project, pictures)
    assert not complaints, complaints
    layers = len(project.mapLayers())
    print(f"{layers} layers, {len(themes.mapThemes())} themes, {len(frames)} frames in {project.crs().authid() or 'no CRS'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
