#!/usr/bin/env python3
"""Finishes small wheels of real libraries, and looks at what came out.

    finish_test.py [--compiler CXX] [unittest's options]        needs patchelf and binutils
"""

import argparse
import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import finish
import metadata
import pack
import rows

options = argparse.Namespace(compiler="c++")
SHIMS = "executorch/backends/cuda/libaoti_cuda_shims.so"
RUNTIME = "executorch/lib/libexecutorch.so"
KERNELS = "executorch/lib/libexecutorch_kernels_optimized.so"
EXTENSION = "executorch/extension/pybindings/_C.cpython-312-x86_64-linux-gnu.so"


def run(*command, cwd=None):
    # readelf prints bytes of sections as they are; they need not be text.
    return subprocess.run([str(part) for part in command], check=True, text=True, cwd=cwd,
                          errors="backslashreplace", stdout=subprocess.PIPE).stdout


class SmallWheel(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"

    def library(self, path, needs=(), soname=None, runpath="/where/it/was/built"):
        """A library with debug information. `needs`: libraries, made already, or names of others'."""
        path.parent.mkdir(parents=True, exist_ok=True)
        source = self.folder / "source.cpp"
        source.write_text("int answer_of_the_library() { int forty_two = 42; return forty_two; }\n")
        links = []
        for need in needs:
            if isinstance(need, str):
                stub = self.folder / "stubs" / need
                if not stub.exists():
                    self.library(stub)
                need = stub
            links.append(need)
        run(options.compiler, "-g", "-shared", "-fPIC", "-o", path, source, "-Wl,--no-as-needed",
            *links, f"-Wl,-soname,{soname or path.name}", f"-Wl,-rpath,{runpath}",
            "-Wl,--enable-new-dtags", "-Wl,--allow-shlib-undefined")
        return path

    def member(self, name, needs=(), **given):
        return self.library(self.tree / name, [self.tree / need if "/" in need else need
                                               for need in needs], **given)

    def wheel(self, row, requires=()):
        """The tree as the wheel that scikit-build-core would have made."""
        info = self.tree / f"executorch-{metadata.version(row)}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: executorch\nVersion: {metadata.version(row)}\n" +
            "".join(f"Requires-Dist: {one}\n" for one in requires) + "\nRequires-Dist: in the text\n")
        (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp312-cp312-linux_x86_64\n")
        made = self.folder / f"executorch-{metadata.version(row)}-cp312-cp312-linux_x86_64.whl"
        pack.pack(self.tree, made)
        return made

    def requirements(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith("/METADATA"))
            head = archive.read(name).decode().partition("\n\n")[0]
        return re.findall(r"^Requires-Dist: (.*)$", head, re.MULTILINE)

    def unpacked(self, wheel):
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        pack.unpack(wheel, out)
        return out


class Finish(SmallWheel):
    def cpu_wheel(self):
        self.member(RUNTIME)
        self.member(KERNELS, [RUNTIME])
        self.member(EXTENSION, [RUNTIME, KERNELS])
        return self.wheel(rows.Table().read("cpu"))

    def test_libraries_get_the_hops_that_they_need_and_nothing_else(self):
        wheel = self.cpu_wheel()
        wheel = finish.finish(wheel, rows.Table().read("cpu"))
        out = self.unpacked(wheel)
        for name, wanted in ((RUNTIME, ""), (KERNELS, "$ORIGIN"), (EXTENSION, "$ORIGIN/../../lib")):
            dynamic = run("readelf", "-dW", out / name)
            self.assertEqual(re.findall(r"\(RUNPATH\).*\[(.*)\]", dynamic), [wanted] if wanted else [])
            self.assertNotIn("(RPATH)", dynamic)
            self.assertFalse(b"/where/it/was/built" in (out / name).read_bytes(), name)

    def test_debug_information_is_kept_apart_and_found_again(self):
        wheel = self.cpu_wheel()
        debug = self.folder / "debug"
        wheel = finish.finish(wheel, rows.Table().read("cpu"), debug)
        out = self.unpacked(wheel)
        for name in (RUNTIME, KERNELS, EXTENSION):
            sections = run("readelf", "-SW", out / name)
            self.assertNotIn(".debug_info", sections)
            self.assertNotIn(".symtab", sections)
            self.assertIn(".debug_info", run("readelf", "-SW", debug / f"{name}.debug"))
            link = run("readelf", "--string-dump=.gnu_debuglink", out / name)
            self.assertIn(f"{Path(name).name}.debug", link)
        self.assertFalse([path for path in out.rglob("*.debug")])

    def test_a_finished_library_still_loads(self):
        wheel = self.cpu_wheel()
        wheel = finish.finish(wheel, rows.Table().read("cpu"), self.folder / "debug")
        out = self.unpacked(wheel)
        code = (f"import ctypes; print(ctypes.CDLL({str(out / EXTENSION)!r})"
                "._Z21answer_of_the_libraryv())")
        self.assertEqual(run(sys.executable, "-c", code), "42\n")

    def test_the_same_input_gives_the_same_bytes(self):
        wheel = self.cpu_wheel()
        copy = self.folder / "again" / wheel.name
        copy.parent.mkdir()
        shutil.copy2(wheel, copy)
        os.utime(copy)
        first, second = [
            finish.finish(one, rows.Table().read("cpu"), self.folder / f"debug-{one.parent.name}")
            for one in (wheel, copy)]
        self.assertEqual(first.name, second.name)
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_the_platform_is_the_oldest_that_has_what_is_needed(self):
        # What the compiler of this machine refers to decides, and that of another is not known here.
        for built in ("linux_x86_64", "linux_sparc", "manylinux_2_28_x86_64"):
            with self.subTest(built=built):
                shutil.rmtree(self.tree, ignore_errors=True)
                wheel = self.cpu_wheel()
                facts = next(self.tree.glob("*.dist-info")) / "WHEEL"
                facts.write_text(facts.read_text().replace("linux_x86_64", built))
                wheel.unlink()
                wheel = wheel.with_name(wheel.name.replace("linux_x86_64", built))
                pack.pack(self.tree, wheel)
                finished = finish.finish(wheel, rows.Table().read("cpu"))
                platform = finished.stem.rpartition("-")[2]
                if built == "linux_x86_64":
                    self.assertRegex(platform, r"^manylinux_2_\d+_x86_64$")
                else:
                    self.assertEqual(platform, built)
                tag = run("sed", "-n", "s/^Tag: //p", next(self.unpacked(finished).glob("*.dist-info")) / "WHEEL")
                self.assertEqual(tag, f"cp312-cp312-{platform}\n")
                self.assertEqual(list(self.folder.glob("*.whl")), [finished])
                finished.unlink()

    def test_a_cpu_wheel_requires_nothing_of_cuda(self):
        self.member(RUNTIME)
        wheel = self.wheel(rows.Table().read("cpu"), ["numpy"])
        wheel = finish.finish(wheel, rows.Table().read("cpu"))
        self.assertEqual(self.requirements(wheel), ["numpy"])

    def test_requirements_follow_from_what_is_needed(self):
        for label, sonames in (("cu126", ("libcudart.so.12", "libnvrtc.so.12")),
                               ("cu130", ("libcudart.so.13", "libnvrtc.so.13"))):
            row = rows.Table().read(label)
            for needed in (sonames[:1], sonames):
                with self.subTest(row=label, needed=needed):
                    shutil.rmtree(self.tree, ignore_errors=True)
                    self.member(RUNTIME)
                    self.member(SHIMS, [RUNTIME, *needed])
                    # As metadata.py says it before anything is built.
                    wheel = self.wheel(row, ["numpy", row.train.requirement])
                    wheel = finish.finish(wheel, row)
                    requires = self.requirements(wheel)
                    self.assertEqual(requires[0], "numpy")
                    self.assertEqual(len(requires), 1 + len(needed))
                    self.assertIn(row.train.requirement, requires)
                    suffix = "-cu12" if row.train.major == 12 else ""
                    self.assertEqual(any(one.startswith(f"nvidia-cuda-nvrtc{suffix}>=")
                                         for one in requires), len(needed) == 2)
                    hops = run("patchelf", "--print-rpath", self.unpacked(wheel) / SHIMS).strip()
                    self.assertIn(f"$ORIGIN/../../../{row.train.runtime_directory}", hops.split(":"))
                    self.assertEqual("$ORIGIN/../../../nvidia/cuda_nvrtc/lib" in hops.split(":"),
                                     len(needed) == 2 and row.train.major == 12)


class Refusal(SmallWheel):
    def refused(self, what, row, wheel=None):
        row = rows.Table().read(row)
        with self.assertRaisesRegex(ValueError, what):
            finish.finish(wheel or self.wheel(row), row)

    def test_of_a_cpu_wheel_with_anything_of_cuda(self):
        for name in ("executorch/include/executorch/extension/cuda/caller_stream.h",
                     "executorch/data/lib/aoti_cuda_shims.lib",
                     "executorch/lib/libcudart.so.13"):
            with self.subTest(name=name):
                shutil.rmtree(self.tree, ignore_errors=True)
                self.member(RUNTIME)
                path = self.tree / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("")
                self.refused(re.escape(name), "cpu")

    def test_of_a_cpu_library_that_needs_the_cuda_runtime(self):
        self.member(RUNTIME, ["libcudart.so.13"])
        self.refused("libcudart.so.13", "cpu")

    def test_of_a_cuda_wheel_without_cuda_libraries(self):
        self.member(RUNTIME)
        self.refused("the CUDA libraries were not built", "cu130")

    def test_of_libraries_of_another_train(self):
        self.member(SHIMS, ["libcudart.so.12"])
        self.refused("libcudart.so.12", "cu130")

    def test_of_a_soname_that_is_not_the_file_name(self):
        for soname in ("libexecutorch.so.1", "/build/libexecutorch.so"):
            with self.subTest(soname=soname):
                shutil.rmtree(self.tree, ignore_errors=True)
                self.member(RUNTIME, soname=soname)
                self.refused("the SONAME is", "cpu")

    def test_of_a_wheel_without_libraries(self):
        (self.tree / "executorch").mkdir(parents=True)
        (self.tree / "executorch/__init__.py").write_text("")
        self.refused("has no libraries", "cpu")


class Record(SmallWheel):
    def test_is_last_and_true_for_every_member(self):
        self.member(RUNTIME)
        odd = self.tree / 'executorch/a,"b".txt'
        odd.write_text("odd")
        wheel = self.wheel(rows.Table().read("cpu"))
        wheel = finish.finish(wheel, rows.Table().read("cpu"))
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            self.assertEqual(names[-1], record)
            listed = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
            self.assertEqual(set(listed), set(names))
            for name in names[:-1]:
                content = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
                self.assertEqual(listed[name], ["sha256=" + digest.rstrip("="), str(len(content))])

    def test_of_a_tree_with_a_symbolic_link_is_refused(self):
        self.member(RUNTIME)
        (self.tree / "executorch/lib/libexecutorch.so.1").symlink_to("libexecutorch.so")
        with self.assertRaisesRegex(ValueError, "symbolic link"):
            self.wheel(rows.Table().read("cpu"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--compiler", default="c++")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
