"""What platform a wheel may name: the oldest manylinux that has every version of the system's symbols
that its libraries refer to. pip then installs it where it loads, and refuses it elsewhere."""

import json
import re
from pathlib import Path
from typing import Iterable, Optional, Set

import hops
import rows

PLATFORMS = rows.TABLE.parent / "platforms.json"

# What versions are of, in the order of readelf: the library, then its versions.
_FILE = re.compile(r"\bFile: (\S+)")
_NAME = re.compile(r"\bName: (\S+)")


def system_versions(text: str) -> Set[str]:
    """Of what `readelf --version-info --wide` prints: GLIBC_2.34 and the like."""
    found: Set[str] = set()
    library = ""
    for line in text.partition("Version needs section")[2].splitlines():
        of = _FILE.search(line)
        if of:
            library = of.group(1)
        name = _NAME.search(line)
        # Those of other libraries are the matter of who provides these.
        if name and hops.SYSTEM.match(library):
            found.add(name.group(1))
    return found


def manylinux(machine: str, versions: Iterable[str], path: Path = PLATFORMS) -> Optional[str]:
    """"manylinux_2_34_x86_64", or None where no manylinux that is known has all of `versions`."""
    wanted = [version.partition("_")[::2] for version in versions]
    policies = json.loads(path.read_text(encoding="utf-8"))["policies"]
    for policy in sorted(policies, key=lambda one: (one["major"], one["minor"])):
        has = policy["architectures"].get(machine, {}).get("symbol_versions")
        if policy["kind"] != "manylinux" or has is None:
            continue
        if all(number in has.get(kind, "").split() for kind, number in wanted):
            return f"manylinux_{policy['major']}_{policy['minor']}_{machine}"
    return None
