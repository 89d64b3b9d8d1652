"""Build hook of hatchling (pyproject.toml) that adds the module to the wheel.

INUNDATE_MODULE is the path of the module built by cargo; INUNDATE_PLATFORM is the platform tag of the wheel.
"""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "inundate_engine.abi3.so"
# Platform tag of a module that was linked on this machine and runs only there.
PLATFORM = "linux_x86_64"


class Packing(BuildHookInterface):
    def initialize(self, version, build_data):
        module = Path(os.environ.get("INUNDATE_MODULE", ""))
        if not module.is_file():
            raise FileNotFoundError(f"there is no module '{module}': `make wheel-engine` builds it and names it in INUNDATE_MODULE")
        build_data["pure_python"] = False
        # The module supports every Python from 3.9 on.
        build_data["tag"] = f"cp39-abi3-{os.environ.get('INUNDATE_PLATFORM', PLATFORM)}"
        build_data["force_include"][str(module)] = NAME
        # Licences of the libraries that are linked into it.
        for licence in module.parent.glob("licences/*.txt"):
            build_data["force_include"][str(licence)] = f"inundate_engine-licences/{licence.name}"
