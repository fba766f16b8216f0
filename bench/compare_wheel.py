"""Runs commands on wheels in turn, round by round; prints medians, ratios and peak memory."""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path


class Run:
    """One finished command, by the operating system's own accounting."""

    def __init__(self, command):
        start = time.perf_counter()
        with open(os.devnull, "wb") as sink:
            child = subprocess.Popen(command, stdout=sink, stderr=sink)
            _, status, usage = os.wait4(child.pid, 0)
        self.wall = time.perf_counter() - start
        child.returncode = self.code = os.waitstatus_to_exitcode(status)
        self.cpu = usage.ru_utime + usage.ru_stime
        # Of the largest single process; never below this script's own, of which it is a fork.
        self.peak_mib = usage.ru_maxrss / 1024


def commands(wheel, options):
    scripts = Path(sys.executable).parent
    check = [options.wheelcheck, "check"]
    if options.threads:
        check += ["--threads", str(options.threads)]
    return {
        # The exit codes that do not mean that the work was left undone.
        "wheelcheck": (check + [wheel], {0, 1}),
        "python3 -m zipfile -t": (["python3", "-m", "zipfile", "-t", wheel], {0}),
        "unzip -tq": (["unzip", "-tq", wheel], {0, 1}),
        "auditwheel show": ([str(scripts / "auditwheel"), "show", wheel], {0, 1}),
    }


def measure(wheel, options):
    """{name: [Run of each round]}. Commands that fail are left out, and said so."""
    todo = commands(wheel, options)
    runs = {}
    for name, (command, fine) in list(todo.items()):  # the warm-up: page cache, byte code
        try:
            code = Run(command).code
        except OSError as error:
            code = error
        if code not in fine:
            print(f"  {name}: not measured, it ended with {code}")
            del todo[name]
        else:
            runs[name] = []
    for _ in range(options.rounds):
        for name, (command, _) in todo.items():
            runs[name].append(Run(command))
    return runs


def show(wheel, runs):
    size = os.path.getsize(wheel) / 1e6
    print(f"{os.path.basename(wheel)} ({size:.1f} MB)")
    print(f"  {'':24}{'wall s':>9}{'min':>8}{'max':>8}{'cpu s':>8}{'peak MiB':>10}{'x wheelcheck':>14}")
    base = runs.get("wheelcheck")
    for name, rounds in runs.items():
        walls = [run.wall for run in rounds]
        ratio = ""
        if base:
            ratios = [other.wall / own.wall for other, own in zip(rounds, base)]
            ratio = f"{statistics.median(ratios):.2f}"
        print(
            f"  {name:24}{statistics.median(walls):9.3f}{min(walls):8.3f}{max(walls):8.3f}"
            f"{statistics.median(run.cpu for run in rounds):8.2f}"
            f"{max(run.peak_mib for run in rounds):10.0f}{ratio:>14}"
        )


def main():
    parser = argparse.ArgumentParser(prog="bench/compare-wheel")
    parser.add_argument("wheels", nargs="+", metavar="WHEEL")
    parser.add_argument("--rounds", type=int, default=5, help="counted runs (default: 5)")
    parser.add_argument("--threads", type=int, help="for wheelcheck (default: one per processor)")
    parser.add_argument("--wheelcheck", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    complete = True
    for wheel in options.wheels:
        if not os.path.isfile(wheel):
            parser.error(f"{wheel}: no such file")
        runs = measure(wheel, options)
        show(wheel, runs)
        complete = complete and len(runs) == len(commands(wheel, options))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
