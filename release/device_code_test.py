#!/usr/bin/env python3
"""The judgement on device code, and how both readers' words are read."""

import collections
import unittest

import device_code
import rows

ROW = rows.Table().read("cu130")
PROMISED = ROW.train.architectures["x86_64"]


def code(machine=PROMISED, ptx=(120,), toolkits=("13.0",)):
    return device_code.Code(collections.Counter(map(str, machine)), collections.Counter(map(str, ptx)),
                            set(toolkits))


class Judge(unittest.TestCase):
    def test_has_nothing_against_what_the_row_promises(self):
        self.assertEqual(device_code.judge(ROW, PROMISED, code()), [])

    def test_names_what_is_wrong(self):
        for given, said in (
                (code(machine=(80, 86, 89, 90, 120)), "lacks machine code for 100"),
                (code(machine=(*PROMISED, 75)), "has machine code, which nobody promised, for 75"),
                (code(machine=(80, 86, 89, "90a", 100, 120)), "lacks machine code for 90"),
                (code(ptx=()), "PTX is for none, not for 120"),
                (code(ptx=(90,)), "PTX is for 90, not for 120"),
                (code(ptx=(90, 120)), "PTX is for 90 120, not for 120"),
                (code(toolkits=("13.2",)), "compiled by 13.2, not 13.0"),
                (code(toolkits=("13.0", "13.2")), "compiled by 13.0 13.2, not 13.0"),
                (code(toolkits=()), "compiled by an unknown toolkit, not 13.0")):
            with self.subTest(said=said):
                self.assertIn(said, device_code.judge(ROW, PROMISED, given))

    def test_a_cpu_wheel_has_none(self):
        self.assertEqual(device_code.judge(rows.Table().read("cpu"), (), code()),
                         ["a CPU wheel has device code"])


class Readers(unittest.TestCase):
    def test_lists_of_cuobjdump_are_counted(self):
        found = device_code.parse_lists(
            "ELF file    1: libx.1.sm_90.cubin\nELF file    2: libx.2.sm_90a.cubin\n"
            "ELF file   10: libx.10.sm_90.cubin\n", "PTX file    1: libx.1.sm_120.ptx\n")
        self.assertEqual(found, code(("90", "90", "90a"), ("120",), ()))
        self.assertFalse(device_code.parse_lists("", ""))

    def test_a_line_that_is_not_understood_is_no_absence(self):
        with self.assertRaises(RuntimeError):
            device_code.parse_lists("ELF file    1: libx.1.arch_90.cubin\n", "")
        with self.assertRaises(RuntimeError):
            device_code.parse_shown({"device_code": {"code": ["kind16_90 x2"]}})

    def test_what_wheelcheck_shows_is_counted(self):
        found = device_code.parse_shown({"device_code": {"containers": 2, "code": [
            "sm_90 x2 toolkit 13.0", "sm_120 x2 toolkit 13.0", "compute_120 x2 compressed"]}})
        self.assertEqual(found, code((90, 90, 120, 120), (120, 120)))
        self.assertEqual(device_code.parse_shown({"device_code": {"code": ["sm_90"]}}),
                         code((90,), (), ("",)))
        self.assertFalse(device_code.parse_shown({"elf": {}}))


if __name__ == "__main__":
    unittest.main()
