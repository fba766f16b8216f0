#!/usr/bin/env python3
"""What a row of the build matrix means: the one place where Python reads CU_VERSION.

    rows.py [VALUE]     prints "cpu" or "cuda 12.6"; without VALUE: what the environment asks for
    rows.py --cmake ... prints the options that build that row

A row that is not built is refused: the reason and the rows that are go to standard error, and the
exit code is 1. The table is rules/policy/trains.json, which CMake and wheelcheck read as well.
Needs nothing but Python 3.8.
"""

import json
import os
import re
import string
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Tuple

TABLE = Path(__file__).resolve().parent.parent / "rules" / "policy" / "trains.json"

# Of ASCII alone, as in the other readers: what Unicode calls a capital or a space is no row.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SPACE = " \t\n\r\f\v"


class RowError(ValueError):
    """A row that cannot be built; the message names those that can."""


@dataclass(frozen=True)
class Train:
    """One supported CUDA release, as the table has it."""

    label: str  # "cu130"
    major: int
    minor: int
    requirement: str  # a whole Requires-Dist: "nvidia-cuda-runtime>=13,<14; platform_system == 'Linux'"
    runtime_directory: str  # below site-packages: "nvidia/cu13/lib"
    cudart: str  # "libcudart.so.13"
    architectures: Mapping[str, Tuple[int, ...]]  # by machine, ascending


@dataclass(frozen=True)
class Row:
    """What to build: a train, or none for the CPU."""

    train: Optional[Train]

    @property
    def label(self) -> str:
        """The local version of its wheels."""
        return self.train.label if self.train else "cpu"

    def __str__(self) -> str:
        return f"cuda {self.train.major}.{self.train.minor}" if self.train else "cpu"


class Table:
    """trains.json."""

    def __init__(self, path: Path = TABLE):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["schema"] != 1:
            raise RowError(f"{path} has an unknown schema")
        self.trains: List[Train] = []
        for entry in document["trains"]:
            wants = entry["requirement"]
            self.trains.append(Train(
                label=entry["label"], major=entry["major"], minor=entry["minor"],
                requirement=f"{wants['name']}{wants['specifiers']}; {wants['marker']}",
                runtime_directory=entry["runtime_directory"], cudart=entry["cudart"],
                architectures={machine: tuple(sorted(numbers))
                               for machine, numbers in entry["architectures"].items()}))
        self.families: List[Dict] = document["families"]
        self._unsupported = {entry["label"]: entry["why"] for entry in document["unsupported"]}
        self._rows = document["rows"]

    @property
    def rows(self) -> List[str]:
        """The labels of all rows: ["cpu", "cu126", ...]."""
        return ["cpu"] + [train.label for train in self.trains]

    def read(self, value: Optional[str]) -> Row:
        """The row that `value` names; None and "" are the CPU. Raises RowError."""
        text = (value or "").strip(_SPACE).translate(_LOWER)
        if not text:
            return Row(None)
        if len(text.encode("utf-8", "surrogateescape")) > self._rows["longest"]:
            raise self._refusal(value, "malformed")
        if re.search(self._rows["cpu"], text):
            return Row(None)
        if re.search(self._rows["number"], text):
            raise self._refusal(value, "ambiguous")
        named = re.search(self._rows["cuda"], text)
        if not named:
            raise self._refusal(value, "malformed")
        release = named.group(2)
        for train in self.trains:
            if release in (f"{train.major}{train.minor}", f"{train.major}.{train.minor}"):
                return Row(train)
        if len(release) < 3 and "." not in release:
            raise self._refusal(value, "incomplete")
        raise self._refusal(value, "unsupported", "cu" + re.sub(r"^(\d\d)\.(\d)$", r"\1\2", release))

    def _refusal(self, value: str, kind: str, label: str = "") -> RowError:
        why = self._unsupported.get(label, self._rows["refusals"][kind])
        return RowError(f"row '{value}' cannot be built: {why}; rows: {', '.join(self.rows)}")


def requested(environment: Mapping[str, str] = os.environ) -> Optional[str]:
    """What a build is asked for: CU_VERSION, or DESIRED_CUDA where that is empty. None: nothing."""
    return environment.get("CU_VERSION") or environment.get("DESIRED_CUDA") or None


def cmake_options(row: Row) -> List[str]:
    """CUDA is said to be ON or OFF, and never left to what a build finds on its machine."""
    return [f"-DWHEELCHECK_ROW={row.label}", f"-DWHEELCHECK_BUILD_CUDA={'ON' if row.train else 'OFF'}"]


def main(arguments: List[str]) -> int:
    options = [argument for argument in arguments if argument == "--cmake"]
    values = [argument for argument in arguments if argument != "--cmake"]
    if len(values) > 1 or len(options) > 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        row = Table().read(values[0] if values else requested())
    except RowError as error:
        print(error, file=sys.stderr)
        return 1
    print(" ".join(cmake_options(row)) if options else row)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
