#!/usr/bin/env python3
"""Breaks copies of a wheel in the ways that wheels are broken, one each, and sees whether the gate
names the defect.

    mutations.py --wheelcheck PROGRAM [--ignore RULE]... WHEEL...

The wheel itself has to be clean, but for rules to be ignored. Exit code 1: a defect got through, or
was called something else.
Needs patchelf, and objcopy for the wheel's machine.
"""

import argparse
import json
import platform as machines
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, List, NamedTuple, Set

import pack
import rows

RUNTIME = "executorch/lib/libexecutorch.so"
KERNELS = "executorch/lib/libexecutorch_kernels_optimized.so"
DELEGATE = "executorch/lib/libexecutorch_backend_cuda.so"
SHIMS = "executorch/backends/cuda/libaoti_cuda_shims.so"


def run(*command) -> str:
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def objcopy_for(library: Path) -> str:
    """An objcopy that writes files of the library's machine: distributions build one for each."""
    machine = {62: "x86_64", 183: "aarch64"}[int.from_bytes(library.read_bytes()[18:20], "little")]
    return "objcopy" if machine == machines.machine() else f"{machine}-linux-gnu-objcopy"


def train_of(tree: Path) -> rows.Train:
    label = re.search(r"\+(\w+)$", next(tree.glob("*.dist-info")).name[:-len(".dist-info")]).group(1)
    return rows.Table().read(label).train


def edit_metadata(tree: Path, edit: Callable[[str], str]) -> None:
    path = next(tree.glob("*.dist-info")) / "METADATA"
    text = path.read_text(encoding="utf-8")
    changed = edit(text)
    assert changed != text, "the defect was not made"
    path.write_text(changed, encoding="utf-8")


def copy_of_runtime(tree: Path, to: str, soname: str) -> None:
    """A library of that name: no code of CUDA's, but a file where none belongs."""
    path = tree / to
    path.write_bytes((tree / RUNTIME).read_bytes())
    run("patchelf", "--set-soname", soname, path)


# --- of every wheel ---------------------------------------------------------


def drop_runtime(tree: Path) -> None:
    (tree / RUNTIME).unlink()


def build_path(tree: Path) -> None:
    run("patchelf", "--set-rpath", "/tmp/build/lib:$ORIGIN", tree / KERNELS)


def no_path(tree: Path) -> None:
    run("patchelf", "--remove-rpath", tree / KERNELS)


def wrong_depth(tree: Path) -> None:
    run("patchelf", "--set-rpath", "$ORIGIN/../../lib", tree / KERNELS)


def versioned_soname(tree: Path) -> None:
    run("patchelf", "--set-soname", "libexecutorch_kernels_optimized.so.1", tree / KERNELS)


def stale_library(tree: Path) -> None:
    copy_of_runtime(tree, "executorch/lib/libexecutorch_portable.so", "libexecutorch_portable.so")


def another_version(tree: Path) -> None:
    path = tree / "executorch/lib/cmake/executorch/executorch-config-version.cmake"
    path.write_text(path.read_text(encoding="utf-8").replace("1.5.1", "1.5.0"), encoding="utf-8")


# --- of a CPU wheel ---------------------------------------------------------


def cuda_header(tree: Path) -> None:
    path = tree / "executorch/include/executorch/extension/cuda/caller_stream.h"
    path.parent.mkdir(parents=True)
    path.write_text("#pragma once\ntypedef struct CUstream_st* cudaStream_t;\n", encoding="utf-8")


def cuda_requirement(tree: Path) -> None:
    requirement = rows.Table().trains[-1].requirement
    edit_metadata(tree, lambda text: text.replace("\n\n", f"\nRequires-Dist: {requirement}\n\n", 1))


def cuda_needed(tree: Path) -> None:
    run("patchelf", "--add-needed", "libcudart.so.13", tree / KERNELS)


def cuda_delegate(tree: Path) -> None:
    copy_of_runtime(tree, DELEGATE, Path(DELEGATE).name)


def bundled_in_cpu(tree: Path) -> None:
    copy_of_runtime(tree, "executorch/lib/libcudart.so.13", "libcudart.so.13")


def import_library(tree: Path) -> None:
    path = tree / "executorch/data/lib/aoti_cuda_shims.lib"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"!<arch>\n")


# --- of a CUDA wheel --------------------------------------------------------


def other_major(tree: Path) -> None:
    train = train_of(tree)
    other = next(one for one in rows.Table().trains if one.major != train.major)
    for library in (SHIMS, DELEGATE):
        run("patchelf", "--replace-needed", train.cudart, other.cudart, tree / library)


def other_requirement(tree: Path) -> None:
    train = train_of(tree)
    other = next(one for one in rows.Table().trains if one.major != train.major)
    name = re.escape(train.requirement.partition(";")[0].partition(">")[0])
    edit_metadata(tree, lambda text: re.sub(
        rf"Requires-Dist: {name}[ >].*", f"Requires-Dist: {other.requirement}", text))


def no_requirement(tree: Path) -> None:
    edit_metadata(tree, lambda text: re.sub(r"Requires-Dist: nvidia-cuda-runtime.*\n", "", text))


def drop_shims(tree: Path) -> None:
    (tree / SHIMS).unlink()


def fixed_depth(tree: Path) -> None:
    """The hop of lib/ on a file that lies one folder deeper."""
    directory = train_of(tree).runtime_directory
    run("patchelf", "--set-rpath", f"$ORIGIN/../../lib:$ORIGIN/../../{directory}", tree / SHIMS)


def no_shims_edge(tree: Path) -> None:
    run("patchelf", "--remove-needed", Path(SHIMS).name, tree / DELEGATE)


def windows_requirement(tree: Path) -> None:
    edit_metadata(tree, lambda text: re.sub(r"(Requires-Dist: nvidia-cuda-runtime.*)Linux", r"\1Windows",
                                            text))


def drop_device_code(tree: Path) -> None:
    run(objcopy_for(tree / SHIMS), "--remove-section", ".nv_fatbin", "--remove-section",
        ".nvFatBinSegment", tree / SHIMS)


def bundled_runtime(tree: Path) -> None:
    name = train_of(tree).cudart
    copy_of_runtime(tree, f"executorch/lib/{name}", name)


class Mutation(NamedTuple):
    what: str
    make: Callable[[Path], None]
    rules: Set[str]  # each must fire
    kind: str  # "any", "cpu" or "cuda"


MUTATIONS: List[Mutation] = [
    Mutation("the runtime is missing", drop_runtime, {"required-file-missing"}, "any"),
    Mutation("a search path of the build machine", build_path, {"search-path-builder"}, "any"),
    Mutation("no search path", no_path, {"needed-by-luck"}, "any"),
    Mutation("a search path that climbs too far", wrong_depth, {"search-path-wrong-depth"}, "any"),
    Mutation("a SONAME with a version", versioned_soname, {"soname-not-file-name"}, "any"),
    Mutation("a library of an older build", stale_library, {"unexpected-library"}, "any"),
    Mutation("one of the version files is old", another_version, {"version-file-mismatch"}, "any"),
    Mutation("a CUDA header in a CPU wheel", cuda_header, {"cpu-cuda-header"}, "cpu"),
    Mutation("a CUDA requirement of a CPU wheel", cuda_requirement, {"cpu-cuda-requirement"}, "cpu"),
    Mutation("a CPU library needs CUDA", cuda_needed, {"cpu-cuda-needed"}, "cpu"),
    Mutation("the CUDA delegate in a CPU wheel", cuda_delegate, {"cpu-cuda-library"}, "cpu"),
    Mutation("the CUDA runtime in a CPU wheel", bundled_in_cpu, {"cpu-cuda-library"}, "cpu"),
    Mutation("an import library in a CPU wheel", import_library, {"cpu-cuda-import-library"}, "cpu"),
    Mutation("libraries of another train", other_major, {"cuda-major-mismatch"}, "cuda"),
    Mutation("the requirement of another train", other_requirement, {"cuda-requirement-wrong"}, "cuda"),
    Mutation("no CUDA requirement", no_requirement, {"cuda-requirement-missing"}, "cuda"),
    Mutation("the shims are missing", drop_shims, {"needed-not-found"}, "cuda"),
    Mutation("a hop of another depth", fixed_depth, {"search-path-wrong-depth"}, "cuda"),
    Mutation("the delegate does not need the shims", no_shims_edge, {"required-edge-missing"}, "cuda"),
    Mutation("a CUDA requirement for Windows", windows_requirement, {"cuda-requirement-ineffective"},
             "cuda"),
    Mutation("the kernels were dropped", drop_device_code, {"device-code-absent"}, "cuda"),
    Mutation("the CUDA runtime is bundled", bundled_runtime, {"cuda-library-vendored"}, "cuda"),
]


def relabel(wheel: Path, folder: Path, label: str) -> Path:
    """The same content under another row's name."""
    tree = folder / "tree"
    pack.unpack(wheel, tree)
    old = re.search(r"\+(\w+)-", wheel.name).group(1)
    info = next(tree.glob("*.dist-info"))
    info.rename(tree / info.name.replace(f"+{old}", f"+{label}"))
    edit_metadata(tree, lambda text: text.replace(f"+{old}", f"+{label}", 1))
    for path in tree.rglob("*"):
        if path.name in ("version.py", "executorch-config-version.cmake"):
            path.write_text(path.read_text(encoding="utf-8").replace(f"+{old}", f"+{label}"),
                            encoding="utf-8")
    made = folder / wheel.name.replace(f"+{old}-", f"+{label}-")
    pack.pack(tree, made, level=1)
    return made


def replatform(wheel: Path, folder: Path, platform: str) -> Path:
    """The same content for another platform of the same machine, in the name and in WHEEL."""
    tree = folder / "tree"
    pack.unpack(wheel, tree)
    old = wheel.stem.rpartition("-")[2]
    new = re.sub(r"^(many)?linux(_\d+_\d+)?", platform, old)
    path = next(tree.glob("*.dist-info")) / "WHEEL"
    text = path.read_text(encoding="utf-8")
    assert new != old and f"-{old}\n" in text, "the defect was not made"
    path.write_text(text.replace(f"-{old}\n", f"-{new}\n"), encoding="utf-8")
    made = folder / wheel.name.replace(f"-{old}.whl", f"-{new}.whl")
    pack.pack(tree, made, level=1)
    return made


def judge(command: List[str], wheel: Path):
    """Exit code, and the slugs of the errors."""
    done = subprocess.run([*command, wheel], text=True, stdout=subprocess.PIPE)
    report = json.loads(done.stdout)
    return done.returncode, {finding["slug"] for one in report["wheels"]
                             for finding in one["findings"] if finding["level"] == "error"}


def mutate(command: List[str], wheel: Path) -> List[str]:
    """What went wrong, one line each."""
    failures = []
    code, found = judge(command, wheel)
    if code != 0:
        return [f"{wheel.name} is not clean to begin with: {', '.join(sorted(found))}"]
    kind = "cpu" if "+cpu-" in wheel.name else "cuda"

    def expect(what: str, made: Path, rules: Set[str]) -> None:
        code, found = judge(command, made)
        missed = rules - found
        print(f"{'MISSED' if missed or code != 1 else 'caught'}  {what}: {', '.join(sorted(found))}")
        if missed or code != 1:
            failures.append(f"{what}: exit code {code}, no {', '.join(sorted(missed))}")

    for mutation in MUTATIONS:
        if mutation.kind not in ("any", kind):
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            pack.unpack(wheel, tree)
            mutation.make(tree)
            made = Path(folder) / wheel.name
            pack.pack(tree, made, level=1)
            expect(mutation.what, made, mutation.rules)
    relabelled = [("a CPU wheel with a CUDA label", "cu130", "label-without-cuda")]
    if kind == "cuda":
        label = re.search(r"\+(\w+)-", wheel.name).group(1)
        major = rows.Table().read(label).train.major
        relabelled = [("a CUDA wheel with a CPU label", "cpu", "cpu-cuda-library")]
        relabelled += [(f"device code of {label} called {other}", other, "toolkit-mismatch")
                       for other in rows.Table().rows if other != label
                       and getattr(rows.Table().read(other).train, "major", None) == major]
    for what, label, rule in relabelled:
        with tempfile.TemporaryDirectory() as folder:
            expect(what, relabel(wheel, Path(folder), label), {rule})
    with tempfile.TemporaryDirectory() as folder:
        expect("a platform older than what is needed",
               replatform(wheel, Path(folder), "manylinux_2_17"), {"symbol-version-too-new"})
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheelcheck", required=True)
    parser.add_argument("--ignore", action="append", default=[])
    parser.add_argument("wheels", nargs="+", type=Path)
    options = parser.parse_args()
    command = [options.wheelcheck, "check", "--format", "json"]
    for rule in options.ignore:
        command += ["--ignore", rule]
    failures = []
    for wheel in options.wheels:
        failures += mutate(command, wheel)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
