#!/usr/bin/env python3
"""The build matrix of a release.

    matrix.py               one job a line, as JSON: what to set, and the wheel that comes out
    matrix.py --check DIR   whether DIR holds exactly the wheels of the release
"""

import json
import sys
from pathlib import Path
from typing import Dict, List

import metadata
import rows

MATRIX = Path(__file__).resolve().parent / "matrix.json"


def jobs(table: rows.Table = None, path: Path = MATRIX) -> List[Dict[str, str]]:
    """Every job, in the order of the table. Raises RowError for a row that is not in the trains."""
    table = table or rows.Table()
    data = json.loads(path.read_text(encoding="utf-8"))
    found = []
    for label in data["rows"]:
        row = table.read(label)
        for machine in data["machines"]:
            if row.train is not None and machine not in row.train.architectures:
                raise rows.RowError(f"{label} has no architectures for {machine}")
            for python in data["pythons"]:
                tag = "cp" + python.replace(".", "")
                name = f"executorch-{metadata.version(row)}-{tag}-{tag}-{data['platform']}_{machine}.whl"
                found.append({"CU_VERSION": row.label, "python": python, "machine": machine,
                              "wheel": name})
    return found


def differences(folder: Path) -> List[str]:
    """What is missing from `folder`, and what is in it without being of the release."""
    wanted = {job["wheel"] for job in jobs()}
    there = {path.name for path in folder.glob("*.whl")}
    return ([f"missing: {name}" for name in sorted(wanted - there)] +
            [f"not of the release: {name}" for name in sorted(there - wanted)])


def main(arguments: List[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "--check":
        found = differences(Path(arguments[1]))
        print("\n".join(found), file=sys.stderr, end="\n" if found else "")
        return 1 if found else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for job in jobs():
        print(json.dumps(job))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
