#!/usr/bin/env python3
"""Compares two builds of bench/stock, run in alternating pairs on the same models.

    runtime_speed.py --ours MEASURE --stock MEASURE --exports DIR [--pairs N] [--limit RATIO]

Prints, for each model and quantity, the median of the pairs' ratios ours/stock, and the ratio of
the sums. Exits with 1 when a median is above the limit or the sum is not below 1.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

MODELS = ("cpu_add", "cpu_portable", "cpu_transformer")
QUANTITIES = ("load_ns", "call_ns", "peak_kib")


def measure(program, model):
    manifest = json.loads((model / "manifest.json").read_text())
    inputs = [model / entry["file"] for entry in manifest["methods"]["forward"]["calls"][0]["inputs"]]
    done = subprocess.run([program, model / "model.pte", *inputs], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{program} {model.name}: {done.stderr}")
    lines = (line.split() for line in done.stdout.splitlines())
    return {line[0]: float(line[1]) for line in lines if len(line) == 2 and line[0] in QUANTITIES}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", type=Path, required=True)
    parser.add_argument("--stock", type=Path, required=True)
    parser.add_argument("--exports", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=11)
    parser.add_argument("--limit", type=float, default=1.03)
    options = parser.parse_args()

    worst = 0.0
    sums = {quantity: [0.0, 0.0] for quantity in QUANTITIES}
    print(f"{'model':16} {'quantity':9} {'ours':>12} {'stock':>12} {'ratio':>7}")
    for name in MODELS:
        pairs = []
        for number in range(options.pairs):
            programs = [options.ours, options.stock]
            if number % 2:  # neither is always first
                programs.reverse()
            results = {program: measure(program, options.exports / name) for program in programs}
            pairs.append((results[options.ours], results[options.stock]))
        for quantity in QUANTITIES:
            ours = statistics.median(pair[0][quantity] for pair in pairs)
            stock = statistics.median(pair[1][quantity] for pair in pairs)
            ratio = statistics.median(pair[0][quantity] / pair[1][quantity] for pair in pairs)
            sums[quantity][0] += ours
            sums[quantity][1] += stock
            worst = max(worst, ratio)
            print(f"{name:16} {quantity:9} {ours:12.0f} {stock:12.0f} {ratio:7.3f}", flush=True)
    below = True
    for quantity, (ours, stock) in sums.items():
        below = below and ours < stock
        print(f"{'sum':16} {quantity:9} {ours:12.0f} {stock:12.0f} {ours / stock:7.3f}")
    print(f"largest median {worst:.3f} (limit {options.limit}); every sum below stock: "
          f"{'yes' if below else 'no'}")
    sys.exit(0 if worst <= options.limit and below else 1)


if __name__ == "__main__":
    main()
