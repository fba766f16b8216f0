#!/usr/bin/env python3
"""compiled_outputs.py FOLDER EXPORTS...: runs the library inside each export for CUDA under PyTorch's own
runtime, and writes its outputs, in its own order, to FOLDER/<version>/<model>/<method>.c<call>.out<i>.bin.
EXPORTS are folders that hold model.pte and manifest.json. Needs torch with CUDA, and a GPU. A library that
imports what torch does not have is left out, with a line that says so."""
import ctypes as c
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shims/testing"))
import run_exports  # noqa: E402
import torch  # noqa: E402


class Libtorch(run_exports.Device):
    """PyTorch's libraries in the place of the shims: the same functions, made visible to everything."""

    def __init__(self):
        folder = os.path.join(os.path.dirname(torch.__file__), "lib")
        for name in ("libc10.so", "libtorch_cpu.so", "libc10_cuda.so", "libtorch_cuda.so", "libtorch.so"):
            library = c.CDLL(os.path.join(folder, name), mode=c.RTLD_GLOBAL)
        self.shims = library
        site = os.path.dirname(os.path.dirname(torch.__file__))
        (cudart,) = glob.glob(os.path.join(site, "nvidia/cu1*/lib/libcudart.so.1*"))
        self.cuda = c.CDLL(cudart, mode=c.RTLD_GLOBAL)

    def check(self, code, what):
        if code:
            raise RuntimeError(f"{what}: {code}")


class Library:
    """One compiled library with its constants."""

    def __init__(self, device, image, entries, blobs, weights):
        path = f"/tmp/compiled_outputs.{os.getpid()}.{len(Library.all)}.so"
        with open(path, "wb") as file:
            file.write(image)
        try:
            self.library = c.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        finally:
            os.unlink(path)
        Library.all.append(self)
        self.device, self.container = device, c.c_void_p()
        self.call("CreateWithDevice", c.byref(self.container), c.c_size_t(1), b"cuda:0", None)
        if entries is None:
            if weights:
                device.check(self.library.AOTInductorModelUpdateConstantsFromBlob(self.container, weights), "blob")
        elif entries:
            names = self.names()
            pairs = (Pair * len(entries))()
            for i, (fqn, key, _, dtype, _, offset, sizes, strides) in enumerate(entries):
                pairs[i] = Pair(names[fqn], device.tensor(device.upload(blobs[key]), sizes, strides,
                                                                      offset, dtype))
            self.call("UpdateUserManagedConstantBufferPairs", self.container, pairs, c.c_size_t(len(entries)),
                      c.c_bool(False), c.c_bool(True))

    all = []

    def call(self, name, *arguments):
        self.device.check(getattr(self.library, "AOTInductorModelContainer" + name)(*arguments), name)

    def names(self):
        count, names = c.c_size_t(), {}
        self.call("GetNumConstants", self.container, c.byref(count))
        for i in range(count.value):
            name, fqn = c.c_char_p(), c.c_char_p()
            self.call("GetConstantName", self.container, c.c_size_t(i), c.byref(name))
            self.call("GetConstantOriginalFQN", self.container, c.c_size_t(i), c.byref(fqn))
            names[fqn.value.decode() or name.value.decode()] = name.value
        return names

    def run(self, inputs):
        n_in, n_out = c.c_size_t(), c.c_size_t()
        self.call("GetNumInputs", self.container, c.byref(n_in))
        self.call("GetNumOutputs", self.container, c.byref(n_out))
        if n_in.value < len(inputs):
            # A tensor that is passed several times is one input of the library.
            inputs = list({raw: (spec, raw) for spec, raw in inputs}.values())
        handles = (c.c_void_p * max(n_in.value, 1))()
        for i, (spec, raw) in enumerate(inputs):
            handles[i] = self.device.tensor(self.device.upload(raw), spec["shape"],
                                            run_exports.contiguous(spec["shape"]), 0,
                                            run_exports.DTYPES[spec["dtype"]][0]).value
        outputs = (c.c_void_p * n_out.value)()
        self.call("Run", self.container, handles, n_in, outputs, n_out, None, None)
        self.device.check(self.device.cuda.cudaDeviceSynchronize(), "synchronise")
        return [self.device.download(c.c_void_p(handle))[1].tobytes() for handle in outputs]


class Pair(c.Structure):
    _fields_ = [("name", c.c_char_p), ("handle", c.c_void_p)]


def calls_of(folder, info):
    for call in info["calls"]:
        yield [(spec, open(f"{folder}/{spec['file']}", "rb").read()) for spec in call["inputs"]], sorted(
            os.path.getsize(f"{folder}/{spec['file']}") for spec in call["outputs"])


def run(device, target, folder):
    manifest = json.load(open(f"{folder}/manifest.json"))
    program = open(f"{folder}/model.pte", "rb").read()
    found, images = run_exports.manifests(program), run_exports.libraries(program)
    ptd = glob.glob(f"{folder}/*.ptd")
    blobs = run_exports.flat_tensor(open(ptd[0], "rb").read()) if ptd else {}
    name = "/".join(folder.rstrip("/").split("/")[-2:])
    os.makedirs(f"{target}/{name}", exist_ok=True)
    for method, info in manifest["methods"].items():
        if found:
            choices = [(images[key.split("_")[0]], entries, None) for key, entries in found]
        else:
            choices = [(image, None, blobs.get(f"{method}_weights_blob")) for image in images.values()]
        for image, entries, weights in choices:
            library = Library(device, image, entries, blobs, weights)
            results = [(library.run(inputs), sizes) for inputs, sizes in calls_of(folder, info)]
            # Which library belongs to which method is seen from the sizes of its outputs.
            if all(sorted(map(len, outputs)) == sizes for outputs, sizes in results):
                break
        else:
            raise RuntimeError(f"no library for {method}")
        for number, (outputs, _) in enumerate(results):
            for i, raw in enumerate(outputs):
                with open(f"{target}/{name}/{method}.c{number}.out{i}.bin", "wb") as file:
                    file.write(raw)


def main():
    device = Libtorch()
    torch.zeros(1, device="cuda")
    for folder in sys.argv[2:]:
        if json.load(open(f"{folder}/manifest.json"))["opts"].get("cpu"):
            continue
        try:
            run(device, sys.argv[1], folder)
        except (OSError, RuntimeError, AttributeError) as error:
            print(f"libtorch did not run {folder}: {str(error)[-150:]}", flush=True)


main()
