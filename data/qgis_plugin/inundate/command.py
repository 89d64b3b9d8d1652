"""An algorithm that runs a command of the program, with a parameter for each of its options."""

import os

from processing.core.ProcessingConfig import ProcessingConfig
from qgis.core import QgsProcessingAlgorithm, QgsProcessingException, QgsProcessingLayerPostProcessorInterface

from . import parameters, program
from . import description as descriptions
from .inputs import Inputs
from .parameters import Values


def current():
    """Returns the description of the program that is set in QGIS, or None."""
    try:
        return descriptions.of(program.find(ProcessingConfig.getSetting(program.SETTING)))
    except QgsProcessingException:
        return descriptions.of(None)


class DefaultStyle(QgsProcessingLayerPostProcessorInterface):
    """Loads the style beside the file of a result, which Processing does not."""

    def postProcessLayer(self, layer, context, feedback):
        layer.loadDefaultStyle()
        layer.triggerRepaint()


# QGIS does not keep it.
STYLE = DefaultStyle()


class CommandAlgorithm(QgsProcessingAlgorithm):
    """Runs a command. Subclasses name the command, and load its results."""

    COMMAND = TITLE = ABOUT = ""
    # Options shown first, in this order; the others are advanced.
    COMMON = ()
    # Options that the plugin sets itself.
    OWN = ("json", "quiet")
    REQUIRED = ()

    def __init__(self):
        super().__init__()
        # Options that have parameters, and those of them that are arguments of the command.
        self.options = []
        self.of_command = []
        # Groups of the advanced parameters.
        self.groups = {}

    def createInstance(self):
        return type(self)()

    def name(self):
        return self.COMMAND

    def displayName(self):
        return self.TITLE

    def shortHelpString(self):
        return self.ABOUT

    def initAlgorithm(self, config=None):
        # Without a description, such as after the program was removed, running the algorithm explains what is missing.
        description = current()
        if description:
            self.of_command = [option for option in description.options(self.COMMAND) if option.key not in self.OWN]
            self.options = list(self.of_command)
            self.declare_options(description)

    def declare_options(self, description):
        """Declares the parameters of the command's options: positional ones, common ones, and the others by groups."""
        positional = [option for option in self.options if option.positional]
        common = [option for key in self.COMMON for option in self.options if option.key == key]
        for option in positional + [option for option in common if not option.positional]:
            self.declare(option)
        for option in self.options:
            if option not in positional and option not in common:
                self.declare(option, option.group)

    def declare(self, option, group=None):
        """Declares the parameters of an option, as advanced ones if it has a group."""
        for parameter in parameters.declare(option, option.key in self.REQUIRED):
            if group:
                self.groups[parameter.name()] = group
                parameters.advanced(parameter)
            self.addParameter(parameter)

    def option_of(self, name):
        """Returns the option of a parameter, if it is one that takes a text."""
        return next((option for option in self.options if parameters.name(option) == name and option.kind == "text"), None)

    def createCustomParametersWidget(self, parent):
        from .dialog import CommandDialog

        return CommandDialog(self, parent)

    def checkParameterValues(self, given, context):
        for option in self.options:
            if option.layers and not option.repeatable:
                both = (parameters.name(option), parameters.layer_name(option))
                if all(given.get(name) not in (None, "") for name in both):
                    return False, f"{both[0]} and {both[1]} are both set: clear one of them"
        return super().checkParameterValues(given, context)

    def keep_in(self, given, context):
        """Returns the folder for copies of layers that have no file, or None if they need not outlast the algorithm."""
        return None

    def folder(self, context):
        """Returns the folder of relative paths: that of the QGIS project, or else the current one."""
        project = context.project()
        return (project.homePath() if project else "") or os.getcwd()

    def prepareAlgorithm(self, given, context, feedback):
        """Reads the values and writes layers without a file, in the main thread, where layers may be read."""
        self.working_folder = self.folder(context)
        self.files = Inputs(context, feedback, self.keep_in(given, context))
        values = Values(self, given, context, self.files, self.working_folder)
        try:
            self.values = {option.key: values.of(option) for option in self.options if option.kind != "output"}
        except QgsProcessingException:
            self.files.forget()
            raise
        self.values = {key: value for key, value in self.values.items() if value is not None}
        return True

    def arguments(self, given, context):
        """Returns the words of the command line after the command.

        Reads the outputs, because QGIS only loads the layers of outputs that are read while the algorithm runs.
        """
        values = Values(self, given, context, self.files, self.working_folder)
        outputs = {option.key: values.of(option) for option in self.of_command if option.kind == "output"}
        self.values.update((key, value) for key, value in outputs.items() if value is not None)
        for path in outputs.values():
            if path and context.willLoadLayerOnCompletion(path):
                context.layerToLoadOnCompletionDetails(path).setPostProcessor(STYLE)
        positional, flags = [], []
        for option in self.of_command:
            if option.key in self.values:
                value = self.values[option.key]
                if option.positional:
                    positional.append(value)
                else:
                    flags += words(option.key, value)
        return positional + flags

    def call(self, arguments, feedback, shown=True):
        """Runs the command in the folder of relative paths, and returns the lines of its output, which the log shows."""
        found = program.find(ProcessingConfig.getSetting(program.SETTING))
        return program.run([found, self.COMMAND] + arguments, feedback, self.working_folder, shown)


def words(key, value):
    """Returns the words of a flag. A value is in the same word, so that it may begin with a dash."""
    flag = "--" + key.replace("_", "-")
    if value is True:
        return [flag]
    return [f"{flag}={one}" for one in (value if isinstance(value, list) else [value])]
