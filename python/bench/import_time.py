#!/usr/bin/env python3
"""How long `import executorch.runtime` takes in a fresh process, and the memory it holds then:

    import_time.py --ours BUILD/python/site --python PYTHON [--stock OTHER_PYTHON] [--rounds 20]

OTHER_PYTHON is one where pip has installed the stock executorch. The two take turns, so that what
else the machine does meets both; the first round warms the file cache and isn't counted.
"""

import argparse
import os
import statistics
import subprocess
import sys

SCRIPT = """
import time
start = time.perf_counter()
import executorch.runtime
seconds = time.perf_counter() - start
import resource
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measure(python, site):
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    if site:
        environment["PYTHONPATH"] = os.path.abspath(site)
    output = subprocess.run(
        [python, "-W", "ignore", "-c", SCRIPT], env=environment, check=True, capture_output=True
    ).stdout.split()
    return float(output[0]), int(output[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True, help="folder that holds our package")
    parser.add_argument("--python", default=sys.executable, help="the Python that ours was built for")
    parser.add_argument("--stock", help="a Python with the stock package")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    sides = {"ours": (options.python, options.ours)}
    if options.stock:
        sides["stock"] = (options.stock, None)
    seconds = {side: [] for side in sides}
    peak = {}
    for number in range(options.rounds + 1):
        for side, (python, site) in sides.items():
            taken, peak[side] = measure(python, site)
            if number:
                seconds[side].append(taken)
    for side, values in seconds.items():
        print(
            f"{side}: median {statistics.median(values) * 1e3:.1f} ms, fastest "
            f"{min(values) * 1e3:.1f} ms of {len(values)}; peak memory {peak[side] / 1024:.0f} MiB"
        )
    if options.stock:
        ratio = statistics.median(seconds["stock"]) / statistics.median(seconds["ours"])
        print(f"stock / ours: {ratio:.1f}")


if __name__ == "__main__":
    main()
