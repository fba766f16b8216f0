"""What a row asks of scikit-build-core, beside what whoever builds asks for."""

import hashlib
import json
import os
from typing import Dict, Mapping, Optional

import metadata
import rows


def build_folder(row: rows.Row, given: Mapping[str, object], arguments: str) -> str:
    """A folder for each row and for each set of options: CMake keeps in its cache what one build was
    told, and the next one, told nothing, would make the same of it. `arguments` are CMAKE_ARGS."""
    name = row.label
    if given or arguments:
        told = json.dumps([dict(given), arguments], sort_keys=True)
        name += "-" + hashlib.sha256(told.encode()).hexdigest()[:8]
    return f"build/wheel/{name}-{{wheel_tag}}"


def settings(row: rows.Row, given: Optional[Mapping[str, object]],
             environment: Mapping[str, str] = os.environ) -> Dict[str, object]:
    """`given`, the config settings of the frontend (pip's -C), with those of the row, which win."""
    given = dict(given or {})
    options = dict(option[2:].split("=", 1) for option in rows.cmake_options(row))
    options["WHEELCHECK_RUNTIME_VERSION"] = metadata.version(row)
    return {"build-dir": build_folder(row, given, environment.get("CMAKE_ARGS", "")), **given,
            **{f"cmake.define.{name}": value for name, value in options.items()}}
