"""What is done to a wheel after it was built: libraries are stripped, get the search paths that they
need, METADATA gets the requirements and the wheel the platform that follow from them. Nothing is changed
afterwards."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Optional

import hops
import pack
import platform_tag
import rows

# Members that a CPU wheel must not have: what is CUDA's, and what is of no use without it.
CUDA_MEMBERS = re.compile(
    r"(^executorch/(backends/cuda/.*\.so|lib/lib(executorch_)?extension_cuda\.so|"
    r"lib/libexecutorch_backend_cuda\.so|data/lib/.*|include/executorch/extension/cuda/.*)$)|"
    r"(^|/)lib(cud|cublas|nvrtc|nv)[^/]*\.so[^/]*$")


class WheelError(ValueError):
    """What was built is not a wheel of its row."""


def _run(*command) -> str:
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise WheelError(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_members(tree: Path) -> Dict[str, Path]:
    """Every ELF file, whatever it is called."""
    return {path.relative_to(tree).as_posix(): path for path in sorted(tree.rglob("*"))
            if path.is_file() and is_elf(path)}


def tools() -> Dict[str, str]:
    """The programs that are used; a cross build names its own by OBJCOPY and STRIP."""
    found = {"objcopy": os.environ.get("OBJCOPY") or shutil.which("objcopy"),
             "strip": os.environ.get("STRIP") or shutil.which("strip"),
             "patchelf": shutil.which("patchelf"), "readelf": shutil.which("readelf")}
    for name, program in found.items():
        if not program:
            raise WheelError(f"{name} is not on PATH, and a wheel cannot be finished without it")
    return found


def separate_debug(programs, path: Path, debug: Optional[Path]) -> None:
    """Strips `path`; what is taken away goes to `debug`, to which the stripped file points."""
    if debug is not None:
        debug.parent.mkdir(parents=True, exist_ok=True)
        _run(programs["objcopy"], "--only-keep-debug", path, debug)
    _run(programs["strip"], "--strip-unneeded", path)
    if debug is not None:
        _run(programs["objcopy"], f"--add-gnu-debuglink={debug}", path)


def set_paths(programs, members: Dict[str, Path], planned: hops.Plan) -> None:
    for member, path in members.items():
        wanted = planned.paths[member]
        if wanted:
            _run(programs["patchelf"], "--set-rpath", wanted, path)
        elif _run(programs["patchelf"], "--print-rpath", path):
            # What is only removed stays in the table of strings; what is replaced is overwritten.
            _run(programs["patchelf"], "--set-rpath", "$ORIGIN", path)
            _run(programs["patchelf"], "--remove-rpath", path)
        if _run(programs["patchelf"], "--print-rpath", path) != wanted:
            raise WheelError(f"{member}: the search path could not be set to {wanted}")


def check_identity(programs, members: Dict[str, Path]) -> None:
    """A library has its file name as SONAME: who needs it asks for the one and looks for the other."""
    for member, path in members.items():
        name = path.name
        if name.endswith(".so") or ".so." in name:
            soname = _run(programs["patchelf"], "--print-soname", path)
            if soname != name:
                raise WheelError(f"{member}: the SONAME is '{soname}'")


def check_content(row: rows.Row, tree: Path, planned: hops.Plan) -> None:
    """Whether what was built is of the row at all; that it is right is judged by wheelcheck."""
    members = [path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()]
    cuda = sorted(member for member in members if CUDA_MEMBERS.search(member))
    if row.train is None and cuda:
        raise WheelError(f"the row is cpu, but the wheel has {cuda[0]}")
    if row.train is not None and row.train.requirement not in planned.requirements:
        raise WheelError(f"the row is {row.label}, but nothing in the wheel needs {row.train.cudart}: "
                         "the CUDA libraries were not built")


def set_requirements(metadata: Path, requirements: List[str], providers: hops.Providers) -> None:
    """Requires-Dist of CUDA libraries become exactly `requirements`."""
    head, separator, body = metadata.read_text(encoding="utf-8").partition("\n\n")
    kept = [line for line in head.split("\n") if not re.match(r"Requires-Dist: *(nvidia-|cuda)", line)]
    places = [i for i, line in enumerate(kept) if line.startswith(("Requires-Dist:", "Version:"))]
    at = places[-1] + 1
    kept[at:at] = [f"Requires-Dist: {requirement}" for requirement in requirements]
    metadata.write_text("\n".join(kept) + separator + body, encoding="utf-8")


def named_for_platform(programs, wheel: Path, members: Dict[str, Path], info: Path) -> Path:
    """The name of a wheel that was built for "linux", which says nothing of the libraries that it
    needs there, with the platform that does; WHEEL is changed accordingly."""
    built = re.search(r"-linux_(\w+)\.whl$", wheel.name)
    if not built:
        return wheel  # whoever builds has named it
    versions = set()
    for path in members.values():
        versions |= platform_tag.system_versions(_run(programs["readelf"], "-VW", path))
    platform = platform_tag.manylinux(built.group(1), versions)
    if platform is None:
        print(f"{wheel.name}: no manylinux that is known has all of {', '.join(sorted(versions))}",
              file=sys.stderr)
        return wheel
    facts = info / "WHEEL"
    text = facts.read_text(encoding="utf-8")
    facts.write_text(re.sub(r"(?m)^(Tag: .*)-linux_\w+$", rf"\1-{platform}", text), encoding="utf-8")
    return wheel.with_name(wheel.name[:built.start()] + f"-{platform}.whl")


def finish(wheel: Path, row: rows.Row, debug: Optional[Path] = None) -> Path:
    """Rewrites `wheel`, and gives the file that it is then: its name has the platform. Debug information
    goes below `debug`, and nowhere if that is None."""
    programs = tools()
    providers = hops.Providers(row)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        pack.unpack(wheel, tree)
        members = elf_members(tree)
        if not members:
            raise WheelError(f"{wheel.name} has no libraries")
        for member, path in members.items():
            separate_debug(programs, path, debug / f"{member}.debug" if debug else None)
        check_identity(programs, members)
        needed = {member: _run(programs["patchelf"], "--print-needed", path).split()
                  for member, path in members.items()}
        planned = hops.plan(needed, providers)
        set_paths(programs, members, planned)
        check_content(row, tree, planned)
        info = next(tree.glob("*.dist-info"))
        set_requirements(info / "METADATA", planned.requirements, providers)
        finished = named_for_platform(programs, wheel, members, info)
        made = Path(folder) / wheel.name
        pack.pack(tree, made)
        wheel.unlink()
        shutil.move(str(made), str(finished))
    return finished
