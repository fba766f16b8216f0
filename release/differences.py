#!/usr/bin/env python3
"""In what two wheels differ, down to the sections of their libraries: differences.py WHEEL WHEEL"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Dict, List


def sections(library: bytes) -> Dict[str, bytes]:
    """The content of each section, by name; needs readelf."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(library)
        file.flush()
        text = subprocess.run(["readelf", "-SW", file.name], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    found = {}
    for line in text.splitlines():
        number, _, rest = line.partition("]")
        fields = rest.split()
        if not number.strip().startswith("[") or len(fields) < 5 or not fields[0].startswith("."):
            continue
        name, kind, offset, size = fields[0], fields[1], int(fields[3], 16), int(fields[4], 16)
        found[name] = b"" if kind == "NOBITS" else library[offset:offset + size]
    return found


def compare(left: Path, right: Path) -> List[str]:
    """One line for each difference; empty: the files are the same bytes."""
    if left.name != right.name:
        return [f"the names differ: {left.name} and {right.name}"]
    if left.read_bytes() == right.read_bytes():
        return []
    with zipfile.ZipFile(left) as one, zipfile.ZipFile(right) as other:
        infos = [{info.filename: info for info in archive.infolist()} for archive in (one, other)]
        lines = [f"only in {'first' if name in infos[0] else 'second'}: {name}"
                 for name in sorted(set(infos[0]) ^ set(infos[1]))]
        for name in sorted(set(infos[0]) & set(infos[1])):
            pair = one.read(name), other.read(name)
            if pair[0] != pair[1]:
                line = f"{name}: {len(pair[0])} and {len(pair[1])} bytes differ"
                if pair[0].startswith(b"\x7fELF") and pair[1].startswith(b"\x7fELF"):
                    parts = [sections(content) for content in pair]
                    line += " in " + ", ".join(sorted(
                        part for part in {*parts[0], *parts[1]}
                        if parts[0].get(part) != parts[1].get(part)))
                lines.append(line)
            for field in ("date_time", "external_attr", "compress_type", "create_system", "extra"):
                if getattr(infos[0][name], field) != getattr(infos[1][name], field):
                    lines.append(f"{name}: {field} differs")
    return lines or ["the archives hold the same, but lie otherwise"]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    differences = compare(Path(sys.argv[1]), Path(sys.argv[2]))
    print("\n".join(differences), end="\n" if differences else "")
    sys.exit(1 if differences else 0)
