#!/usr/bin/env python3
"""against_torch.py SHIMS: times sort_stable, rand and randint_low_out of a libaoti_cuda_shims.so beside PyTorch's
own, on the same data and stream, in alternating pairs, and prints for each shape the median time of a call of both
and the median of the pairs' ratios: one call alone, and a burst of 16. Sorted values and indices are compared too.
Exits with 1 when a ratio is above 1.03 or a result differs. Needs torch with CUDA and a GPU."""
import ctypes as c
import statistics
import sys

import torch

LIMIT = 1.03
COUNTS = (1 << 10, 1 << 20, 1 << 26)
SORTS = [((1000,), 0), ((32000,), 0), ((128256,), 0), ((1 << 20,), 0), ((1 << 24,), 0), ((256, 4096), 1),
         ((256, 4096), 0), ((4096, 256), 1), ((4096, 256), 0)]
FLOAT, INT64 = 6, 4


class Shims:
    def __init__(self, path):
        self.library = c.CDLL(path, mode=c.RTLD_LOCAL)
        self.library.executorch_cuda_shims_last_error.restype = c.c_char_p

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name}: {self.library.executorch_cuda_shims_last_error().decode()}")

    def wrap(self, tensor, dtype):
        handle, n = c.c_void_p(), tensor.dim()
        self.call("aoti_torch_create_tensor_from_blob_v2", c.c_void_p(tensor.data_ptr()), c.c_int64(n),
                  (c.c_int64 * n)(*tensor.shape), (c.c_int64 * n)(*tensor.stride()), c.c_int64(0), dtype, 1, 0,
                  c.byref(handle), 0, None, c.c_int64(0))
        return handle

    def free(self, *handles):
        for handle in handles:
            self.call("aoti_torch_delete_tensor_object", handle)

    def equal(self, handle, expected):
        """Whether the contiguous tensor of this handle holds the bytes of `expected`."""
        data = c.c_void_p()
        self.call("aoti_torch_get_data_ptr", handle, c.byref(data))

        class Memory:
            __cuda_array_interface__ = {"shape": tuple(expected.shape), "data": (data.value, False), "version": 2,
                                        "typestr": {torch.float32: "<f4", torch.int64: "<i8"}[expected.dtype]}
        return torch.equal(torch.as_tensor(Memory(), device="cuda"), expected)


def microseconds(function, calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        function()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3 / calls


def compare(what, ours, torchs, pairs, same=True):
    good = same
    text = ""
    for label, calls in (("call", 1), ("burst", 16)):
        for _ in range(3):
            ours(), torchs()
        torch.cuda.synchronize()
        times = []
        for pair in range(pairs):
            sides = [ours, torchs] if pair % 2 == 0 else [torchs, ours]
            found = [microseconds(side, calls) for side in sides]
            times.append(found if pair % 2 == 0 else found[::-1])
        ratio = statistics.median(a / b for a, b in times)
        good &= ratio <= LIMIT
        text += (f" | {label} {statistics.median(a for a, _ in times):8.1f}/"
                 f"{statistics.median(b for _, b in times):8.1f} us ratio {ratio:.3f}")
    print(f"{what:24}{text} {'' if same else 'DIFFERENT '}{'' if good else '<--'}", flush=True)
    return good


def sorts(shims):
    for sizes, dim in SORTS:
        data = torch.randint(0, 100003, sizes, device="cuda").float()
        self, stable = shims.wrap(data, FLOAT), c.c_int32(1)

        def sort():
            values, indices = c.c_void_p(), c.c_void_p()
            shims.call("aoti_torch_cuda_sort_stable", self, c.byref(stable), c.c_int64(dim), c.c_int32(0),
                       c.byref(values), c.byref(indices))
            return values, indices

        values, indices = sort()
        expected = torch.sort(data, dim=dim, stable=True)
        torch.cuda.synchronize()
        same = shims.equal(values, expected.values) and shims.equal(indices, expected.indices)
        shims.free(values, indices)
        yield compare(f"sort {'x'.join(map(str, sizes))} dim {dim}", lambda: shims.free(*sort()),
                      lambda: torch.sort(data, dim=dim, stable=True), 21, same)
        shims.free(self)


def randoms(shims):
    for count in COUNTS:
        size = (c.c_int64 * 1)(count)

        def rand():
            result = c.c_void_p()
            shims.call("aoti_torch_cuda_rand", size, c.c_int64(1), None, None, None, 0, None, c.byref(result))
            shims.free(result)

        yield compare(f"rand {count}", rand, lambda: torch.rand(count, device="cuda"), 41)
        data = torch.empty(count, dtype=torch.int64, device="cuda")
        out = shims.wrap(data, INT64)
        yield compare(f"randint {count}",
                      lambda: shims.call("aoti_torch_cuda_randint_low_out", out, c.c_int64(0), c.c_int64(100), size,
                                         c.c_int64(1)),
                      lambda: data.random_(0, 100), 41)
        shims.free(out)


def main():
    torch.zeros(1, device="cuda")
    shims = Shims(sys.argv[1])
    results = [*sorts(shims), *randoms(shims)]
    print(f"{len(results)} comparisons, {results.count(False)} above {LIMIT} or different")
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
