"""Several threads."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
from conftest import assert_same, load, program_path, read_export
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime


def run_exports(name, rounds):
    export = read_export(name)
    for _ in range(rounds):
        program = Runtime.get().load_program(export.path)
        for call in export.calls:
            outputs = program.load_method(call.method).execute(call.inputs)
            for output, reference in zip(outputs, call.outputs):
                assert_same(output, reference)


def test_two_methods_in_two_threads():
    names = ["1.5.1/cpu_transformer", "1.5.1/cpu_views", "1.2.0/cpu_counter", "1.5.1/cpu_dyn"]
    with ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(run_exports, name, 20) for name in names]:
            result.result()


def test_one_method_in_many_threads_never_mixes_calls_up():
    method = load("sum_planned")
    mismatches = []

    def work(seed):
        value = numpy.full((2, 3), seed, numpy.float32)
        for i in range(500):
            other = numpy.full((2, 3), i, numpy.float32)
            (output,) = method.execute([value, other])
            if not (output == seed + i).all():
                mismatches.append((seed, i))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mismatches == []


def test_a_method_is_loaded_once_by_many_threads():
    module = portable_lib._load_for_executorch(program_path("state"))
    barrier = threading.Barrier(4)
    two = numpy.ones(2, numpy.float32)

    def work():
        barrier.wait()
        module.run_method("first", [two])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # All four calls added to one state.
    assert module.run_method("first", [two])[0].tolist() == [15, 25]


def test_other_threads_run_while_a_method_does():
    export = read_export("1.5.1/cpu_transformer")
    call = export.calls[0]
    method = Runtime.get().load_program(export.path).load_method(call.method)
    counted = 0
    seen = []

    def work():
        before = counted
        for _ in range(50):
            method.execute(call.inputs)
        seen.append(counted - before)

    interval = sys.getswitchinterval()
    # Nobody is asked to let go: others run only while a thread lets them of its own accord.
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            counted += 1
            time.sleep(0)
    finally:
        sys.setswitchinterval(interval)
    assert seen[0] > 0
