"""The dialog of an algorithm: advanced parameters in groups, and a menu of layers and files beside each text."""

from processing.gui.AlgorithmDialog import AlgorithmDialog
from processing.gui.ParametersPanel import ParametersPanel
from qgis.core import QgsMapLayerType, QgsProject
from qgis.gui import QgsCollapsibleGroupBox
from qgis.PyQt.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QMenu, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget


class CommandDialog(AlgorithmDialog):
    """Dialog of a `CommandAlgorithm`."""

    def __init__(self, algorithm, parent=None):
        super().__init__(algorithm, parent=parent)

    def getParametersPanel(self, algorithm, parent):
        return CommandPanel(parent, algorithm)


class CommandPanel(ParametersPanel):
    """Panel of parameters. A parameter for layers beside a text is left out: the text's menu offers the layers."""

    def __init__(self, parent, algorithm):
        self.command = algorithm
        self.boxes = {}
        super().__init__(parent, algorithm)

    def is_shown(self, parameter):
        """Returns false for the layers of an option that also accepts a text."""
        name = parameter.name()
        return not any(name.endswith(end) and self.command.option_of(name[: -len(end)]) for end in ("_LAYER", "_LAYERS"))

    def addParameterLabel(self, parameter, label):
        if self.is_shown(parameter):
            label.setToolTip(parameter.help())
            self.add(parameter, label, super().addParameterLabel)
        else:
            label.setParent(self)
            label.hide()

    def addParameterWidget(self, parameter, widget, stretch=0):
        if not self.is_shown(parameter):
            widget.setParent(self)
            widget.hide()
            return
        option = self.command.option_of(parameter.name())
        if option:
            widget = with_menu(widget, option)
        self.add(parameter, widget, lambda parameter, widget: super(CommandPanel, self).addParameterWidget(parameter, widget, stretch))

    def add(self, parameter, widget, add):
        """Adds a widget to the box of its group, or directly if it has none."""
        group = self.command.groups.get(parameter.name())
        # The help has no groups of options that only one command has.
        if group in (None, "Options"):
            add(parameter, widget)
            return
        if group not in self.boxes:
            box = QgsCollapsibleGroupBox(group)
            box.setLayout(QVBoxLayout())
            box.setSaveCollapsedState(False)
            box.setCollapsed(True)
            self.boxes[group] = box
            super().addParameterWidget(parameter, box)
        self.boxes[group].layout().addWidget(widget)


def with_menu(edit, option):
    """Sets the placeholder of a text field, and returns it with a menu of words, layers and files if the option has any."""
    if isinstance(edit, QPlainTextEdit):
        edit.setMaximumHeight(4 * edit.fontMetrics().lineSpacing())
    hint = f"such as {option.example}" if option.example else f"default: {option.default}" if option.default else ""
    edit.setPlaceholderText(hint + ("; one in each line" if hint and option.repeatable else ""))
    if isinstance(edit, QPlainTextEdit) and not edit.toPlainText():
        # Qt shows a placeholder only after the text has changed.
        edit.setPlainText(" ")
        edit.setPlainText("")
    if not option.words and not option.accepts:
        return edit
    button = QToolButton()
    button.setText("…")
    button.setToolTip("Choose a word, a layer or a file")
    menu = QMenu(button)
    menu.aboutToShow.connect(lambda: fill(menu, edit, option))
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(edit)
    layout.addWidget(button)
    return row


def fill(menu, edit, option):
    """Fills the menu with what an option accepts now."""
    menu.clear()
    for word, about in option.words:
        menu.addAction(f"{word}: {about}" if about else word, lambda word=word: enter(edit, word))
    kinds = {QgsMapLayerType.RasterLayer: "raster", QgsMapLayerType.VectorLayer: "vector"}
    menu.addSeparator()
    for layer in QgsProject.instance().mapLayers().values():
        if kinds.get(layer.type()) in option.accepts:
            menu.addAction(layer.name(), lambda layer=layer: enter(edit, layer.id()))
    menu.addSeparator()
    if option.accepts - {"folder"}:
        menu.addAction("Choose a file…", lambda: enter(edit, QFileDialog.getOpenFileName(edit, option.label)[0]))
    if "folder" in option.accepts:
        menu.addAction("Choose a folder…", lambda: enter(edit, QFileDialog.getExistingDirectory(edit, option.label)))


def enter(edit, text):
    """Sets the text of a field; adds a line to a field of several lines."""
    if not text:
        return
    if isinstance(edit, QLineEdit):
        edit.setText(text)
    else:
        edit.appendPlainText(text)
