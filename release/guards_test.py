#!/usr/bin/env python3
"""What is refused while a row's build is configured, and what is not.

    guards_test.py --cmake CMAKE [--compiler CXX] [--toolkit DIR...] [unittest's options]

--toolkit: folders of real CUDA toolkits (ci/cuda-toolkit); without them, those tests are skipped.
"""

import argparse
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import rows

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TRAINS = rows.Table().trains
options = argparse.Namespace(cmake="cmake", compiler="c++", toolkit=[])
# What a build looks at besides its own options.
LOOKED_AT = ("CU_VERSION", "DESIRED_CUDA", "CUDACXX", "CUDA_PATH", "CUDA_HOME", "CUDAToolkit_ROOT",
             "CUDAFLAGS", "TORCH_CUDA_ARCH_LIST", "CMAKE_CUDA_COMPILER")


def environment(**changed):
    kept = {name: value for name, value in os.environ.items() if name not in LOOKED_AT}
    return {**kept, **changed}


class Sandbox(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)

    def compiler(self, release, name="nvcc", where="bin"):
        """A program that answers as the nvcc of `release` does."""
        path = self.folder / where / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\necho 'nvcc: NVIDIA (R) Cuda compiler driver'\n"
                        f"echo 'Cuda compilation tools, release {release}, V{release}.99'\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def runtime(self, soname, version, name="libcudart.so"):
        """A shared library of that SONAME, and headers of that CUDART_VERSION."""
        headers = self.folder / "include"
        headers.mkdir(exist_ok=True)
        (headers / "cuda_runtime_api.h").write_text(f"#define CUDART_VERSION  {version}\n")
        real = self.folder / f"{name}.real"
        source = self.folder / "empty.cpp"
        source.write_text("")
        flag = [f"-Wl,-soname,{soname}"] if soname else []
        subprocess.run([options.compiler, "-shared", "-o", real, source, *flag], check=True)
        link = self.folder / name
        link.symlink_to(real.name)
        return link, headers

    def guard(self, call, env=None, **arguments):
        given = [f"-D{name}={value}" for name, value in arguments.items()]
        return subprocess.run(
            [options.cmake, f"-DCALL={call}", *given, "-P", HERE / "guards_test.cmake"],
            env=env or environment(), check=True, text=True, stdout=subprocess.PIPE).stdout

    def by_row(self, call, **arguments):
        lines = [line for line in self.guard(call, **arguments).splitlines() if line]
        answers = dict(line.split(": ", 1) if ": " in line else (line.rstrip(": "), "")
                       for line in lines)
        self.assertEqual(list(answers), [train.label for train in TRAINS])
        return answers


class Contradiction(Sandbox):
    def test_is_what_the_row_does_not_say(self):
        for label in rows.Table().rows:
            for said in ("", "AUTO", "ON", "OFF", "on", "off"):
                with self.subTest(row=label, said=said):
                    message = self.guard("contradiction", LABEL=label, BUILD_CUDA=said).strip()
                    wrong = said.upper() == ("ON" if label == "cpu" else "OFF")
                    self.assertEqual("contradicts the row " + label in message, wrong)
                    self.assertEqual(message == "", not wrong)


class Compiler(Sandbox):
    def test_is_that_of_the_row_in_major_and_minor(self):
        for release in ("11.8", "12.6", "12.9", "13.0", "13.1", "13.2", "14.0"):
            answers = self.by_row("compiler", COMPILER=self.compiler(release))
            for train in TRAINS:
                with self.subTest(row=train.label, release=release):
                    wanted = f"{train.major}.{train.minor}"
                    message = answers[train.label]
                    if wanted == release:
                        self.assertEqual(message, "")
                    else:
                        self.assertIn(f"is CUDA {wanted}", message)
                        self.assertIn(f"is CUDA {release}", message)

    def test_that_is_missing_is_an_error(self):
        for message in self.by_row("compiler", COMPILER="").values():
            self.assertIn("there is none", message)

    def test_that_is_none_is_an_error(self):
        broken = self.folder / "nvcc"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        silent = self.folder / "silent"
        silent.write_text("#!/bin/sh\necho release\n")
        silent.chmod(0o755)
        plain = self.folder / "plain"
        plain.write_text("release 13.0\n")
        for path in (broken, silent, plain, self.folder, self.folder / "nowhere"):
            for message in self.by_row("compiler", COMPILER=path).values():
                self.assertIn("is none, or does not run", message)

    def test_is_searched_in_the_order_of_a_build(self):
        on_path = self.compiler("13.0", where="path")
        in_cuda_path = self.compiler("13.0", where="cuda/bin")
        in_cudacxx = self.compiler("13.0", name="other-nvcc", where="cudacxx")
        given = self.compiler("13.0", where="given")
        path = f"{on_path.parent}:/usr/bin:/bin"
        cuda_path = str(in_cuda_path.parent.parent)
        bare = "/usr/bin:/bin"

        def found(env, **arguments):
            return self.guard("find", env=environment(**env), **arguments).strip()

        everything = {"PATH": path, "CUDA_PATH": cuda_path, "CUDACXX": f"{in_cudacxx} -ccbin g++"}
        self.assertEqual(found(everything, CMAKE_CUDA_COMPILER=given), str(given))
        self.assertEqual(found(everything), str(in_cudacxx))
        self.assertEqual(found({"PATH": path, "CUDA_PATH": cuda_path}), str(on_path))
        self.assertEqual(found({"PATH": bare, "CUDA_PATH": cuda_path}), str(in_cuda_path))
        self.assertEqual(found({"PATH": bare}), "")
        self.assertEqual(found({"PATH": bare, "CUDAToolkit_ROOT": cuda_path,
                                "CMAKE_CUDA_COMPILER": str(given)}), "")
        self.assertEqual(found({"PATH": f"{in_cudacxx.parent}:{bare}", "CUDACXX": "other-nvcc"}),
                         str(in_cudacxx))
        # What was named and is not there is not replaced by what happens to be there.
        self.assertEqual(found({"PATH": path, "CUDACXX": "/nowhere/nvcc"}), "/nowhere/nvcc")


class Runtime(Sandbox):
    def test_is_that_of_the_row_in_library_and_headers(self):
        for index, (soname, version, release) in enumerate(
                (("libcudart.so.11.0", 11080, "11.8"), ("libcudart.so.12", 12060, "12.6"),
                 ("libcudart.so.12", 12090, "12.9"), ("libcudart.so.13", 13000, "13.0"),
                 ("libcudart.so.13", 13010, "13.1"), ("libcudart.so.13", 13020, "13.2"),
                 ("libcudart.so.14", 14000, "14.0"), ("libcudart.so.13", 12060, "12.6"))):
            library, headers = self.runtime(soname, version, f"libcudart{index}.so")
            answers = self.by_row("runtime", LIBRARY=library, HEADERS=headers)
            for train in TRAINS:
                with self.subTest(row=train.label, soname=soname, release=release):
                    message = answers[train.label]
                    if soname != train.cudart:
                        self.assertIn(f"needs {train.cudart}", message)
                        self.assertIn(f"is {soname}", message)
                    elif release != f"{train.major}.{train.minor}":
                        self.assertIn(f"is CUDA {train.major}.{train.minor}", message)
                        self.assertIn(f"is of CUDA {release}", message)
                    else:
                        self.assertEqual(message, "")

    def test_that_cannot_be_read_is_an_error(self):
        library, headers = self.runtime("", 13000)
        text = self.folder / "libcudart.txt"
        text.write_text("INPUT(libcudart.so.13)\n")
        for path in (library, text, self.folder / "nowhere.so", "CUDA_cudart_LIBRARY-NOTFOUND", ""):
            for message in self.by_row("runtime", LIBRARY=path, HEADERS=headers).values():
                self.assertIn("is no shared library with a SONAME", message)

    def test_without_headers_is_an_error(self):
        library, _ = self.runtime("libcudart.so.13", 13000)
        message = self.by_row("runtime", LIBRARY=library, HEADERS=self.folder / "none")["cu130"]
        self.assertIn("headers were not found", message)


class Configuration(Sandbox):
    """A project that includes what ours includes, configured."""

    def configure(self, *arguments, **env):
        source = self.folder / "source"
        source.mkdir(exist_ok=True)
        if not (source / "rules").exists():
            (source / "rules").symlink_to(ROOT / "rules")
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(row LANGUAGES CXX)\n"
            f'list(APPEND CMAKE_MODULE_PATH "{ROOT / "cmake"}")\ninclude(ProjectCuda)\n'
            'message(STATUS "built: ${WHEELCHECK_CUDA_FOUND} ${CMAKE_CUDA_COMPILER}")\n')
        build = Path(tempfile.mkdtemp(dir=self.folder))
        done = subprocess.run(
            [options.cmake, "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={options.compiler}",
             *arguments],
            env=environment(**env), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, re.sub(r"\s+", " ", done.stdout)

    def refused(self, what, *arguments, **env):
        code, output = self.configure(*arguments, **env)
        self.assertNotEqual(code, 0, output)
        self.assertIn(what, output)

    def test_of_an_unknown_row_names_the_known_ones(self):
        self.refused("rows: cpu, cu126, cu130, cu132", "-DWHEELCHECK_ROW=cu128")
        self.refused("digits alone", "-DWHEELCHECK_ROW=126")

    def test_of_a_contradiction_is_refused(self):
        self.refused("contradicts the row cpu", "-DWHEELCHECK_ROW=cpu", "-DWHEELCHECK_BUILD_CUDA=ON")
        self.refused("contradicts the row cu130", "-DWHEELCHECK_ROW=cu130",
                     "-DWHEELCHECK_BUILD_CUDA=OFF")

    def test_of_a_cuda_row_without_a_toolkit_is_refused(self):
        for said in ([], ["-DWHEELCHECK_BUILD_CUDA=ON"], ["-DWHEELCHECK_BUILD_CUDA=AUTO"]):
            self.refused("there is none", "-DWHEELCHECK_ROW=cu130", *said, PATH="/usr/bin:/bin")

    def test_of_a_cuda_row_with_another_toolkit_is_refused(self):
        nvcc = self.compiler("12.9")
        self.refused("the row cu126 is CUDA 12.6, but the compiler", "-DWHEELCHECK_ROW=cu126",
                     CUDACXX=str(nvcc))

    def test_of_the_cpu_row_ignores_a_toolkit(self):
        self.compiler("13.0")
        for said in ([], ["-DWHEELCHECK_BUILD_CUDA=AUTO"], ["-DWHEELCHECK_BUILD_CUDA=OFF"]):
            code, output = self.configure("-DWHEELCHECK_ROW=cpu", *said,
                                          PATH=f"{self.folder}/bin:{os.environ['PATH']}")
            self.assertEqual(code, 0, output)
            self.assertIn("built: FALSE", output)

    def test_of_each_row_with_a_real_toolkit_is_as_its_release_says(self):
        if not options.toolkit:
            self.skipTest("no toolkit was given")
        for toolkit in options.toolkit:
            nvcc = Path(toolkit) / "bin/nvcc"
            text = subprocess.run([nvcc, "--version"], text=True, check=True,
                                  stdout=subprocess.PIPE).stdout
            release = re.search(r"release (\d+\.\d+)", text).group(1)
            for train in TRAINS:
                with self.subTest(row=train.label, toolkit=release):
                    code, output = self.configure(f"-DWHEELCHECK_ROW={train.label}",
                                                  CUDACXX=str(nvcc))
                    if f"{train.major}.{train.minor}" == release:
                        self.assertEqual(code, 0, output)
                        self.assertIn(f"built: TRUE {nvcc}", output)
                    else:
                        self.assertNotEqual(code, 0, output)
                        self.assertIn(f"is CUDA {release}", output)

    def test_of_a_row_has_its_own_architectures_whatever_the_environment_lists(self):
        toolkit = next((Path(one) for one in options.toolkit if "13.0" in str(one)), None)
        if toolkit is None:
            self.skipTest("the toolkit of 13.0 was not given")
        code, output = self.configure("-DWHEELCHECK_ROW=cu130", CUDACXX=str(toolkit / "bin/nvcc"),
                                      TORCH_CUDA_ARCH_LIST="9.0a")
        self.assertEqual(code, 0, output)
        train = rows.Table().read("cu130").train
        machine = "aarch64" if os.uname().machine == "aarch64" else "x86_64"
        codes = [f"{one}-real" for one in train.architectures[machine]]
        self.assertIn(f"code for {';'.join(codes)};{train.architectures[machine][-1]}-virtual", output)

    def test_of_a_compiler_with_the_runtime_of_another_release_is_refused(self):
        if not options.toolkit:
            self.skipTest("no toolkit was given")
        library, _ = self.runtime("libcudart.so.12", 12080)
        self.refused("is libcudart.so.12", "-DWHEELCHECK_ROW=cu130",
                     f"-DCUDA_cudart_LIBRARY={library}",
                     CUDACXX=str(Path(options.toolkit[0]) / "bin/nvcc"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--toolkit", action="append", default=[])
    options, rest = parser.parse_known_args()
    options.toolkit = [folder for folder in options.toolkit if folder]
    unittest.main(argv=[sys.argv[0], *rest])
