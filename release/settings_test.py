#!/usr/bin/env python3
"""What scikit-build-core is told for a row."""

import unittest

import rows
import settings

CPU = rows.Table().read("cpu")
CUDA = rows.Table().read("cu130")
NAME = "cmake.define.WHEELCHECK_EXTENSION_CUDA_NAME"


class Settings(unittest.TestCase):
    def test_say_the_row_whatever_was_asked_for(self):
        told = settings.settings(CPU, {"cmake.define.WHEELCHECK_BUILD_CUDA": "ON"}, {})
        self.assertEqual(told["cmake.define.WHEELCHECK_BUILD_CUDA"], "OFF")
        self.assertEqual(told["cmake.define.WHEELCHECK_ROW"], "cpu")
        self.assertRegex(told["cmake.define.WHEELCHECK_RUNTIME_VERSION"], r"^[0-9.]+\+cpu$")

    def test_pass_on_what_was_asked_for(self):
        told = settings.settings(CUDA, {NAME: "extension_cuda", "build-dir": "elsewhere"}, {})
        self.assertEqual(told[NAME], "extension_cuda")
        self.assertEqual(told["build-dir"], "elsewhere")


class BuildFolder(unittest.TestCase):
    def test_is_that_of_the_row_where_nothing_was_asked_for(self):
        for given in (None, {}):
            self.assertEqual(settings.settings(CUDA, given, {})["build-dir"],
                             "build/wheel/cu130-{wheel_tag}")

    def test_is_another_for_each_row_and_each_set_of_options(self):
        asked = [(CUDA, {}, {}), (CPU, {}, {}), (CUDA, {NAME: "extension_cuda"}, {}),
                 (CUDA, {NAME: "executorch_extension_cuda"}, {}), (CUDA, {"a": "b", NAME: "c"}, {}),
                 (CUDA, {}, {"CMAKE_ARGS": f"-D{NAME}=extension_cuda"})]
        folders = [settings.settings(*one)["build-dir"] for one in asked]
        self.assertEqual(len(set(folders)), len(asked), folders)

    def test_is_the_same_for_the_same_options_in_any_order(self):
        self.assertEqual(settings.settings(CUDA, {"a": "b", "c": "d"}, {})["build-dir"],
                         settings.settings(CUDA, {"c": "d", "a": "b"}, {})["build-dir"])


if __name__ == "__main__":
    unittest.main()
