#!/usr/bin/env python3
"""dump_delegate.py FOLDER EXPORT...: writes, for the first delegate of each export of 1.5, what latency.cpp
reads: FOLDER/<model>/{payload.bin, library.so, data.txt, constants.txt, inputs.txt, outputs.txt}, the
files they name, and the program with its data."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shims/testing"))
import run_exports  # noqa: E402


def numbers(values):
    return ",".join(map(str, values)) or "-"


def dump(target, folder):
    manifest = json.load(open(f"{folder}/manifest.json"))
    program = open(f"{folder}/model.pte", "rb").read()
    (key, entries), = run_exports.manifests(program)
    image = run_exports.libraries(program)[key.split("_")[0]]
    blobs = {}
    for name in os.listdir(folder):
        if name.endswith(".ptd"):
            blobs = run_exports.flat_tensor(open(f"{folder}/{name}", "rb").read())
    os.makedirs(target, exist_ok=True)
    for name in ("model.pte", "aoti_cuda_blob.ptd"):
        os.symlink(os.path.abspath(f"{folder}/{name}"), f"{target}/{name}")

    def write(name, data):
        with open(f"{target}/{name}", "wb") as file:
            file.write(data)

    start = program.find(b"ETCUDAFQN3")
    end = start + 10 + 4 + len(key) + 4
    for fqn, storage, *_, sizes, strides in entries:
        end += 4 + len(fqn) + 4 + len(storage) + 28 + 16 * len(sizes)
    write("payload.bin", program[start:end])
    write("library.so", image)
    data, constants = [f"{key} library.so"], []
    for i, (fqn, storage, _, dtype, device, offset, sizes, strides) in enumerate(entries):
        write(f"constant{i}.bin", blobs[storage])
        data.append(f"{storage} constant{i}.bin")
        constants.append(f"{fqn} {dtype} {device} {offset} {numbers(sizes)} {numbers(strides)} constant{i}.bin")
    write("data.txt", "\n".join(data).encode() + b"\n")
    write("constants.txt", "".join(line + "\n" for line in constants).encode())
    (info,) = manifest["methods"].values()
    call = info["calls"][-1]
    lines = []
    for i, spec in enumerate(call["inputs"]):
        write(f"input{i}.bin", open(f"{folder}/{spec['file']}", "rb").read())
        lines.append(f"{run_exports.DTYPES[spec['dtype']][0]} {numbers(spec['shape'])} input{i}.bin\n")
    write("inputs.txt", "".join(lines).encode())
    write("outputs.txt", "".join(f"{run_exports.DTYPES[spec['dtype']][0]} {numbers(spec['shape'])}\n"
                                 for spec in call["outputs"]).encode())


for path in sys.argv[2:]:
    dump(os.path.join(sys.argv[1], os.path.basename(path.rstrip("/"))), path)
