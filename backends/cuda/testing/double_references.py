#!/usr/bin/env python3
"""double_references.py FOLDER EXPORTS...: computes in double precision what each exported linear layer with
quantised weights gives, from the weights that the export holds and the definitions of their formats, and writes
it as float64 to FOLDER/<version>/<model>/<method>.c<call>.out0.f64, and to …out0.q.f64 the same product of
activations as the plain formats see them: of 32 neighbours, rounded to 1/127 of the largest. (The packed format
takes them as they are and has no second file.) Shares nothing with the kernels. Needs numpy.
  double_references.py --check FOLDER EXPORTS...: compares with the files that are there instead."""
import glob
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shims/testing"))
import run_exports  # noqa: E402


def bfloat16(raw):
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def constants(folder):
    """The weights of the layer, in the order of the operator's arguments: (type, sizes, bytes)."""
    (name,) = glob.glob(f"{folder}/*.ptd")
    blobs = run_exports.flat_tensor(open(name, "rb").read())
    found = run_exports.manifests(open(f"{folder}/model.pte", "rb").read())
    if found:
        ((_, entries),) = found
        return [(dtype, sizes, blobs[key][:size]) for _, key, size, dtype, _, _, sizes, _ in sorted(entries)]
    # Before the weights had names they lay one after the other; the layer is that of the newer exports.
    (blob,) = blobs.values()
    return [(3, (32, 8, 32, 4), blob[:131072]), (15, (8, 256, 2), blob[131072:139264])]


def packed(weights, scales):
    """Of _weight_int4pack_mm: words of 32 k's, a lane for each of 8 rows and each 4 pairs of columns."""
    (_, (n_tiles, outers, _, words), raw), (_, (groups, n, _), scale_bytes) = weights, scales
    word = np.frombuffer(raw, "<u4").reshape(n_tiles, outers, 32, words)
    k = outers * words * 32
    values = np.zeros((n, k))
    for column in range(32):
        lanes = np.arange(8) * 4 + column % 8 // 2
        shift = 4 * (column // 8 + 4 * (column % 2))
        nibbles = (word[:, :, lanes, :] >> np.uint32(shift)) & np.uint32(15)  # [n / 8, outer, 8, words]
        for inner in range(words):
            at = np.arange(outers) * words * 32 + inner * 32 + column
            values[:, at] = nibbles[:, :, :, inner].transpose(0, 2, 1).reshape(n, outers)
    scale, zero = np.moveaxis(bfloat16(scale_bytes).reshape(groups, n, 2), 2, 0)
    size = k // groups
    return (values - 8) * np.repeat(scale.T, size, 1) + np.repeat(zero.T, size, 1)


def nibbles(constant):
    _, (n, width), raw = constant
    data = np.frombuffer(raw, np.uint8).reshape(n, width)
    return np.stack([data & 15, data >> 4], 2).reshape(n, 2 * width).astype(np.float64)


def plane(constant, bits):
    """The higher bits of a plane: for each 32 weights first those of the even ones, or for each 8."""
    _, (n, width), raw = constant
    data = np.frombuffer(raw, np.uint8).reshape(n, width)
    k = width * 8 // bits
    values = np.zeros((n, k))
    for at in range(k):
        chunk, word, pair, odd = at // 32, at % 32 // 8, at % 8 // 2, at % 2
        if bits == 1:
            byte, shift = data[:, chunk * 4 + word], pair + 4 * odd
        else:
            byte, shift = data[:, chunk * 8 + 4 * odd + word], 2 * pair
        values[:, at] = (byte >> shift) & (2**bits - 1)
    return values


def per_weight(constant, k):
    """Codes, steps or scales, each repeated for the weights that share it."""
    dtype, (n, count), raw = constant
    if dtype == 15:
        data = bfloat16(raw)
    else:
        data = np.frombuffer(raw, {0: "u1", 1: "i1", 5: "<f2"}[dtype]).astype(np.float64)
    return np.repeat(data.reshape(n, count), k // count, 1)


def plain(model, given):
    if model == "int8_plain":
        weights, scale, zero = given
        values = np.frombuffer(weights[2], np.int8).reshape(weights[1]).astype(np.float64)
        return (values - per_weight(zero, values.shape[1])) * per_weight(scale, values.shape[1])
    values = nibbles(given[0])
    k = values.shape[1]
    if model == "int6_plain":
        _, high, codes, steps = given
        return (values + 16 * plane(high, 2) - 32) * per_weight(codes, k) * per_weight(steps, k)
    if model == "int5_plain":
        values += 16 * plane(given[1], 1)
    codes, steps, zeros, zero_steps = given[-4:]
    return (values - per_weight(zeros, k) * per_weight(zero_steps, k)) * per_weight(codes, k) * per_weight(steps, k)


def rounded(activations):
    chunks = activations.astype(np.float32).reshape(*activations.shape[:-1], -1, 32)
    step = np.abs(chunks).max(-1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), step, out=np.zeros_like(step), where=step > 0)
    whole = np.clip(np.rint(chunks * inverse), -128, 127)
    return (whole.astype(np.float64) * step.astype(np.float64)).reshape(activations.shape)


def references(folder):
    """{(method, call, suffix): float64 array} of one export."""
    model = os.path.basename(folder.rstrip("/"))
    manifest = json.load(open(f"{folder}/manifest.json"))
    given = constants(folder)
    is_packed = given[0][0] == 3
    weights = packed(*given) if is_packed else plain(model, given)
    found = {}
    for method, info in manifest["methods"].items():
        for number, call in enumerate(info["calls"]):
            (spec,) = call["inputs"]
            activations = bfloat16(open(f"{folder}/{spec['file']}", "rb").read()).reshape(spec["shape"])
            # The packed format's K is a multiple of 1024; the program fills the rest with zeros.
            missing = weights.shape[1] - activations.shape[-1]
            activations = np.pad(activations, [(0, 0), (0, missing)])
            found[method, number, "f64"] = activations @ weights.T
            if not is_packed:
                found[method, number, "q.f64"] = rounded(activations) @ weights.T
    return found


def main():
    check = sys.argv[1] == "--check"
    target, *folders = sys.argv[1 + check:]
    count = wrong = 0
    for folder in folders:
        opts = json.load(open(f"{folder}/manifest.json"))["opts"]
        if not opts.get("tol"):
            continue
        name = "/".join(folder.rstrip("/").split("/")[-2:])
        os.makedirs(f"{target}/{name}", exist_ok=True)
        for (method, number, suffix), values in references(folder).items():
            path = f"{target}/{name}/{method}.c{number}.out0.{suffix}"
            count += 1
            if not check:
                values.astype("<f8").tofile(path)
            elif not np.allclose(np.fromfile(path, "<f8"), values.ravel(), rtol=0, atol=1e-12 * np.abs(values).max()):
                wrong += 1
                print(f"{path} is not what the export's weights give")
    print(f"{count} references, {wrong} of them wrong" if check else f"{count} references")
    return int(wrong != 0 or count == 0)


if __name__ == "__main__":
    sys.exit(main())
