"""Every export for the CPU, call after call, on each of the ways to run a program."""

from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime

import numpy
from conftest import assert_same


def check(outputs, call):
    assert len(outputs) == len(call.outputs)
    for output, reference in zip(outputs, call.outputs):
        assert isinstance(output, numpy.ndarray)
        assert_same(output, reference)


def test_matches_pytorch_through_load_program(cpu_export):
    program = Runtime.get().load_program(cpu_export.path)
    assert program.method_names == set(cpu_export.methods)
    for call in cpu_export.calls:
        check(program.load_method(call.method).execute(call.inputs), call)


def test_matches_pytorch_through_load_program_from_bytes(cpu_export):
    program = Runtime.get().load_program(cpu_export.path.read_bytes())
    for call in cpu_export.calls:
        check(program.load_method(call.method).execute(call.inputs), call)


def test_matches_pytorch_through_module(cpu_export):
    module = portable_lib._load_for_executorch(str(cpu_export.path))
    assert module.method_names() == cpu_export.methods
    for call in cpu_export.calls:
        check(module.run_method(call.method, call.inputs), call)


def test_matches_pytorch_through_module_from_buffer(cpu_export):
    module = portable_lib._load_for_executorch_from_buffer(bytearray(cpu_export.path.read_bytes()))
    for call in cpu_export.calls:
        check(module.run_method(call.method, tuple(call.inputs)), call)


def test_matches_pytorch_in_steps(cpu_export):
    program = portable_lib._load_program(str(cpu_export.path))
    methods = {name: program.load_method(name) for name in cpu_export.methods}
    for call in cpu_export.calls:
        method = methods[call.method]
        method.set_inputs(call.inputs)
        method.execute()
        check(method.get_outputs(), call)


def test_matches_pytorch_without_copies_of_outputs(cpu_export):
    module = portable_lib._load_for_executorch(cpu_export.path)
    for call in cpu_export.calls:
        check(module.run_method(call.method, call.inputs, clone_outputs=False), call)


def test_matches_pytorch_with_torch_tensors(cpu_export, torch):
    program = Runtime.get().load_program(cpu_export.path)
    for call in cpu_export.calls:
        inputs = [torch.from_numpy(array) for array in call.inputs]
        outputs = program.load_method(call.method).execute(inputs)
        assert all(isinstance(output, torch.Tensor) for output in outputs)
        check([output.numpy() for output in outputs], call)
