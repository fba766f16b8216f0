"""Who keeps what alive, and for how long."""

import gc
import resource
import sys
import weakref

import numpy
import pytest
from conftest import PROGRAMS, load, program_path
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime

ONES = numpy.ones((2, 3), numpy.float32)


class Array(numpy.ndarray):
    """An array that can be referred to weakly."""


def fresh(value=1.0):
    return numpy.full((2, 3), value, numpy.float32).view(Array)


@pytest.mark.parametrize("name", ["sum", "sum_planned"])
@pytest.mark.parametrize("clone", [True, False])
def test_outputs_outlive_method_and_program(name, clone):
    program = portable_lib._load_program_from_buffer((PROGRAMS / f"{name}.pte").read_bytes())
    method = program.load_method("forward")
    (output,) = method([fresh(), fresh()], clone_outputs=clone)
    del method, program
    gc.collect()
    noise = [numpy.full((2, 3), 9, numpy.float32) for _ in range(100)]
    assert (output == 2).all()
    output += 1
    assert (output == 3).all() and len(noise) == 100


@pytest.mark.parametrize("name", ["sum", "sum_planned", "sum_bounded"])
def test_outputs_of_one_call_are_not_touched_by_the_next(name):
    method = load(name)
    first = method.execute([ONES, ONES])[0]
    second = method.execute([ONES, 3 * ONES])[0]
    assert (first == 2).all()
    assert (second == 4).all()
    first[:] = 7
    assert (method.execute([ONES, ONES])[0] == 2).all()
    assert (second == 4).all()


def test_outputs_without_clones_are_overwritten_by_the_next_call():
    module = portable_lib._load_for_executorch(program_path("sum_planned"))
    (first,) = module.forward([ONES, ONES], clone_outputs=False)
    (second,) = module.forward([ONES, 3 * ONES], clone_outputs=False)
    assert numpy.shares_memory(first, second)
    assert (first == 4).all()


def test_an_output_that_is_an_input_keeps_the_input():
    method = load("same_float32")._method
    array = fresh(5)
    alive = weakref.ref(array)
    (output,) = method([array], clone_outputs=False)
    del array
    method([fresh(6)])
    gc.collect()
    assert alive() is not None
    assert (output == 5).all()
    del output
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("name", ["sum", "sum_planned"])
def test_inputs_that_were_set_are_kept_until_the_next_ones(name):
    method = load(name)._method
    one, other = fresh(1), fresh(2)
    alive = weakref.ref(one)
    method.set_inputs([one, other])
    del one, other
    gc.collect()
    assert alive() is not None
    method.execute()
    assert (method.get_outputs()[0] == 3).all()
    method.set_inputs([fresh(3), fresh(4)])
    gc.collect()
    assert alive() is None
    method.execute()
    assert (method.get_outputs()[0] == 7).all()


@pytest.mark.parametrize("name", ["sum", "sum_planned", "in_place"])
def test_a_second_execution_sees_the_inputs_again(name):
    method = load(name)._method
    method.set_inputs([ONES.copy(), ONES.copy()])
    method.execute()
    method.execute()
    # in_place has added to the caller's array twice.
    assert (method.get_outputs()[0] == (3 if name == "in_place" else 2)).all()


def test_plan_execute_runs_with_the_last_inputs():
    module = portable_lib._load_for_executorch(program_path("sum_planned"))
    with pytest.raises(RuntimeError, match="Its inputs have not been set"):
        module.plan_execute("forward")
    module.forward([ONES, 2 * ONES])
    assert (module.plan_execute("forward")[0] == 3).all()


def test_nothing_old_is_given_out_after_a_failure():
    method = load("sum")._method
    with pytest.raises(RuntimeError, match="has not been executed"):
        method.get_outputs()
    method.set_inputs([ONES, ONES])
    with pytest.raises(RuntimeError, match="has not been executed"):
        method.get_outputs()
    method.execute()
    with pytest.raises(RuntimeError, match="not Double"):
        method.set_inputs([fresh(), ONES.astype("float64")])
    with pytest.raises(RuntimeError, match="has not been executed"):
        method.get_outputs()
    with pytest.raises(RuntimeError, match="Its inputs have not been set"):
        method.execute()
    assert (method([ONES, ONES])[0] == 2).all()


def test_bytes_of_a_program_are_kept():
    data = bytes(bytearray((PROGRAMS / "state.pte").read_bytes()))
    before = sys.getrefcount(data)
    program = portable_lib._load_program_from_buffer(data)
    assert sys.getrefcount(data) == before + 1
    del data
    gc.collect()
    noise = [bytes(200) for _ in range(1000)]
    two = numpy.ones(2, numpy.float32)
    assert program.load_method("first")([two])[0].tolist() == [11, 21] and len(noise) == 1000


def test_bytes_that_change_are_copied():
    data = bytearray((PROGRAMS / "state.pte").read_bytes())
    program = Runtime.get().load_program(data)
    data[:] = bytes(len(data))
    two = numpy.ones(2, numpy.float32)
    assert program.load_method("first").execute([two])[0].tolist() == [11, 21]


def test_descriptions_keep_their_program():
    meta = portable_lib._load_for_executorch_from_buffer(
        (PROGRAMS / "sum.pte").read_bytes()
    ).method_meta("forward")
    info = meta.input_tensor_meta(0)
    del meta
    gc.collect()
    assert info.sizes() == (2, 3)


def test_state_stays_from_call_to_call_and_is_each_methods_own_where_the_program_says_so(tmp_path):
    two = numpy.ones(2, numpy.float32)
    # Each method of a module has its own memory.
    module = portable_lib._load_for_executorch(program_path("state"))
    assert module.run_method("first", [two])[0].tolist() == [11, 21]
    assert module.run_method("first", [two])[0].tolist() == [12, 22]
    assert module.run_method("second", [two])[0].tolist() == [11, 21]
    # Methods of a program share the second buffer; loading one sets its initial state.
    program = Runtime.get().load_program(program_path("state"))
    first, second = program.load_method("first"), program.load_method("second")
    assert first.execute([two])[0].tolist() == [11, 21]
    assert second.execute([two])[0].tolist() == [12, 22]
    assert first.execute([two])[0].tolist() == [13, 23]
    state = second._method.get_attribute("state")
    assert numpy.asarray(state).tolist() == [13, 23]
    first.execute([two])
    assert numpy.asarray(state).tolist() == [13, 23]


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("name", ["sum", "sum_planned", "values", "absent_backend"])
def test_no_memory_is_lost_over_many_cycles(name):
    data = (PROGRAMS / f"{name}.pte").read_bytes()
    array = numpy.ones((2, 3), numpy.float32)
    inputs = [None, -3, True, 1.5, "gelu"] if name == "values" else [array, array]

    def cycle():
        program = Runtime.get().load_program(data)
        try:
            method = program.load_method("forward")
        except RuntimeError:
            return
        kept = [method.execute(inputs) for _ in range(3)]
        method._method(inputs, clone_outputs=False)
        with pytest.raises(RuntimeError):
            method.execute(inputs[:1])
        assert len(kept) == 3

    for _ in range(300):
        cycle()
    gc.collect()
    references = sys.getrefcount(array), sys.getrefcount(data)
    before = resident_bytes()
    for _ in range(3000):
        cycle()
    gc.collect()
    assert (sys.getrefcount(array), sys.getrefcount(data)) == references
    # Less than 100 bytes a cycle: the smallest object would be more.
    assert resident_bytes() - before < 300_000
