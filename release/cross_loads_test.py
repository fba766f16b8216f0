#!/usr/bin/env python3
"""How the words of ld.so and of wheelcheck are read."""

import os
import tempfile
import unittest
from pathlib import Path

import cross_loads


class Readers(unittest.TestCase):
    def test_a_list_of_ld_so_is_read_below_the_folder_links_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            site = Path(os.path.realpath(folder))
            text = (f"\tlibx.so => {site}/pkg/lib/../lib/libx.so (0x1)\n"
                    "\tlibc.so.6 => /usr/aarch64-linux-gnu/lib/libc.so.6 (0x2)\n"
                    "\tlibgone.so => not found\n"
                    "\t/lib/ld-linux-aarch64.so.1 (0x3)\n")
            self.assertEqual(cross_loads.parse_list(text, site),
                             {"libx.so": "pkg/lib/libx.so", "libgone.so": "not found"})

    def test_needs_are_those_of_the_file_that_was_asked_about(self):
        def need(name, verdict, found):
            return {"name": name, "verdict": verdict, "found": found}
        document = {"objects": [
            {"file": "pkg/other.so", "needs": [need("liby.so", "own-path", "pkg/liby.so")]},
            {"file": "pkg/a.so", "needs": [need("libx.so", "own-path", "pkg/libx.so"),
                                           need("libgone.so", "not-found", None),
                                           need("libm.so.6", "system", "/usr/lib/libm.so.6"),
                                           need("libc.so.6", "system", None)]}]}
        self.assertEqual(cross_loads.parse_needs(document, "pkg/a.so"),
                         {"libx.so": "pkg/libx.so", "libgone.so": "not found"})


if __name__ == "__main__":
    unittest.main()
