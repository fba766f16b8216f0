#!/usr/bin/env python3
"""Reads the import library with binutils, and, where it is installed, links with lld."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import import_library

SYMBOLS = Path(__file__).resolve().parent.parent / "shims/symbols.txt"
NAMES = [line for line in SYMBOLS.read_text(encoding="utf-8").splitlines()
         if line and not line.startswith("#")]
DLL = "aoti_cuda_shims.dll"


def run(*command):
    return subprocess.run([str(part) for part in command], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


class ImportLibrary(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "aoti_cuda_shims.lib"
        self.path.write_bytes(import_library.import_library(NAMES, DLL))

    def test_offers_every_function_of_the_shims(self):
        if "pe-x86-64" not in run("objdump", "-i"):
            self.skipTest("these binutils do not read objects of Windows")
        text = run("nm", self.path)
        self.assertEqual(sorted(re.findall(r" T (\w+)$", text, re.MULTILINE)), sorted(NAMES))
        self.assertEqual(sorted(re.findall(r" I __imp_(\w+)$", text, re.MULTILINE)), sorted(NAMES))
        self.assertNotIn("format not recognized", text)

    def test_its_index_leads_to_the_objects(self):
        text = run("nm", "--print-armap", self.path)
        for name in (NAMES[0], f"__imp_{NAMES[-1]}", "__IMPORT_DESCRIPTOR_aoti_cuda_shims"):
            self.assertRegex(text, rf"(?m)^{name} in {re.escape(DLL)}$")

    def test_links_a_program_that_imports_from_the_dll(self):
        lld = shutil.which("lld-link") or shutil.which("lld-link-14")
        clang = shutil.which("clang") or shutil.which("clang-14")
        if not lld or not clang:
            self.skipTest("clang and lld are not installed")
        source = self.folder / "model.c"
        source.write_text("__declspec(dllimport) int aoti_torch_clone(void*, void**);\n"
                          "__declspec(dllexport) int run(void* a, void** b)"
                          " { return aoti_torch_clone(a, b); }\n")
        run(clang, "--target=x86_64-pc-windows-msvc", "-c", source, "-o", self.folder / "model.obj")
        run(lld, "/dll", "/noentry", f"/out:{self.folder}/model.dll", self.folder / "model.obj", self.path)
        imports = run("objdump", "-p", self.folder / "model.dll")
        self.assertIn(f"DLL Name: {DLL}", imports)
        self.assertIn("aoti_torch_clone", imports)

    def test_is_the_same_for_the_same_names_in_any_order(self):
        self.assertEqual(import_library.import_library(NAMES[::-1], DLL), self.path.read_bytes())

    def test_of_no_names_or_repeated_ones_is_refused(self):
        for names in ([], ["a", "a"]):
            with self.assertRaises(ValueError):
                import_library.import_library(names, DLL)


if __name__ == "__main__":
    unittest.main()
