#!/usr/bin/env python3
"""What is said of two wheels that differ."""

import os
import tempfile
import unittest
import zipfile
from pathlib import Path

import differences
import pack


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def wheel(self, side, files):
        tree = self.folder / side / "tree"
        for name, content in {"x-1.dist-info/WHEEL": b"", **files}.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        wheel = self.folder / side / "x-1-py3-none-any.whl"
        pack.pack(tree, wheel)
        return wheel

    def test_says_nothing_of_the_same_bytes(self):
        pair = [self.wheel(side, {"x/a.py": b"a"}) for side in ("left", "right")]
        self.assertEqual(differences.compare(*pair), [])

    def test_names_members_that_differ_or_are_missing(self):
        lines = differences.compare(self.wheel("left", {"x/a.py": b"a", "x/b.py": b"b"}),
                                    self.wheel("right", {"x/a.py": b"aa", "x/c.py": b"c"}))
        self.assertIn("only in first: x/b.py", lines)
        self.assertIn("only in second: x/c.py", lines)
        self.assertIn("x/a.py: 1 and 2 bytes differ", lines)

    def test_names_the_section_of_a_library_that_differs(self):
        program = Path(os.path.realpath("/proc/self/exe")).read_bytes()
        place = program.index(differences.sections(program)[".dynstr"])
        changed = bytearray(program)
        changed[place] ^= 1
        lines = differences.compare(self.wheel("left", {"x/y.so": program}),
                                    self.wheel("right", {"x/y.so": bytes(changed)}))
        self.assertIn(f"x/y.so: {len(program)} and {len(program)} bytes differ in .dynstr", lines)

    def test_names_a_time_that_differs(self):
        left = self.wheel("left", {"x/a.py": b"a"})
        right = self.folder / left.name
        with zipfile.ZipFile(left) as read, zipfile.ZipFile(right, "w") as written:
            for info in read.infolist():
                content = read.read(info)
                if info.filename == "x/a.py":
                    info.date_time = (2020, 1, 1, 0, 0, 0)
                written.writestr(info, content)
        self.assertEqual(differences.compare(left, right), ["x/a.py: date_time differs"])

    def test_names_the_name(self):
        left = self.wheel("left", {})
        self.assertIn("the names differ",
                      differences.compare(left, left.with_name("y-1-py3-none-any.whl"))[0])


if __name__ == "__main__":
    unittest.main()
