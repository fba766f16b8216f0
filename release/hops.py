"""Where the libraries of a wheel find what they need: their run search paths, from facts alone.

A path is made of hops, and a file has only those that it needs: "$ORIGIN" for what lies beside it, a
hop for each other folder of the package that it needs something of, and one for each declared
distribution. How far a hop climbs follows from the depth of the file.
"""

import json
import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, Optional

import rows

PROVIDERS = rows.TABLE.parent / "providers.json"

# What every Linux of glibc has. Anything else is in the wheel or declared.
SYSTEM = re.compile(r"^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so\.\d+|ld-linux[a-z0-9-]*\.so\.\d)$")


class NeedError(ValueError):
    """A library needs what is neither in the wheel nor in a distribution that it may require."""


@dataclass(frozen=True)
class Provider:
    """The distribution that has a CUDA library, for the packaging of one CUDA major."""

    requirement: str  # a whole Requires-Dist, with bounds and marker
    directory: str  # below site-packages: "nvidia/cu13/lib"


def depth(member: str) -> int:
    """The folders between the package and the file: 1 for executorch/lib/libexecutorch.so. The last
    folder named executorch is the package, since a checkout is often named so too."""
    folders = posixpath.dirname(member).split("/")
    if "executorch" not in folders:
        raise NeedError(f"{member} is not in the package")
    return len(folders) - 1 - max(i for i, name in enumerate(folders) if name == "executorch")


def hop_out(member: str, directory: str) -> str:
    """The way from a file of the package to a folder below site-packages."""
    return "$ORIGIN/" + "../" * (depth(member) + 1) + directory


def hop_within(member: str, other: str) -> str:
    """The way from a file of the package to the folder of another of its files."""
    way = posixpath.relpath(posixpath.dirname(other), posixpath.dirname(member))
    return "$ORIGIN" if way == "." else f"$ORIGIN/{way}"


def soname_of(library: Mapping[str, str]) -> str:
    """Of a library in providers.json, which leaves out one that is the file's name."""
    return library.get("soname", posixpath.basename(library["path"]))


class Providers:
    """Which distribution has which CUDA library: providers.json, for the train of a row."""

    def __init__(self, row: rows.Row, path: Path = PROVIDERS):
        self._of: Dict[str, Provider] = {}
        if row.train is None:
            return
        marker = row.train.requirement.partition(";")[2].strip()
        document = json.loads(path.read_text(encoding="utf-8"))
        for entry in document["rows"]:
            if entry["cuda"] != str(row.train.major) or not entry["distribution"].startswith("nvidia-"):
                continue
            for library in entry["libraries"]:
                self._of.setdefault(soname_of(library), Provider(
                    f"{entry['distribution']}{entry['versions']}; {marker}",
                    posixpath.dirname(library["path"])))
        self._of[row.train.cudart] = Provider(row.train.requirement, row.train.runtime_directory)

    def find(self, soname: str) -> Optional[Provider]:
        return self._of.get(soname)


def plan(members: Mapping[str, Iterable[str]], providers: Providers) -> "Plan":
    """What search path each file gets, and what the wheel has to require.

    `members`: NEEDED of every ELF file, by member name."""
    places: Dict[str, List[str]] = {}
    for member in sorted(members):
        places.setdefault(posixpath.basename(member), []).append(member)
    paths: Dict[str, str] = {}
    requirements: Dict[str, None] = {}
    for member in sorted(members):
        hops: Dict[str, None] = {}
        outside: Dict[str, None] = {}
        for name in members[member]:
            if SYSTEM.match(name):
                continue
            inside = places.get(name, [])
            if len(inside) > 1:
                raise NeedError(f"{member} needs {name}, which the wheel has twice: {', '.join(inside)}")
            if inside:
                hops[hop_within(member, inside[0])] = None
                continue
            provider = providers.find(name)
            if provider is None:
                raise NeedError(f"{member} needs {name}, which is neither in the wheel nor in a "
                                "distribution that this row may require")
            outside[hop_out(member, provider.directory)] = None
            requirements[provider.requirement] = None
        # What is beside the file first, then the package's own, then what pip put there.
        paths[member] = ":".join([*sorted(hops, key=lambda hop: (hop != "$ORIGIN", hop)), *sorted(outside)])
    return Plan(paths, sorted(requirements))


@dataclass(frozen=True)
class Plan:
    paths: Mapping[str, str]  # by member; "" where a file needs no path
    requirements: List[str]  # Requires-Dist of the CUDA libraries that are needed
