#!/usr/bin/env python3
"""Gives every value of testdata/rows.json to all readers of rows, which have to answer alike.

    rows_test.py --cmake CMAKE [--wheelcheck PROGRAM] [unittest's options]
"""

import argparse
import json
import os
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
CASES = json.loads((HERE / "testdata/rows.json").read_text(encoding="utf-8"))["rows"]
BASH = shutil.which("bash")
programs = argparse.Namespace(cmake="cmake", wheelcheck="")


def without_row():
    return {name: value for name, value in os.environ.items()
            if name not in ("CU_VERSION", "DESIRED_CUDA")}


def run(command, value=None, environment=None):
    """Standard output, standard error and exit code; `value` is that of CU_VERSION."""
    environment = dict(without_row() if environment is None else environment)
    if value is not None:
        environment["CU_VERSION"] = value
    done = subprocess.run([str(part) for part in command], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    return done.stdout, done.stderr, done.returncode


def commands():
    """The readers that are programs, as commands that read the environment."""
    yield "Python", [sys.executable, HERE / "rows.py"]
    yield "shell", [BASH, ROOT / "ci/classify-row"]
    yield "CMake", [programs.cmake, "-P", ROOT / "cmake/ProjectRow.cmake"]
    if programs.wheelcheck:
        yield "wheelcheck", [programs.wheelcheck, "row"]


class EveryReader(unittest.TestCase):
    def judge(self, case, answer, refusal):
        if "answer" in case:
            self.assertEqual((answer, refusal), (case["answer"], ""))
            return
        self.assertEqual(answer, "")
        self.assertIn(case["refused"], refusal)
        self.assertIn("rows: cpu, cu126, cu130, cu132", refusal)

    def judge_program(self, case, outcome):
        out, err, code = outcome
        self.assertEqual(code, 0 if "answer" in case else 1, err)
        self.assertEqual(out, out.strip() + "\n" if "answer" in case else "")
        self.judge(case, out.strip(), err)

    def test_python_answers_every_value(self):
        table = rows.Table()
        for case in CASES:
            with self.subTest(value=case["value"]):
                try:
                    self.judge(case, str(table.read(case["value"])), "")
                except rows.RowError as error:
                    self.judge(case, "", str(error))

    def test_cmake_answers_every_value(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "answers"
            subprocess.run([programs.cmake, f"-DCASES={HERE / 'testdata/rows.json'}", f"-DOUT={out}",
                            "-P", HERE / "rows_test.cmake"], check=True)
            answers = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(len(answers), len(CASES))
        for case, told in zip(CASES, answers):
            with self.subTest(value=case["value"]):
                self.judge(case, told["answer"], told["error"])

    def test_shell_answers_every_value(self):
        for case in CASES:
            with self.subTest(value=case["value"]):
                self.judge_program(case, run([BASH, ROOT / "ci/classify-row"], case["value"]))

    def test_wheelcheck_answers_every_value(self):
        if not programs.wheelcheck:
            self.skipTest("wheelcheck is not built")
        for case in CASES:
            with self.subTest(value=case["value"]):
                self.judge_program(case, run([programs.wheelcheck, "row"], case["value"]))

    def test_programs_take_the_value_as_an_argument_before_the_environment(self):
        for name, command in commands():
            for value in ("cpu", "", " cu130 ", "cu125", "126"):
                case = next(case for case in CASES if case["value"] == value)
                with self.subTest(reader=name, value=value):
                    given = ([command[0], f"-DVALUE={value}", *command[1:]] if name == "CMake"
                             else [*command, value])
                    self.judge_program(case, run(given, "cu132"))

    def test_programs_read_the_environment(self):
        for name, command in commands():
            with self.subTest(reader=name):
                both = {**without_row(), "DESIRED_CUDA": "cu132"}
                self.assertEqual(run(command)[0], "cpu\n")
                self.assertEqual(run(command, environment=both)[0], "cuda 13.2\n")
                self.assertEqual(run(command, "", environment=both)[0], "cuda 13.2\n")
                self.assertEqual(run(command, "cu126", environment=both)[0], "cuda 12.6\n")
                self.assertEqual(run(command, "cuda")[2], 1)


class Table(unittest.TestCase):
    def test_has_an_answer_for_every_row_it_names(self):
        table = rows.Table()
        answers = {case["value"]: case.get("answer") for case in CASES}
        for label in table.rows:
            self.assertEqual(table.read(label).label, label)
            self.assertEqual(answers[label], str(table.read(label)))

    def test_unsupported_labels_are_all_refused_with_their_reason(self):
        document = json.loads(rows.TABLE.read_text(encoding="utf-8"))
        for entry in document["unsupported"]:
            with self.assertRaisesRegex(rows.RowError, entry["why"]):
                rows.Table().read(entry["label"])


class Options(unittest.TestCase):
    def test_say_on_or_off_for_every_row(self):
        shell = [BASH, ROOT / "ci/classify-row", "--cmake"]
        self.assertEqual(run([*shell, "rocm13.2"])[0],
                         "-DWHEELCHECK_ROW=cpu -DWHEELCHECK_BUILD_CUDA=OFF\n")
        self.assertEqual(run(shell)[0], "-DWHEELCHECK_ROW=cpu -DWHEELCHECK_BUILD_CUDA=OFF\n")
        self.assertEqual(run([*shell, "cu13.2"])[0],
                         "-DWHEELCHECK_ROW=cu132 -DWHEELCHECK_BUILD_CUDA=ON\n")
        self.assertEqual(run([*shell, "cuda"])[::2], ("", 1))


class ShellClassifier(unittest.TestCase):
    """With a PATH that holds only what a test puts there."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!{BASH}\n{text}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def classify(self, *arguments):
        command = [BASH, ROOT / "ci/classify-row", *arguments]
        return run(command, environment={"PATH": str(self.folder)})

    def test_takes_python3_or_python_whichever_is_there(self):
        for name in ("python3", "python"):
            self.program(name, f'exec "{sys.executable}" "$@"')
            self.assertEqual(self.classify("cu130"), ("cuda 13.0\n", "", 0))
            (self.folder / name).unlink()

    def test_prefers_python3(self):
        self.program("python3", f'exec "{sys.executable}" "$@"')
        self.program("python", "echo this is Python 2 >&2; exit 1")
        self.assertEqual(self.classify("cpu"), ("cpu\n", "", 0))

    def test_without_python_the_build_stops(self):
        out, err, code = self.classify("cpu")
        self.assertEqual((out, code), ("", 1))
        self.assertIn("neither python3 nor python is on PATH", err)

    def test_a_classifier_that_crashes_stops_the_build_and_is_heard(self):
        self.program("python3", "echo Traceback of a crash >&2; exit 139")
        out, err, code = self.classify("cpu")
        self.assertEqual((out, code), ("", 1))
        self.assertIn("Traceback of a crash", err)
        self.assertIn("139", err)

    def test_a_crash_after_an_answer_is_no_answer(self):
        self.program("python3", "echo cpu; exit 1")
        self.assertEqual(self.classify("cpu")[::2], ("", 1))

    def test_what_is_no_answer_is_not_taken_for_cpu(self):
        for text in ("", "echo", "echo CPU", "echo cuda", "echo 'cuda 13.0 '; echo cpu",
                     "echo -DWHEELCHECK_ROW=cpu -DWHEELCHECK_BUILD_CUDA=ON"):
            self.program("python3", text)
            out, err, code = self.classify("cpu")
            self.assertEqual((out, code), ("", 1), text)
            self.assertIn("answer is none", err)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--wheelcheck", default="")
    programs, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
