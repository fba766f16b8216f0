#!/usr/bin/env python3
"""What NVIDIA's cuobjdump finds in the libraries of wheels, beside what their row promises and what
wheelcheck reads:

    device_code.py --cuobjdump PROGRAM --wheelcheck PROGRAM [--architectures 90,100] WHEEL...

Each library for itself: machine code for every architecture of the row and for no other, PTX for the
newest alone, all of it by the toolkit of the row; a CPU wheel has none. --architectures replaces the
row's, for a wheel that was built with fewer. Exit code 1: something differs.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Counter, List, Optional, Sequence, Set

import finish
import pack
import rows


@dataclass
class Code:
    """The device code of one library: how often for which architecture."""

    machine: Counter[str] = field(default_factory=collections.Counter)  # "90", "90a"
    ptx: Counter[str] = field(default_factory=collections.Counter)
    toolkits: Set[str] = field(default_factory=set)  # "13.0", of the machine code; "": not to be read

    def __bool__(self) -> bool:
        return bool(self.machine or self.ptx)

    def __str__(self) -> str:
        def listed(counts):
            return " ".join(f"{one} (x{counts[one]})" for one in sorted(counts, key=_number)) or "none"
        return (f"machine code for {listed(self.machine)}; PTX for {listed(self.ptx)}; toolkit "
                f"{' '.join(sorted(self.toolkits)) or 'unknown'}")


def _number(architecture: str):
    return int(re.match(r"\d+", architecture).group()), architecture


def run(*command, cwd=None) -> str:
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=cwd)
    # cuobjdump's way to say that a file has no device code.
    if done.returncode != 0 and "does not contain device code" not in done.stdout + done.stderr:
        raise RuntimeError(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def parse_lists(elf: str, ptx: str) -> Code:
    """From what `cuobjdump --list-elf` and `--list-ptx` print."""
    code = Code()
    for text, suffix, counts in ((elf, "cubin", code.machine), (ptx, "ptx", code.ptx)):
        for line in text.splitlines():
            found = re.match(rf"(ELF|PTX) file\s+\d+: .*\.sm_(\d+[af]?)\.{suffix}$", line.strip())
            if found:
                counts[found.group(2)] += 1
            elif re.match(r"(ELF|PTX) file", line):
                raise RuntimeError(f"cuobjdump says what is not understood: {line}")
    return code


def by_cuobjdump(program: Path, library: Path) -> Code:
    code = parse_lists(run(program, "--list-elf", library), run(program, "--list-ptx", library))
    with tempfile.TemporaryDirectory() as folder:
        run(program, "--extract-elf", "all", library.resolve(), cwd=folder)
        cubins = list(Path(folder).glob("*.cubin"))
        if len(cubins) != sum(code.machine.values()):
            raise RuntimeError(f"{library.name}: {len(cubins)} of {sum(code.machine.values())} extracted")
        for cubin in cubins:
            found = re.findall(rb"Cuda compilation tools, release (\d+\.\d+)", cubin.read_bytes())
            code.toolkits |= {release.decode() for release in found} or {""}
    return code


def parse_shown(document) -> Code:
    """From what `wheelcheck show --format json` prints of a library."""
    code = Code()
    for line in document.get("device_code", {}).get("code", []):
        found = re.match(r"(sm|compute)_(\d+[af]?)(?: x(\d+))?(?: compressed)?(?: toolkit (\S+))?"
                         r"(?: compressed)?$", line)
        if not found:
            raise RuntimeError(f"wheelcheck says what is not understood: {line}")
        kind, architecture, times, toolkit = found.groups()
        (code.machine if kind == "sm" else code.ptx)[architecture] += int(times or 1)
        if kind == "sm":
            code.toolkits.add(toolkit or "")
    return code


def judge(row: rows.Row, architectures: Sequence[int], code: Code) -> List[str]:
    """What is wrong with a library of `row` that has device code."""
    if row.train is None:
        return ["a CPU wheel has device code"]
    wrong = []
    wanted = {str(one) for one in architectures}
    for what, names in (("lacks machine code for", wanted - set(code.machine)),
                        ("has machine code, which nobody promised, for", set(code.machine) - wanted)):
        if names:
            wrong.append(f"{what} {' '.join(sorted(names, key=_number))}")
    newest = str(max(architectures))
    if set(code.ptx) != {newest}:
        wrong.append(f"PTX is for {' '.join(sorted(code.ptx, key=_number)) or 'none'}, not for {newest}")
    toolkit = f"{row.train.major}.{row.train.minor}"
    if code.toolkits != {toolkit}:
        wrong.append(f"compiled by {' '.join(sorted(code.toolkits)) or 'an unknown toolkit'}, not "
                     f"{toolkit}")
    return wrong


def examine(options, wheel: Path, table: rows.Table) -> List[str]:
    """What is wrong with `wheel`; what it has is printed."""
    named = re.fullmatch(r"[^-]+-[^-]+\+(\w+)-.*_(x86_64|aarch64)\.whl", wheel.name)
    if not named:
        return [f"{wheel.name}: neither row nor machine can be read from the name"]
    row, machine = table.read(named.group(1)), named.group(2)
    architectures = options.architectures or (row.train.architectures[machine] if row.train else ())
    failures: List[str] = []
    libraries = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        pack.unpack(wheel, tree)
        for member, path in finish.elf_members(tree).items():
            theirs = by_cuobjdump(options.cuobjdump, path)
            ours = parse_shown(json.loads(run(options.wheelcheck, "show", "--format", "json", path)))
            if ours != theirs:
                failures.append(f"{member}: wheelcheck reads: {ours}; cuobjdump: {theirs}")
            if not theirs:
                continue
            libraries += 1
            print(f"{member}: {theirs}")
            failures += [f"{member}: {what}" for what in judge(row, architectures, theirs)]
    print(f"{wheel.name}: {libraries} with device code")
    if row.train and not libraries:
        failures.append("no library has device code")
    return [f"{wheel.name}: {failure}" for failure in failures]


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", required=True, type=Path)
    parser.add_argument("--wheelcheck", required=True, type=Path)
    parser.add_argument("--architectures", type=lambda text: [int(one) for one in text.split(",")])
    parser.add_argument("wheels", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    table = rows.Table()
    failures = [failure for wheel in options.wheels for failure in examine(options, wheel, table)]
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
