#!/usr/bin/env python3
"""run_exports.py [--write FOLDER SUFFIX] SHIMS CUDART EXPORTS...: loads the library inside each CUDA export
with these shims, with every symbol bound at once, runs its calls with device tensors, and compares the outputs
with the recorded ones; writes them to FOLDER/<version>/<model>/<method>.c<call>.out<i>.SUFFIX too. EXPORTS are
folders that hold model.pte and manifest.json, SHIMS any library of that kind. Needs a GPU and numpy."""
import ctypes
import ctypes as c
import hashlib
import itertools
import json
import os
import struct
import sys

import numpy as np

DTYPES = {"uint8": (0, 1), "int8": (1, 1), "int16": (2, 2), "int32": (3, 4), "int64": (4, 8), "float16": (5, 2),
          "float32": (6, 4), "float64": (7, 8), "bool": (11, 1), "bfloat16": (15, 2)}
NUMPY = {0: "u1", 1: "i1", 2: "i2", 3: "i4", 4: "i8", 5: "f2", 6: "f4", 7: "f8", 11: "u1", 15: "u2"}


def manifests(data):
    """The ETCUDAFQN3 payloads: (library key, [(fqn, storage key, bytes, dtype, device, offset, sizes, strides)])."""
    found, start = [], 0
    while (start := data.find(b"ETCUDAFQN3", start)) >= 0:
        at = start + 10

        def take(form):
            nonlocal at
            values = struct.unpack_from(form, data, at)
            at += struct.calcsize(form)
            return values

        def text():
            nonlocal at
            (size,) = take("<I")
            value = data[at:at + size].decode()
            at += size
            return value

        library, entries = text(), []
        (count,) = take("<I")
        for _ in range(count):
            fqn, key = text(), text()
            size, dtype, device, offset, ndim = take("<QiiqI")
            entries.append((fqn, key, size, dtype, device, offset, take(f"<{ndim}q"), take(f"<{ndim}q")))
        found.append((library, entries))
        start = at
    return found


def libraries(data):
    """Every x86-64 shared object in the file, by its SHA-256."""
    found, at = {}, 0
    while (at := data.find(b"\x7fELF\x02\x01\x01", at)) >= 0:
        if data[at + 16:at + 20] == b"\x03\x00\x3e\x00":
            (sections,) = struct.unpack_from("<Q", data, at + 40)
            size, count = struct.unpack_from("<HH", data, at + 58)
            image = data[at:at + sections + size * count]
            found[hashlib.sha256(image).hexdigest()] = image
        at += 4
    return found


def flat_tensor(data):
    """The named blobs of a .ptd."""
    base = struct.unpack_from("<Q", data, 32)[0]
    u16 = lambda o: struct.unpack_from("<H", data, o)[0]
    u32 = lambda o: struct.unpack_from("<I", data, o)[0]

    def field(table, index):
        vtable = table - struct.unpack_from("<i", data, table)[0]
        offset = 4 + 2 * index
        place = u16(vtable + offset) if offset + 2 <= u16(vtable) else 0
        return table + place if place else None

    def tables(table, index):
        vector = field(table, index)
        vector = vector + u32(vector)
        return [vector + 4 + 4 * i + u32(vector + 4 + 4 * i) for i in range(u32(vector))]

    def number(table, index, form):
        place = field(table, index)
        return struct.unpack_from(form, data, place)[0] if place else 0

    root = u32(0)
    segments = [(number(s, 0, "<Q"), number(s, 1, "<Q")) for s in tables(root, 1)]
    blobs = {}
    for named in tables(root, 2):
        key = field(named, 0)
        key = key + u32(key)
        offset, size = segments[number(named, 1, "<I")]
        blobs[data[key + 4:key + 4 + u32(key)].decode()] = data[base + offset:base + offset + size]
    return blobs


class Device:
    def __init__(self, shims, cudart):
        self.cuda = c.CDLL(cudart, ctypes.RTLD_GLOBAL)
        self.shims = c.CDLL(shims, ctypes.RTLD_GLOBAL)
        # Other shims than ours do not say what was wrong.
        self.last_error = getattr(self.shims, "executorch_cuda_shims_last_error", None)
        if self.last_error is not None:
            self.last_error.restype = c.c_char_p

    def check(self, code, what):
        if code:
            words = self.last_error().decode() if self.last_error is not None else ""
            raise RuntimeError(f"{what}: {code}: {words}")

    def upload(self, raw):
        pointer = c.c_void_p()
        self.check(self.cuda.cudaMalloc(c.byref(pointer), c.c_size_t(max(len(raw), 1))), "cudaMalloc")
        self.check(self.cuda.cudaMemcpy(pointer, raw, c.c_size_t(len(raw)), 1), "cudaMemcpy")
        return pointer

    def tensor(self, pointer, sizes, strides, offset, dtype):
        handle, n = c.c_void_p(), len(sizes)
        self.check(self.shims.aoti_torch_create_tensor_from_blob_v2(
            pointer, c.c_int64(n), (c.c_int64 * n)(*sizes), (c.c_int64 * n)(*strides), c.c_int64(offset), dtype, 1, 0,
            c.byref(handle), 0, None, c.c_int64(0)), "create_tensor_from_blob_v2")
        return handle

    def download(self, handle):
        get = self.shims
        ndim, pointer, sizes, strides = c.c_int64(), c.c_void_p(), c.POINTER(c.c_int64)(), c.POINTER(c.c_int64)()
        dtype = c.c_int32()
        for name, place in (("dim", ndim), ("data_ptr", pointer), ("sizes", sizes), ("strides", strides),
                            ("dtype", dtype)):
            self.check(getattr(get, "aoti_torch_get_" + name)(handle, c.byref(place)), name)
        sizes, strides = list(sizes[:ndim.value]), list(strides[:ndim.value])
        kind = np.dtype(NUMPY[dtype.value])
        extent = 0 if 0 in sizes else 1 + sum((s - 1) * t for s, t in zip(sizes, strides))
        raw = np.zeros(extent, kind)
        if extent:
            self.check(self.cuda.cudaMemcpy(raw.ctypes.data_as(c.c_void_p), pointer, c.c_size_t(raw.nbytes), 2),
                       "cudaMemcpy")
        view = np.lib.stride_tricks.as_strided(raw, sizes, [t * kind.itemsize for t in strides]) if extent else \
            np.zeros(sizes, kind)
        return dtype.value, np.ascontiguousarray(view)


def contiguous(sizes):
    strides, step = [], 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= max(size, 1)
    return strides


def as_real(dtype, raw):
    if dtype == 15:
        return (raw.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return raw.astype(np.float64)


def run(device, folder, write=None):
    """`write`: folder and suffix of the files that keep the outputs."""
    manifest = json.load(open(f"{folder}/manifest.json"))
    program = open(f"{folder}/model.pte", "rb").read()
    found, images = manifests(program), libraries(program)
    if not images:
        return None
    blobs = {}
    for name in os.listdir(folder):
        if name.endswith(".ptd") and found:
            blobs = flat_tensor(open(f"{folder}/{name}", "rb").read())
    notes = []
    for index, (method, info) in enumerate(manifest["methods"].items()):
        if found:
            key, entries = found[index] if index < len(found) else found[0]
            image = images[key.split("_")[0]]
        else:
            image, entries = list(images.values())[min(index, len(images) - 1)], None
        path = f"/tmp/run_exports.{os.getpid()}.{os.path.basename(folder)}.{index}.so"
        open(path, "wb").write(image)
        library = c.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        os.unlink(path)
        if entries is None:
            notes.append(f"{method}: bound")
            continue
        container = c.c_void_p()
        device.check(library.AOTInductorModelContainerCreateWithDevice(c.byref(container), c.c_size_t(1), b"cuda",
                                                                       None), "create")
        count = c.c_size_t()
        library.AOTInductorModelContainerGetNumConstants(container, c.byref(count))
        names = {}
        for i in range(count.value):
            name, fqn = c.c_char_p(), c.c_char_p()
            library.AOTInductorModelContainerGetConstantName(container, c.c_size_t(i), c.byref(name))
            library.AOTInductorModelContainerGetConstantOriginalFQN(container, c.c_size_t(i), c.byref(fqn))
            names[fqn.value.decode() or name.value.decode()] = name.value

        class Pair(c.Structure):
            _fields_ = [("name", c.c_char_p), ("handle", c.c_void_p)]

        pairs = (Pair * max(len(entries), 1))()
        for i, (fqn, key, _, dtype, _, offset, sizes, strides) in enumerate(entries):
            pairs[i] = Pair(names[fqn], device.tensor(device.upload(blobs[key]), sizes, strides, offset, dtype))
        if entries:
            device.check(library.AOTInductorModelContainerUpdateUserManagedConstantBufferPairs(
                container, pairs, c.c_size_t(len(entries)), c.c_bool(False), c.c_bool(True)), "constants")
        stream = c.c_void_p()
        device.check(device.cuda.cudaStreamCreate(c.byref(stream)), "cudaStreamCreate")
        for number, call in enumerate(info["calls"]):
            inputs = []
            n_in = c.c_size_t()
            library.AOTInductorModelContainerGetNumInputs(container, c.byref(n_in))
            given = [(spec, open(f"{folder}/{spec['file']}", "rb").read()) for spec in call["inputs"]]
            if n_in.value < len(given):
                # A tensor that is passed several times is one input of the library.
                given = list({raw: (spec, raw) for spec, raw in given}.values())
            if n_in.value != len(given):
                raise RuntimeError(f"{n_in.value} inputs, {len(given)} recorded")
            for spec, raw in given:
                inputs.append(device.tensor(device.upload(raw), spec["shape"], contiguous(spec["shape"]), 0,
                                            DTYPES[spec["dtype"]][0]))
            n_out = c.c_size_t()
            library.AOTInductorModelContainerGetNumOutputs(container, c.byref(n_out))
            in_array = (c.c_void_p * max(len(inputs), 1))(*[h.value for h in inputs])
            out_array = (c.c_void_p * n_out.value)()
            device.check(library.AOTInductorModelContainerRun(
                container, in_array, c.c_size_t(len(inputs)), out_array, n_out, stream, None), "run")
            device.check(device.cuda.cudaStreamSynchronize(stream), "synchronise")
            outputs = [device.download(c.c_void_p(h)) for h in out_array]
            for handle in set(out_array):
                device.shims.aoti_torch_delete_tensor_object(c.c_void_p(handle))
            recorded = call.get("aoti") or call["outputs"]
            wanted = [open(f"{folder}/{spec['file']}", "rb").read() for spec in recorded]
            got = [raw.tobytes() for _, raw in outputs]
            if write is not None:
                target = os.path.join(write[0], *folder.rstrip("/").split("/")[-2:])
                os.makedirs(target, exist_ok=True)
                for i, raw in enumerate(got):
                    with open(f"{target}/{method}.c{number}.out{i}.{write[1]}", "wb") as file:
                        file.write(raw)
            kind = "libtorch" if call.get("aoti") else "eager"
            if manifest["opts"].get("random"):
                notes.append(f"{method}.{number}: random, mean {as_real(*outputs[0]).mean():.4f}")
            elif got == wanted or (kind == "eager" and sorted(got) == sorted(wanted)):
                notes.append(f"{method}.{number}: equal to {kind}")
            else:
                worst = []
                for order in itertools.permutations(range(len(got))) if len(got) < 6 else [range(len(got))]:
                    try:
                        worst.append(max(np.abs(as_real(*outputs[i]) - as_real(
                            outputs[i][0], np.frombuffer(w, outputs[i][1].dtype).reshape(outputs[i][1].shape))).max()
                            for i, w in zip(order, wanted)))
                    except ValueError:
                        pass
                size = max(np.abs(as_real(*o)).max() for o in outputs)
                notes.append(f"{method}.{number}: max difference to {kind} {min(worst, default=-1):.4g} of {size:.4g}")
    return notes


def main():
    arguments = sys.argv[1:]
    write = None
    if arguments[0] == "--write":
        write, arguments = arguments[1:3], arguments[3:]
    device = Device(arguments[0], arguments[1])
    failed = 0
    for folder in arguments[2:]:
        try:
            notes = run(device, folder, write)
            if notes is not None:
                print(f"{'/'.join(folder.split('/')[-2:]):28} {'; '.join(notes)}", flush=True)
        except Exception as error:
            failed += 1
            print(f"{folder} FAILED {type(error).__name__}: {error}", flush=True)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
