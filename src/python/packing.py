"""Build hook of hatchling (pyproject.toml) that adds the program to the wheel.

INUNDATE_BINARY is the path of the program (default: target/dist/inundate); INUNDATE_PLATFORM is the platform
tag of the wheel.
"""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAM = "target/dist/inundate"
# Platform tag of a program that was linked on this machine and runs only there.
PLATFORM = "linux_x86_64"


class Packing(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            # The package is used in place, with the program on the PATH or in $INUNDATE.
            return
        program = Path(self.root, os.environ.get("INUNDATE_BINARY", PROGRAM))
        if not program.is_file():
            raise FileNotFoundError(f"there is no {program}: `make wheel` builds it, or set INUNDATE_BINARY to a program")
        platform = os.environ.get("INUNDATE_PLATFORM", PLATFORM)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["shared_scripts"][str(program)] = "inundate"
        # Licences of the libraries that are linked into it.
        for licence in program.parent.glob("licences/*.txt"):
            build_data["force_include"][str(licence)] = f"inundate/licences/{licence.name}"
