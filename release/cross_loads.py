#!/usr/bin/env python3
"""Whether ld.so of another machine and wheelcheck find the same for each library of a wheel:

    cross_loads.py --wheelcheck PROGRAM --site FOLDER --wheel WHEEL -- LISTING COMMAND...

FOLDER is where the wheel and what it requires are installed. The command, with a library behind it,
prints what is loaded, as ldd does. Compared is what lies in FOLDER, or is not found.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import finish


def run(*command) -> str:
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={"PATH": os.defpath})
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(map(str, command))} failed: {done.stderr}{done.stdout}")
    return done.stdout


def parse_list(text: str, site: Path) -> Dict[str, str]:
    """The file below `site` by the name that was asked for; "not found"; those of the system left out."""
    found = {}
    for line in text.splitlines():
        named = re.match(r"\s*(\S+) => (not found|\S+)", line)
        if not named:
            continue
        name, place = named.groups()
        if place != "not found":
            path = Path(os.path.realpath(place))
            if site not in path.parents:
                continue
            place = path.relative_to(site).as_posix()
        found[name] = place
    return found


def parse_needs(document, file: str) -> Dict[str, str]:
    """The same of what `wheelcheck why --format json` says of `file`."""
    found = {}
    for thing in document["objects"]:
        if thing["file"] != file:
            continue
        for need in thing["needs"]:
            place = "not found" if need["verdict"] == "not-found" else need["found"]
            if place and not place.startswith("/"):
                found[need["name"]] = place
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheelcheck", required=True)
    parser.add_argument("--site", required=True, type=Path)
    parser.add_argument("--wheel", required=True, type=Path)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    site = Path(os.path.realpath(options.site))
    failures: List[str] = []
    needs = 0
    members = finish.elf_members(site / "executorch")
    for member, path in members.items():
        file = f"executorch/{member}"
        real = parse_list(run(*options.command, path), site)
        for subject in (site, options.wheel):
            document = json.loads(run(options.wheelcheck, "why", subject, file, "--format", "json"))
            said = parse_needs(document, file)
            needs += len(said)
            for name, place in said.items():
                if real.get(name) != place:
                    failures.append(f"{file} needs {name}: wheelcheck says {place}, ld.so "
                                    f"{real.get(name, 'nothing of these packages')}")
        failures += [f"{file}: ld.so does not find {name}" for name, place in real.items()
                     if place == "not found"]
    print(f"{len(members)} libraries, {needs} needs below site-packages: "
          f"{len(failures)} differ or are not found")
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures or not needs else 0


if __name__ == "__main__":
    sys.exit(main())
