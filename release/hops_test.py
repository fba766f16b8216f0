#!/usr/bin/env python3
"""The search paths of a wheel's libraries: a table over depths and trains, and what is refused."""

import json
import unittest

import hops
import rows

ROWS = {label: rows.Table().read(label) for label in rows.Table().rows}

# A file of each depth, and the runtime's hop from it for CUDA 12 and for 13.
BY_DEPTH = {
    0: ("executorch/top.so", "$ORIGIN/../nvidia/cuda_runtime/lib", "$ORIGIN/../nvidia/cu13/lib"),
    1: ("executorch/lib/libexecutorch_backend_cuda.so", "$ORIGIN/../../nvidia/cuda_runtime/lib",
        "$ORIGIN/../../nvidia/cu13/lib"),
    2: ("executorch/backends/cuda/libaoti_cuda_shims.so",
        "$ORIGIN/../../../nvidia/cuda_runtime/lib", "$ORIGIN/../../../nvidia/cu13/lib"),
    3: ("executorch/extension/llm/custom_ops/ops.so",
        "$ORIGIN/../../../../nvidia/cuda_runtime/lib", "$ORIGIN/../../../../nvidia/cu13/lib"),
    4: ("executorch/backends/cortex_m/library/_cmsis_nn/nn.so",
        "$ORIGIN/../../../../../nvidia/cuda_runtime/lib", "$ORIGIN/../../../../../nvidia/cu13/lib"),
}
TO_RUNTIME = {0: "$ORIGIN/lib", 1: "$ORIGIN", 2: "$ORIGIN/../../lib", 3: "$ORIGIN/../../../lib",
              4: "$ORIGIN/../../../../lib"}


class Hop(unittest.TestCase):
    def test_climbs_as_deep_as_the_file_lies_in_every_train(self):
        for depth, (member, of_12, of_13) in BY_DEPTH.items():
            self.assertEqual(hops.depth(member), depth)
            for label, hop in {"cu126": of_12, "cu130": of_13, "cu132": of_13}.items():
                with self.subTest(depth=depth, train=label):
                    providers = hops.Providers(ROWS[label])
                    planned = hops.plan({member: [ROWS[label].train.cudart, "libc.so.6"]}, providers)
                    self.assertEqual(planned.paths, {member: hop})

    def test_to_another_file_of_the_package_follows_its_place(self):
        runtime = "executorch/lib/libexecutorch.so"
        for depth, (member, _, _) in BY_DEPTH.items():
            with self.subTest(depth=depth):
                planned = hops.plan({member: ["libexecutorch.so"], runtime: []},
                                    hops.Providers(ROWS["cpu"]))
                self.assertEqual(planned.paths, {member: TO_RUNTIME[depth], runtime: ""})

    def test_is_counted_from_the_last_folder_of_that_name(self):
        self.assertEqual(hops.depth("executorch/src/executorch/lib/x.so"), 1)
        with self.assertRaises(hops.NeedError):
            hops.depth("elsewhere/lib/x.so")


class Path(unittest.TestCase):
    def test_has_only_the_hops_that_are_needed_own_folder_first(self):
        shims = "executorch/backends/cuda/libaoti_cuda_shims.so"
        members = {
            shims: ["libcudart.so.13", "libexecutorch_extension_cuda.so", "libexecutorch.so",
                    "libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6",
                    "ld-linux-x86-64.so.2"],
            "executorch/lib/libexecutorch_backend_cuda.so":
                ["libaoti_cuda_shims.so", "libcudart.so.13", "libexecutorch.so"],
            "executorch/lib/libexecutorch_extension_cuda.so": ["libc.so.6"],
            "executorch/lib/libexecutorch.so": ["libc.so.6"],
        }
        planned = hops.plan(members, hops.Providers(ROWS["cu130"]))
        self.assertEqual(planned.paths, {
            shims: "$ORIGIN/../../lib:$ORIGIN/../../../nvidia/cu13/lib",
            "executorch/lib/libexecutorch_backend_cuda.so":
                "$ORIGIN:$ORIGIN/../backends/cuda:$ORIGIN/../../nvidia/cu13/lib",
            "executorch/lib/libexecutorch_extension_cuda.so": "",
            "executorch/lib/libexecutorch.so": "",
        })
        self.assertEqual(planned.requirements,
                         ["nvidia-cuda-runtime>=13,<14; platform_system == 'Linux'"])

    def test_of_a_file_that_needs_the_runtime_compiler_has_its_folder_and_its_requirement(self):
        member = "executorch/backends/cuda/libaoti_cuda_shims.so"
        of_12 = hops.plan({member: ["libcudart.so.12", "libnvrtc.so.12"]},
                          hops.Providers(ROWS["cu126"]))
        self.assertEqual(of_12.paths[member], "$ORIGIN/../../../nvidia/cuda_nvrtc/lib:"
                                              "$ORIGIN/../../../nvidia/cuda_runtime/lib")
        self.assertEqual(of_12.requirements,
                         ["nvidia-cuda-nvrtc-cu12>=12,<13; platform_system == 'Linux'",
                          "nvidia-cuda-runtime-cu12>=12,<13; platform_system == 'Linux'"])
        for label in ("cu130", "cu132"):
            of_13 = hops.plan({member: ["libcudart.so.13", "libnvrtc.so.13"]},
                              hops.Providers(ROWS[label]))
            self.assertEqual(of_13.paths[member], "$ORIGIN/../../../nvidia/cu13/lib")
            self.assertEqual(of_13.requirements,
                             ["nvidia-cuda-nvrtc>=13,<14; platform_system == 'Linux'",
                              "nvidia-cuda-runtime>=13,<14; platform_system == 'Linux'"])

    def test_is_refused_for_what_the_row_does_not_provide(self):
        for label, needed in (("cpu", "libcudart.so.13"), ("cu126", "libcudart.so.13"),
                              ("cu130", "libcudart.so.12"), ("cu130", "libnvrtc.so.12"),
                              ("cu130", "libcuda.so.1"), ("cu130", "libtorch.so"),
                              ("cu130", "libcudart.so"), ("cpu", "libgomp.so.1"),
                              ("cpu", "/lib/libc.so.6"), ("cpu", "libc.so.6.evil")):
            with self.subTest(row=label, needed=needed):
                with self.assertRaisesRegex(hops.NeedError, needed):
                    hops.plan({"executorch/lib/a.so": [needed]}, hops.Providers(ROWS[label]))

    def test_is_refused_where_the_wheel_has_two_files_of_the_name(self):
        with self.assertRaisesRegex(hops.NeedError, "twice"):
            hops.plan({"executorch/a/x.so": [], "executorch/b/x.so": [],
                       "executorch/lib/y.so": ["x.so"]}, hops.Providers(ROWS["cpu"]))


class ProviderTable(unittest.TestCase):
    def test_agrees_with_the_trains(self):
        """cudart is in both tables; each would send a library somewhere."""
        for label, row in ROWS.items():
            if row.train is None:
                continue

            entries = [entry for entry in json.loads(hops.PROVIDERS.read_text(encoding="utf-8"))["rows"]
                       if entry["distribution"].startswith("nvidia-") and any(
                           hops.soname_of(library) == row.train.cudart
                           for library in entry["libraries"])]
            self.assertTrue(entries, label)
            for entry in entries:
                self.assertIn(f"{row.train.runtime_directory}/{row.train.cudart}",
                              [library["path"] for library in entry["libraries"]])
                self.assertTrue(row.train.requirement.startswith(
                    entry["distribution"] + entry["versions"] + ";"))


if __name__ == "__main__":
    unittest.main()
