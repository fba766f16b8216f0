#!/usr/bin/env python3
"""Builds a user's project against the installed package, as a user would.

    sdk_test.py --build BUILD --cmake CMAKE [--cmake CMAKE...] [--compiler CXX]
                [--exports DIR] [--upstream DIR] [--generators NAMES]

For each CMake and each generator: the package is installed, found, linked and run; the run search
path says what it should; the program runs in an empty environment after everything was moved. What
must not work (a missing component, a wrong version) must fail when the project is configured, and
say why. --upstream builds the same project, unchanged, against upstream's package.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONSUMER = HERE / "consumer"
# What a program's run search path begins with: next to it, then ../lib. The package's own folder
# follows, for as long as nothing was moved.
RUNPATH = ["$ORIGIN", "$ORIGIN/../lib"]

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr)


def run(command, **options):
    options.setdefault("env", os.environ)
    return subprocess.run(
        [str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\nexited with {done.returncode}")
    return done.stdout


class Tool:
    """A CMake with a generator."""

    def __init__(self, cmake, generator, compiler):
        self.cmake = cmake
        self.generator = generator
        self.compiler = compiler
        version = must([cmake, "--version"]).split()[2]
        self.version = tuple(int(number) for number in version.split(".")[:2])
        self.name = f"CMake {version}, {generator}"

    def configure(self, source, build, *options):
        compiler = [f"-DCMAKE_CXX_COMPILER={self.compiler}"] if self.compiler else []
        return run([self.cmake, "-S", source, "-B", build, "-G", self.generator, *compiler, *options])


def runpath(binary):
    """The binary's DT_RUNPATH, entry by entry."""
    found = re.findall(r"\(RUNPATH\).*\[(.*)\]", must(["readelf", "-dW", binary]))
    return found[0].split(":") if found else []


def needed(binary):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", must(["readelf", "-dW", binary]))


def build_and_move(tool, package, folder, kernels, programs, surface):
    """The whole way of a user: configure, build, run, install, move away, run again."""
    build = folder / "build"
    name = f"{tool.name}, {'kernels' if kernels else 'runtime only'}"
    options = [f"-DCMAKE_PREFIX_PATH={package}", f"-DCMAKE_INSTALL_PREFIX={folder / 'installed'}"]
    configured = tool.configure(CONSUMER, build, *options,
                                f"-DCONSUMER_KERNELS={'ON' if kernels else 'OFF'}",
                                f"-DCONSUMER_SURFACE={'ON' if surface else 'OFF'}")
    if configured.returncode != 0:
        check(False, f"{name}: configuring:\n{configured.stdout}")
        return
    built = run([tool.cmake, "--build", build, "--parallel", "2"])
    if built.returncode != 0:
        check(False, f"{name}: building:\n{built.stdout}")
        return
    must([tool.cmake, "--install", build])
    for binary in (build / "consumer", folder / "installed/bin/consumer"):
        paths = runpath(binary)
        check([path for path in paths if path in RUNPATH] == RUNPATH, f"{name}: RUNPATH {paths}")
        stray = [path for path in paths if path not in RUNPATH and Path(path) != package / "lib"]
        check(not any(stray), f"{name}: RUNPATH has {stray}")
    check(("libexecutorch_kernels_optimized.so" in needed(build / "consumer")) == kernels,
          f"{name}: NEEDED {needed(build / 'consumer')}")
    expect_run(name + ", in place", build / "consumer", kernels, programs)

    # Elsewhere, with the libraries where the search path looks; nothing stays where it was.
    moved = folder / "moved"
    (moved / "bin").mkdir(parents=True)
    shutil.copy2(folder / "installed/bin/consumer", moved / "bin/consumer")
    shutil.copytree(package / "lib", moved / "lib", ignore=shutil.ignore_patterns("cmake"))
    hidden = package.with_name(package.name + ".hidden")
    package.rename(hidden)
    try:
        expect_run(name + ", moved", moved / "bin/consumer", kernels, programs)
    finally:
        hidden.rename(package)


def unpack_programs(exports, folder):
    """A program for the CPU and one for CUDA, by name."""
    programs = {}
    for name, member in {"cpu": "1.5.1/cpu_add/model.pte", "cuda": "1.5.1/add/model.pte"}.items():
        programs[name] = folder / f"{name}.pte"
        with tarfile.open(exports / f"{name}.tar.xz") as archive:
            programs[name].write_bytes(archive.extractfile(member).read())
    return programs


def expect_run(name, binary, kernels, programs):
    done = run([binary], env={}, cwd="/")
    check(done.returncode == 0 and "all is well" in done.stdout, f"{name}: says {done.stdout}")
    check(f"kernels {'yes' if kernels else 'no'}" in done.stdout, f"{name}: says {done.stdout}")
    done = run([binary, programs["cpu"]], env={}, cwd="/")
    if kernels:
        check(done.returncode == 0 and "output 2" in done.stdout, f"{name}: add: {done.stdout}")
    else:
        check(done.returncode == 1 and "Missing operator" in done.stdout
              and "executorch::kernels_optimized" in done.stdout, f"{name}: add: {done.stdout}")
    if "cuda" in programs:
        done = run([binary, programs["cuda"]], env={}, cwd="/")
        check(done.returncode == 1 and "CudaBackend is not registered" in done.stdout
              and "executorch::backend_cuda" in done.stdout, f"{name}: cuda: {done.stdout}")


def expect_refused(tool, package, folder, request, words):
    """find_package(executorch <request>) fails when it is configured, in these words."""
    source = folder / "refused"
    source.mkdir(parents=True, exist_ok=True)
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.19...4.0)\nproject(refused LANGUAGES CXX)\n"
        f"find_package(executorch {request})\n"
        "foreach(what IN ITEMS executorch executorch_backend_cuda)\n"
        "  if(${what}_FOUND)\n    message(STATUS \"${what}: yes\")\n"
        "  else()\n    message(STATUS \"${what}: no\")\n  endif()\nendforeach()\n")
    build = folder / "refused-build"
    shutil.rmtree(build, ignore_errors=True)
    done = tool.configure(source, build, f"-DCMAKE_PREFIX_PATH={package}")
    text = " ".join(done.stdout.split())
    for word in words:
        check(word in text, f"{tool.name}: find_package(executorch {request}) says {done.stdout}")
    return done.returncode


def check_requests(tool, package, folder):
    for request in ("1.5", "1.0", "", "REQUIRED", "1.0...<2.0", "1.5...1.9"):
        code = expect_refused(tool, package, folder, request, ["executorch: yes"])
        check(code == 0, f"{tool.name}: find_package(executorch {request}) fails")
    for request in ("2.0", "0.1", "1.9", "1.0...<1.5", "1.6...<2.0", "1.5 EXACT"):
        expect_refused(tool, package, folder, request, ["executorch: no"])
    code = expect_refused(tool, package, folder, "REQUIRED COMPONENTS runtime backend_cuda",
                          ["has no component backend_cuda", "it has runtime"])
    check(code != 0, f"{tool.name}: a missing component is not an error")
    expect_refused(tool, package, folder, "COMPONENTS backend_cuda", ["executorch: no", "executorch_backend_cuda: no"])
    expect_refused(tool, package, folder, "REQUIRED OPTIONAL_COMPONENTS backend_cuda",
                   ["executorch: yes", "executorch_backend_cuda: no"])
    incomplete = folder / "incomplete"
    shutil.rmtree(incomplete, ignore_errors=True)
    shutil.copytree(package, incomplete)
    shutil.rmtree(incomplete / "include")
    expect_refused(tool, incomplete, folder, "", ["executorch: no"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, help="the build whose package is tested")
    parser.add_argument("--package", type=Path, help="a package that is installed already")
    parser.add_argument("--cmake", action="append", required=True)
    parser.add_argument("--compiler", default="")
    parser.add_argument("--generators", default="Unix Makefiles,Ninja")
    parser.add_argument("--exports", type=Path, required=True, help="fixtures/exports")
    parser.add_argument("--upstream", type=Path, help="upstream's package")
    options = parser.parse_args()
    generators = [name for name in options.generators.split(",")
                  if shutil.which({"Ninja": "ninja", "Unix Makefiles": "make"}[name])]
    if not generators:
        sys.exit("neither make nor ninja is here")

    with tempfile.TemporaryDirectory(prefix="sdk test ") as name:  # with spaces, as paths may have
        work = Path(name)
        programs = unpack_programs(options.exports, work)
        package = work / "package"
        if options.package:
            shutil.copytree(options.package, package)
        else:
            must([options.cmake[0], "--install", options.build, "--component", "runtime",
                  "--prefix", package])
        kernels = [False]
        if (package / "lib/libexecutorch_kernels_optimized.so").exists():
            kernels.append(True)
        else:
            print("not tested: the package has no kernels")
        runner = package / "bin/executor_runner"
        if runner.exists():
            check(runpath(runner) == ["$ORIGIN/../lib"], f"executor_runner: RUNPATH {runpath(runner)}")
            done = run([runner, f"--model_path={programs['cpu']}"], env={}, cwd="/")
            check(done.returncode == 0 and "output 0" in done.stdout, f"executor_runner: {done.stdout}")
        ran = 0
        for cmake in options.cmake:
            for generator in generators:
                tool = Tool(cmake, generator, options.compiler)
                print(tool.name, flush=True)
                for with_kernels in kernels:
                    folder = work / f"run {ran}"
                    folder.mkdir()
                    # The whole interface is compiled once.
                    build_and_move(tool, package, folder, with_kernels, programs, ran == 0)
                    ran += 1
            check_requests(tool, package, work / f"requests {ran}")
        if options.upstream:
            # The newest CMake: upstream's package wants 3.28.
            tool = Tool(options.cmake[-1], generators[-1], options.compiler)
            build = work / "upstream"
            done = tool.configure(CONSUMER, build, f"-DCMAKE_PREFIX_PATH={options.upstream}",
                                  "-DCONSUMER_KERNELS=ON", "-DCONSUMER_SURFACE=ON")
            done = run([tool.cmake, "--build", build, "--parallel", "2"]) if done.returncode == 0 else done
            check(done.returncode == 0, f"upstream: {done.stdout}")
            if done.returncode == 0:
                expect_run("upstream", build / "consumer", True,
                           {"cpu": programs["cpu"]})
                print("upstream: the same source builds and runs")
    print(f"{ran} builds, {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
