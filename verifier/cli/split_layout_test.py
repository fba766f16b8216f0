#!/usr/bin/env python3
"""Small wheels, installed by pip where purelib and platlib are one directory and where they are two:
what the real loader finds there, the model has to find as well.

    split_layout_test.py WHEELCHECK COMPILER
"""
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

LOADER = Path("/lib64/ld-linux-x86-64.so.2")
SKIPPED = 77
TAG = "py3-none-manylinux_2_28_x86_64"
WHEELCHECK, COMPILER = "", ""

# Each library: what it needs, its RUNPATH. All that is needed is found where both are one.
WHEELS = {
    "top": (False, {
        "top/_plat.abi3.so": (["liblow.so"], "$ORIGIN/../low/lib"),
        "top/_mid.abi3.so": (["libmid.so"], "$ORIGIN/../mid/lib"),
        "top/_own.abi3.so": (["libown.so"], "$ORIGIN/../top.libs"),
        "top/_same.abi3.so": (["libsame.so"], "$ORIGIN/../top.libs"),
        "top/_both.abi3.so": (["libmid.so", "liblow.so"], "$ORIGIN/../mid/lib:$ORIGIN/../low/lib"),
        "top.libs/libsame.so": ([], ""),
        "top-1.0.data/purelib/top.libs/libown.so": ([], ""),
        "top-1.0.data/purelib/top_pure/_pure.abi3.so": (["liblow.so"], "$ORIGIN/../low/lib"),
    }),
    "mid": (False, {"mid/lib/libmid.so": (["liblow.so"], "$ORIGIN/../../low/lib")}),
    "low": (True, {"low/lib/liblow.so": ([], "")}),
}  # fmt: skip
FOUND_IN_TWO = {"_same.abi3.so", "_pure.abi3.so"}


def run(*command, **environment):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, **environment})  # fmt: skip
    if done.returncode not in (0, 1):
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_library(folder, name, needs, runpath):
    stubs = []
    for need in needs:
        stub = folder / "stubs" / need
        stub.parent.mkdir(exist_ok=True)
        run(COMPILER, "-shared", "-nostdlib", f"-Wl,-soname,{need}", "-x", "c", "/dev/null", "-o", stub)
        stubs.append(stub)
    out = folder / "compiled.so"
    paths = ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"] if runpath else []
    subprocess.run([COMPILER, "-shared", "-nostdlib", "-Wl,--no-as-needed", f"-Wl,-soname,{name}", *paths,
                    "-x", "c", "/dev/null", "-x", "none", *stubs, "-o", out], check=True)  # fmt: skip
    return out.read_bytes()


def write_wheel(folder, name):
    pure, libraries = WHEELS[name]
    requires = "".join(f"Requires-Dist: {n}\n" for n in WHEELS if n != name) if name == "top" else ""
    members = {path: compile_library(folder, path.rsplit("/", 1)[1], *facts) for path, facts in libraries.items()}
    members[f"{name}-1.0.dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}".encode()
    members[f"{name}-1.0.dist-info/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: {str(pure).lower()}\nTag: {TAG}\n".encode())
    rows = []
    for path, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}\n")
    record = f"{name}-1.0.dist-info/RECORD"
    members[record] = "".join([*rows, f"{record},,\n"]).encode()
    wheel = folder / f"{name}-1.0-{TAG}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in members.items():
            archive.writestr(path, content)
    return wheel


def install(prefix, layout, wheels):
    """As the pip of an interpreter that was configured with --with-platlibdir=lib64 does it."""
    run(sys.executable, "-c", f"""
import runpy, sys
sys.platlibdir = {"lib64" if layout == "split" else "lib"!r}
sys.argv = ["pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--no-warn-script-location",
            "--disable-pip-version-check", "--prefix", {str(prefix)!r}, *{[str(w) for w in wheels]!r}]
runpy.run_module("pip", run_name="__main__")
""")  # fmt: skip


def directories(prefix):
    return {lib: folder for lib in ("lib", "lib64") for folder in prefix.glob(f"{lib}/python*/site-packages")}


def as_displayed(path, prefix, layout):
    """What a report calls an installed file."""
    path = os.path.normpath(path)
    for lib, folder in directories(prefix).items():
        if path.startswith(f"{folder}/"):
            below = path[len(str(folder)) + 1 :]
            return below if layout == "joined" else f"<{'platlib' if lib == 'lib64' else 'purelib'}>/{below}"
    return path


def real_answers(prefix, layout):
    """By the file that is opened: each name that is asked for, and the file that it gets, or None."""
    answers = {}
    for file in sorted(prefix.rglob("*.abi3.so")):
        listed = run(LOADER, "--inhibit-cache", file, LD_TRACE_LOADED_OBJECTS="1")
        found = {}
        for name, path in re.findall(r"^\t(\S+) => (not found|\S+)", listed, re.M):
            found[name] = None if path == "not found" else as_displayed(path, prefix, layout)
        answers[as_displayed(str(file), prefix, layout)] = found
    return answers


def model_answers(*arguments):
    answers = {}
    for root in json.loads(run(WHEELCHECK, "tree", "--format", "json", *arguments))["roots"]:
        if not root["file"].endswith(".abi3.so"):
            continue
        found = {}
        for one in root["objects"]:
            if one["loads"] or one["verdict"] == "not-found":
                found.setdefault(one["name"], one["file"])
        answers[root["file"]] = found
    return answers


class Layouts(unittest.TestCase):
    def test_the_model_finds_what_the_loader_finds(self):
        with tempfile.TemporaryDirectory(prefix="layout-") as name:
            folder = Path(name)
            wheels = [write_wheel(folder, wheel) for wheel in WHEELS]
            for layout in ("joined", "split"):
                with self.subTest(layout):
                    self.compare(folder, layout, wheels)
            checked = json.loads(run(WHEELCHECK, "check", "--format", "json", "--select", "WC118", wheels[0],
                                     "--with", wheels[1], "--with", wheels[2]))  # fmt: skip
            said = sorted((f["subject"], f["level"]) for f in checked["wheels"][0]["findings"])
            self.assertEqual(said, [("libown.so", "warning"), ("low", "note")])

    def compare(self, folder, layout, wheels):
        prefix = folder / layout
        install(prefix, layout, wheels)
        self.assertEqual(len(directories(prefix)), 2 if layout == "split" else 1)
        real = real_answers(prefix, layout)
        self.assertEqual(len(real), 6)
        whole = {file.rsplit("/", 1)[1] for file, found in real.items() if None not in found.values()}
        everything = {file.rsplit("/", 1)[1] for file in real}
        self.assertEqual(whole, FOUND_IN_TWO if layout == "split" else everything)
        beside = [part for wheel in wheels[1:] for part in ("--with", wheel)]
        told = ["--site-packages-layout", layout]
        self.assertEqual(model_answers(wheels[0], *beside, *told), real)
        folders = [part for path in directories(prefix).values() for part in ("--site-packages", path)]
        self.assertEqual(model_answers(wheels[0], *folders), real, "beside what pip has installed")


if __name__ == "__main__":
    if not LOADER.exists():
        print("skipped: the system's loader is not glibc's for x86_64")
        sys.exit(SKIPPED)
    WHEELCHECK, COMPILER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
