"""The algorithm `inundate:study`."""

import json
import os
import re

from qgis.core import (
    QgsProcessingException,
    QgsProcessingOutputFile,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterMatrix,
)

from . import options, parameters, toml_text
from .inputs import absolute, in_folder
from .results import OUT, ResultsAlgorithm

STUDY = "STUDY"
BASE = "BASE"
MATRIX = "MATRIX"
RUN = "RUN"
STUDY_USED = "STUDY_USED"
# Keys of a scenario that a study sets itself.
_OF_A_STUDY = ("scenario", "out", "overwrite", "quiet", "json")
# Options of the command that make no tables and maps.
_WITHOUT_TABLES = ("dry_run", "only", "array_task")


class RunStudy(ResultsAlgorithm):
    """Runs variations of a scenario and adds their maps to the map.

    If the study fails, its file and the copies of layers stay in the folder, because finished runs use them.
    """

    COMMAND = "study"
    TITLE = "Run a study"
    ABOUT = (
        "Runs many variations of a scenario, and summarizes them in a table and in maps. Finished runs are not repeated.\n\n"
        "Choose a study file; or set the base scenario (a file, or the advanced parameters) and what varies: in the matrix, "
        "a key and its values in each line, separated by semicolons ('rain' and '30 mm/h; 60 mm/h'; or a TOML list, for "
        "values with names and weights), every combination of which is a run; or single runs, each with the values that it "
        "sets ('rain = 90 mm/h; roughness = 0.05').\n\n"
        "The folder also has study.toml, with which the command line repeats the study."
    )

    def __init__(self):
        super().__init__()
        self.of_study, self.of_base, self.run_keys = [], [], []

    def initAlgorithm(self, config=None):
        super().initAlgorithm(config)
        self.declare_results()
        about = "Folder for the results (a study file has its own)"
        self.addParameter(QgsProcessingParameterFolderDestination(OUT, about, optional=True))
        self.addOutput(QgsProcessingOutputFile(STUDY_USED, "Study file of the runs"))

    def declare_options(self, description):
        self.of_study, self.run_keys = options.of_study(description.study)
        self.of_study = [option for option in self.of_study if option.key not in ("base", "out")]
        self.of_base = [option for option in description.options("run") if option.key not in _OF_A_STUDY]
        properties = description.study["properties"]
        study = next(option for option in self.of_command if option.positional)
        self.declare(study)
        self.addParameter(QgsProcessingParameterFile(BASE, "Base scenario: a file", optional=True))
        headers = ["Key", "Values, separated by ;"]
        matrix = QgsProcessingParameterMatrix(MATRIX, "Matrix: every combination is a run", 1, False, headers, None, True)
        matrix.setHelp(properties["matrix"]["description"])
        headers = [key.replace("_", " ").capitalize() for key in self.run_keys] + ["Values (key = value; …)"]
        run = QgsProcessingParameterMatrix(RUN, "Single runs", 1, False, headers, None, True)
        run.setHelp(properties["run"]["description"])
        for parameter in (matrix, run):
            self.addParameter(parameter)
        for option in self.of_study:
            self.declare(option)
        for option in self.of_command:
            if not option.positional:
                self.declare(option, "Runs of the study")
        for option in self.of_base:
            self.declare(option, f"Base scenario: {option.group}")
        self.options = self.of_command + self.of_study + self.of_base

    def checkParameterValues(self, given, context):
        keys = self.of_study + self.of_base
        names = [BASE, MATRIX, RUN] + [parameters.name(option) for option in keys]
        names += [parameters.layer_name(option) for option in keys if option.layers]
        tables = {name: self.rows(given, name, 1, context) for name in (MATRIX, RUN)}
        given_keys = [name for name in names if tables.get(name, given.get(name)) not in (None, "", [], False)]
        base_keys = [name for name in given_keys if name in {parameters.name(option) for option in self.of_base}]
        if given.get(STUDY) and given_keys:
            return False, f"both a study file and {given_keys[0]} are set: clear one of them"
        if given.get(BASE) and base_keys:
            return False, f"both a base scenario file and {base_keys[0]} are set: write it into the file, or clear the file"
        if not given.get(STUDY) and not any(tables.values()):
            return False, "nothing varies: choose a study file, or fill in the matrix or the single runs"
        if not given.get(STUDY) and not given.get(OUT):
            return False, "there is no folder for the results: choose one"
        return super().checkParameterValues(given, context)

    def keep_in(self, given, context):
        return None if given.get(STUDY) else os.path.join(self.out, "inputs")

    def prepareAlgorithm(self, given, context, feedback):
        super().prepareAlgorithm(given, context, feedback)
        if not given.get(STUDY):
            self.values["study"] = self.write_study(given, context)
        return True

    def write_study(self, given, context):
        """Writes the study file into the output folder, and returns its path."""
        out = self.out
        keys = {"out": "."}
        base = self.parameterAsString(given, BASE, context).strip()
        if base:
            keys["base"] = toml_text.portable(os.path.abspath(os.path.join(self.working_folder, base)), out)
        for option in self.of_study:
            if option.key in self.values:
                value = self.values[option.key]
                keys[option.key] = re.split(r"\s*[,;]\s*", value) if option.kind == "text" else value
        text = toml_text.table(keys)
        if not base:
            of_base = [option.key for option in self.of_base if option.key in self.values]
            text += "\n[base]\n" + toml_text.table({key: toml_text.portable(self.values[key], out) for key in of_base})
        rows = self.rows(given, MATRIX, 2, context)
        if rows:
            text += "\n[matrix]\n"
        for key, values in rows:
            text += f"{key} = {self.values_of(key, values, out)}\n"
        for *own, values in self.rows(given, RUN, len(self.run_keys) + 1, context):
            text += "\n[[run]]\n" + "".join(
                f"{key} = {toml_text.value(cell) if key == 'name' else cell}\n" for key, cell in zip(self.run_keys, own) if cell
            )
            for pair in filter(None, (pair.strip() for pair in values.split(";"))):
                key, equals, value = (part.strip() for part in pair.partition("="))
                if not equals:
                    raise QgsProcessingException(f"single runs: '{pair}' is not a key and a value: write key = value")
                text += f"{key} = {self.value_of(key, value, out)}\n"
        path = toml_text.place(out, "study.toml")
        toml_text.write(path, f"inundate study {os.path.basename(path)}", text)
        return path

    def rows(self, given, name, columns, context):
        """Returns the rows of a table that are not empty."""
        # An empty table has one null value.
        cells = [str(cell).strip() if cell else "" for cell in self.parameterAsMatrix(given, name, context)]
        rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
        return [row + [""] * (columns - len(row)) for row in rows if any(row)]

    def values_of(self, key, text, out):
        """Formats the values of a key of the matrix: a TOML list as it is, or texts separated by semicolons."""
        if text.startswith("["):
            return text
        return "[" + ", ".join(self.value_of(key, part.strip(), out) for part in text.split(";") if part.strip()) + "]"

    def value_of(self, key, text, out):
        """Formats a value of a key; an empty list, which removes the key, as it is."""
        option = next((option for option in self.of_base if option.key == key), None)
        if text == "[]" or option and option.kind in ("flag", "integer", "number"):
            return text
        return toml_text.value(toml_text.portable(absolute(text, self.working_folder), out))

    def processAlgorithm(self, given, context, feedback):
        study = self.values["study"]
        results = {STUDY_USED: study}
        if any(self.values.get(key) for key in _WITHOUT_TABLES):
            self.call(self.arguments(given, context), feedback)
            return results
        printed = self.call(self.arguments(given, context) + ["--json"], feedback, shown=False)
        report = json.loads("\n".join(printed))
        results.update(self.found(given, context, in_folder(report["out"], self.working_folder), report["outputs"]))
        return results
