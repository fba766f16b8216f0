#!/usr/bin/env python3
"""Writes providers.json: who ships which library, where, and what it requires itself.

    rules/policy/generate_providers.py rules/policy/providers.list CACHE > rules/policy/providers.json

Every row that the list asks for is read from the real wheel, which pip fetches; what was read is
kept as JSON in the folder CACHE, so that a run can be interrupted and only new rows cost a
download. Rows marked "none" are of packages that no index has as wheels; the list says what they
ship.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

# Systems have these; a row does not need to say so.
SYSTEM = re.compile(r"(lib(c|m|dl|rt|pthread|util|gcc_s|stdc\+\+)|ld-linux.*)\.so(\.\d+)?$")


def dynamic(data):
    """SONAME, NEEDED, RPATH, RUNPATH of a little-endian 64-bit ELF library; None for others."""
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<H", data, 16)[0] != 3:
        return None
    phoff, = struct.unpack_from("<Q", data, 32)
    phentsize, phnum = struct.unpack_from("<HH", data, 54)
    loads, dyn = [], None
    for i in range(phnum):
        kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, phoff + i * phentsize)
        if kind == 1:
            loads.append((address, offset, size))
        if kind == 2:
            dyn = (offset, size)
    if dyn is None:
        return None
    entries = list(struct.iter_unpack("<QQ", data[dyn[0]:dyn[0] + dyn[1] // 16 * 16]))
    table = dict(entries).get(5)
    base = next((o + table - a for a, o, s in loads if a <= table < a + s), None)
    def text(at):
        return data[base + at:data.index(b"\0", base + at)].decode()
    found = {"needed": []}
    for tag, value in entries:
        if tag == 0:
            break
        if tag == 1 and not SYSTEM.match(text(value)):
            found["needed"].append(text(value))
        if tag in (14, 15, 29):
            found[{14: "soname", 15: "rpath", 29: "runpath"}[tag]] = text(value)
    return found


def normalise(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def is_pure(wheel):
    """Whether the root of the wheel goes to purelib, as its WHEEL file says."""
    name, = (name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/WHEEL", name))
    return re.search(rb"(?im)^root-is-purelib:\s*true\s*$", wheel.read(name)) is not None


def read_wheel(path):
    row = {"from": os.path.basename(path), "requires": [], "libraries": []}
    with zipfile.ZipFile(path) as wheel:
        pure = is_pure(wheel)
        for name in sorted(wheel.namelist()):
            base = name.rsplit("/", 1)[-1]
            if name.endswith(".dist-info/METADATA"):
                for line in wheel.read(name).decode().split("\n\n")[0].splitlines():
                    if line.startswith("Requires-Dist: "):
                        row["requires"].append(line[len("Requires-Dist: "):])
            elif ".so" in base and ".cpython-" not in base and "/plugins/" not in name \
                    and "/qml/" not in name:
                with wheel.open(name) as member:
                    if member.read(4) != b"\x7fELF":
                        continue
                facts = dynamic(wheel.read(name))
                if facts is None or base.endswith(".abi3.so") and not base.startswith("lib"):
                    continue
                scheme = re.match(r"[^/]+\.data/(platlib|purelib)/", name)
                library = {"path": name[scheme.end():] if scheme else name}
                if scheme[1] == "purelib" if scheme else pure:
                    library["purelib"] = True
                for key in ("soname", "needed", "rpath", "runpath"):
                    if facts.get(key):
                        library[key] = facts[key]
                row["libraries"].append(library)
    return row


def fetch(distribution, version, cache):
    kept = os.path.join(cache, f"{distribution}-{version.replace('*', 'x')}.json")
    if os.path.exists(kept):
        with open(kept) as file:
            return json.load(file)
    spec = distribution if version == "*" else f"{distribution}=={version}"
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--disable-pip-version-check", "--no-cache-dir", "--only-binary=:all:",
                   "--python-version", "3.12", "--implementation", "cp"]
        for platform in ("2_34", "2_31", "2_28", "2_27", "2_26", "2_25", "2_24", "2_18", "2_17", "2_12", "2_5"):
            command += ["--platform", f"manylinux_{platform}_x86_64"]
        for platform in ("manylinux2014", "manylinux2010", "manylinux1"):
            command += ["--platform", f"{platform}_x86_64"]
        subprocess.run(command + ["--dest", folder, spec], check=True)
        row = read_wheel(os.path.join(folder, os.listdir(folder)[0]))
    with open(kept, "w") as file:
        json.dump(row, file)
    return row


def shortened(library):
    """What goes without saying is left out, and names are one string: every check reads this file
    when it starts."""
    short = dict(library)
    if short.get("soname") == short["path"].rsplit("/", 1)[-1]:
        del short["soname"]
    if "needed" in short:
        short["needed"] = " ".join(short["needed"])
    return short


def main():
    listing, cache = sys.argv[1], sys.argv[2]
    os.makedirs(cache, exist_ok=True)
    rows, failed = [], []
    with open(listing) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    known = {normalise(fields[0]) for fields in lines}
    for distribution, versions, version, *flags in lines:
        options = dict(flag.split("=", 1) for flag in flags if "=" in flag)
        if version == "none":
            read = {"from": "", "requires": options.get("requires", "").split(",")
                    if "requires" in options else [],
                    "libraries": [{"path": path}
                                  for path in options.get("libs", "").split(",") if path]}
        else:
            try:
                read = fetch(distribution, version, cache)
            except subprocess.CalledProcessError:
                failed.append(distribution + " " + version)
                continue
        requires = [line for line in read["requires"]
                    if normalise(re.match(r"[A-Za-z0-9._-]+", line)[0]) in known]
        rows.append({"distribution": normalise(distribution), "versions": versions,
                     "from": read["from"], "cuda": options.get("cuda", ""),
                     "preloads": "preloads" in flags, "requires": requires,
                     "libraries": [shortened(library) for library in read["libraries"]]})
    if failed:
        sys.exit("could not be fetched: " + ", ".join(failed))
    text = json.dumps({"generated_by": "generate_providers.py", "rows": rows}, indent=1)
    print(re.sub(r"\{\s+(\"path\"[^{}]*?)\s+\}",
                 lambda m: "{" + re.sub(r"\s+", " ", m[1]).strip() + "}", text))


main()
