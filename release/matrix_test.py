#!/usr/bin/env python3
"""The build matrix against the table of trains and the project's own statements."""

import json
import re
import tempfile
import unittest
from pathlib import Path

import matrix
import metadata
import rows

DATA = json.loads(matrix.MATRIX.read_text(encoding="utf-8"))


class Matrix(unittest.TestCase):
    def test_has_every_row_of_the_table_and_no_other(self):
        self.assertEqual(DATA["rows"], rows.Table().rows)

    def test_has_every_machine_that_a_train_has_code_for(self):
        for train in rows.Table().trains:
            self.assertEqual(sorted(DATA["machines"]), sorted(train.architectures), train.label)

    def test_begins_with_the_python_that_the_package_requires(self):
        project = (metadata.ROOT / "pyproject.toml").read_text(encoding="utf-8")
        self.assertEqual(re.search(r'requires-python = ">=([0-9.]+)"', project).group(1),
                         DATA["pythons"][0])
        minors = [int(python.split(".")[1]) for python in DATA["pythons"]]
        self.assertEqual(minors, list(range(minors[0], minors[0] + len(minors))))

    def test_jobs_are_complete_and_make_different_wheels(self):
        jobs = matrix.jobs()
        wanted = {(row, python, machine) for row in DATA["rows"] for python in DATA["pythons"]
                  for machine in DATA["machines"]}
        self.assertEqual({(job["CU_VERSION"], job["python"], job["machine"]) for job in jobs}, wanted)
        self.assertEqual(len(jobs), len(wanted))
        self.assertEqual(len({job["wheel"] for job in jobs}), len(jobs))
        self.assertTrue(all(f"+{job['CU_VERSION']}-" in job["wheel"] for job in jobs))

    def test_of_an_unknown_row_or_machine_is_refused(self):
        for change in ({"rows": ["cu128"]}, {"rows": ["cu130"], "machines": ["riscv64"]}):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "matrix.json"
                path.write_text(json.dumps({**DATA, **change}), encoding="utf-8")
                with self.assertRaises(rows.RowError):
                    matrix.jobs(path=path)


class Check(unittest.TestCase):
    def test_names_what_is_missing_and_what_is_too_much(self):
        names = [job["wheel"] for job in matrix.jobs()]
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                (Path(folder) / name).touch()
            self.assertEqual(matrix.differences(Path(folder)), [])
            (Path(folder) / names[3]).rename(Path(folder) / "other.whl")
            self.assertEqual(matrix.differences(Path(folder)),
                             [f"missing: {names[3]}", "not of the release: other.whl"])
            self.assertEqual(matrix.main(["--check", folder]), 1)


if __name__ == "__main__":
    unittest.main()
