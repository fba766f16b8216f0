"""The build backend: scikit-build-core, with the row that CU_VERSION names, and finish.py behind it.

    CU_VERSION=cu130 pip wheel .

WHEELCHECK_DEBUG_DIR=DIR keeps the debug information of the libraries there; without it, it is lost.
"""

import os
import sys
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import (  # noqa: F401  the other hooks are its own
    build_sdist, get_requires_for_build_sdist, get_requires_for_build_wheel)

import finish
import rows
import settings


def _row() -> rows.Row:
    value = rows.requested()
    row = rows.Table().read(value)
    if value is None:
        print(f"CU_VERSION is not set: this is the CPU wheel. CU_VERSION={rows.Table().rows[-1]} asks "
              f"for CUDA; rows: {', '.join(rows.Table().rows)}", file=sys.stderr, flush=True)
    return row


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _build.prepare_metadata_for_build_wheel(metadata_directory,
                                                   settings.settings(_row(), config_settings))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    row = _row()
    # The metadata that was prepared is that of the row as well, but what is needed is known only
    # when the libraries are there.
    name = _build.build_wheel(wheel_directory, settings.settings(row, config_settings))
    debug = os.environ.get("WHEELCHECK_DEBUG_DIR")
    return finish.finish(Path(wheel_directory) / name, row,
                         Path(debug).resolve() if debug else None).name
