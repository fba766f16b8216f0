#!/usr/bin/env python3
"""Which manylinux a wheel may name."""

import unittest

import platform_tag

# As readelf prints it.
NEEDS = """
Version symbols section '.gnu.version' contains 2 entries:
 Addr: 0x0000000000000498  Offset: 0x00000498  Link: 4 (.dynsym)
  000:   0 (*local*)       2 (GLIBC_2.99)

Version needs section '.gnu.version_r' contains 3 entries:
 Addr: 0x00000000000004a0  Offset: 0x000004a0  Link: 5 (.dynstr)
  000000: Version: 1  File: libstdc++.so.6  Cnt: 2
  0x0010:   Name: GLIBCXX_3.4.29  Flags: none  Version: 3
  0x0020:   Name: CXXABI_1.3  Flags: none  Version: 2
  0x0030: Version: 1  File: libcudart.so.13  Cnt: 1
  0x0040:   Name: libcudart.so.13  Flags: none  Version: 4
  0x0050: Version: 1  File: libc.so.6  Cnt: 1
  0x0060:   Name: GLIBC_2.14  Flags: WEAK  Version: 5
"""


class Versions(unittest.TestCase):
    def test_are_those_that_the_system_has_to_have(self):
        self.assertEqual(platform_tag.system_versions(NEEDS),
                         {"GLIBCXX_3.4.29", "CXXABI_1.3", "GLIBC_2.14"})

    def test_of_a_library_that_needs_none(self):
        self.assertEqual(platform_tag.system_versions("\nNo version information found.\n"), set())


class Manylinux(unittest.TestCase):
    def test_is_the_oldest_that_has_all(self):
        for machine, versions, tag in (
                ("x86_64", ["GLIBC_2.2.5"], "manylinux_2_5"),
                ("x86_64", ["GLIBC_2.17"], "manylinux_2_17"),
                ("x86_64", ["GLIBC_2.28", "GLIBCXX_3.4.24"], "manylinux_2_28"),
                ("x86_64", ["GLIBC_2.29", "GLIBC_2.2.5"], "manylinux_2_31"),
                ("x86_64", ["GLIBC_2.34", "GLIBCXX_3.4.29", "GCC_3.0"], "manylinux_2_34"),
                # The compiler's library alone can ask for a newer system than the C library does.
                ("x86_64", ["GLIBC_2.17", "GLIBCXX_3.4.29"], "manylinux_2_34"),
                ("x86_64", ["GLIBC_2.38", "GLIBCXX_3.4.32"], "manylinux_2_39"),
                ("aarch64", ["GLIBC_2.17"], "manylinux_2_17"),
                ("aarch64", ["GLIBC_2.34", "GLIBCXX_3.4.29"], "manylinux_2_34")):
            with self.subTest(machine=machine, versions=versions):
                self.assertEqual(platform_tag.manylinux(machine, versions), f"{tag}_{machine}")

    def test_is_none_where_no_known_one_has_all(self):
        for machine, version in (("x86_64", "GLIBC_2.99"), ("x86_64", "GLIBC_PRIVATE"),
                                 ("x86_64", "GLIBC"), ("x86_64", "OTHER_1.0"), ("sparc", "GLIBC_2.17")):
            with self.subTest(machine=machine, version=version):
                self.assertIsNone(platform_tag.manylinux(machine, [version]))


if __name__ == "__main__":
    unittest.main()
