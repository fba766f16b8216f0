"""What goes wrong is said in words, and harms nothing."""

import ctypes

import numpy
import pytest
from conftest import PROGRAMS, load, program_path, read_export
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime

ONES = numpy.ones((2, 3), numpy.float32)


class Described:
    """What a broken library may hand out: a tensor without memory, described in any way."""

    class Tensor(ctypes.Structure):
        _fields_ = [
            ("data", ctypes.c_void_p),
            ("device", ctypes.c_int32),
            ("device_id", ctypes.c_int32),
            ("ndim", ctypes.c_int32),
            ("code", ctypes.c_uint8),
            ("bits", ctypes.c_uint8),
            ("lanes", ctypes.c_uint16),
            ("shape", ctypes.POINTER(ctypes.c_int64)),
            ("strides", ctypes.POINTER(ctypes.c_int64)),
            ("byte_offset", ctypes.c_uint64),
            ("context", ctypes.c_void_p),
            ("deleter", ctypes.c_void_p),
        ]

    def __init__(self, shape=(2, 3), code=2, bits=32, lanes=1, device=1, device_id=0):
        self._shape = (ctypes.c_int64 * len(shape))(*shape)
        self._tensor = self.Tensor(
            None, device, device_id, len(shape), code, bits, lanes, self._shape, None, 0, None, None
        )

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        new.restype = ctypes.py_object
        return new(ctypes.addressof(self._tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return (self._tensor.device, self._tensor.device_id)


@pytest.mark.parametrize(
    "inputs, words",
    [
        ([ONES], "has 2 inputs, and was given 1"),
        ([ONES] * 3, "has 2 inputs, and was given 3"),
        ([ONES.astype("float64")] * 2, "error: 0x12: Input 0 has elements of type Float, not Double"),
        ([ONES, numpy.ones((7, 7), "float32")], "error: 0x10: .*Input 1 can't"),
        ([numpy.ones(6, "float32")] * 2, "error: 0x10: .*Input 0 can't"),
        ([None, ONES], "Input 0 of method 'forward' is Tensor, not None"),
        ([[ONES, ONES]], "Unsupported python type <class 'list'>"),
        ([ONES, object()], "Unsupported python type <class 'object'>"),
        ([ONES, b"bytes"], "Unsupported python type <class 'bytes'>"),
        ([ONES, numpy.array(["a"])], "Unsupported python type <class 'numpy.ndarray'>"),
        ([ONES, numpy.zeros((1,) * 17, "float32")], "has 17 dimensions, more than programs have"),
        ([ONES, Described(shape=(2**31 - 1,) * 3)], "more elements than"),
        ([ONES, Described(shape=(0, 2**31 - 1, 2**31 - 1, 2**31 - 1))], "more elements than"),
        ([ONES, Described(shape=(-2, 3))], "more elements than"),
        ([ONES, Described(code=2, bits=32, lanes=2)], "a type of elements that programs don't have"),
        ([ONES, Described(code=99)], "a type of elements that programs don't have"),
        ([ONES, Described(device=7)], "is on device .* of DLPack; only CPU and CUDA"),
        ([ONES, Described(device=2, device_id=1 << 20)], "is on device .* of DLPack; only CPU and CUDA"),
        ([ONES, Described()], "has elements and no memory"),
        ([ONES, numpy.empty((0, 2**31), "float32")], "more elements than"),
    ],
)
@pytest.mark.parametrize("name", ["sum_planned", "sum"])
def test_inputs_that_do_not_fit(name, inputs, words):
    method = load(name)
    with pytest.raises(RuntimeError, match=words):
        method.execute(inputs)
    assert (method.execute([ONES, ONES])[0] == 2).all()


@pytest.mark.parametrize("inputs", [5, "text", b"bytes", None])
def test_inputs_that_are_no_sequence(inputs):
    with pytest.raises(TypeError, match="a sequence, or one tensor"):
        load("sum").execute(inputs)


def test_an_exception_of_a_tensor_is_not_swallowed_into_a_wrong_value():
    class Broken:
        def __dlpack__(self, **options):
            raise ValueError("no capsule")

        def __dlpack_device__(self):
            return (1, 0)

    with pytest.raises(RuntimeError, match="Unsupported python type .*Broken"):
        load("sum").execute([Broken(), ONES])


def test_tensors_on_other_devices(torch):
    with pytest.raises(RuntimeError, match="Input 0 for method forward is on device meta; only CPU"):
        load("sum").execute([torch.ones(2, 3, device="meta")] * 2)
    (output,) = load("sum_empty").execute([torch.ones(0, 3, device="meta")] * 2)
    assert output.shape == (0, 3)


def test_files_that_can_not_be_loaded(tmp_path):
    missing = str(tmp_path / "missing.pte")
    for load_file in (portable_lib._load_for_executorch, portable_lib._load_program):
        with pytest.raises(RuntimeError, match="missing.pte, error: 0x22"):
            load_file(missing)
    garbage = tmp_path / "garbage.pte"
    garbage.write_bytes(b"x" * 100)
    with pytest.raises(RuntimeError, match="garbage.pte, error: 0x23"):
        Runtime.get().load_program(garbage)
    with pytest.raises(RuntimeError, match="error: 0x"):
        Runtime.get().load_program(b"")
    with pytest.raises(RuntimeError, match="missing.pte, error: 0x22"):
        Runtime.get().load_program(program_path("sum"), data_path=missing)
    with pytest.raises(RuntimeError, match="garbage.pte, error: 0x"):
        Runtime.get().load_program(program_path("sum"), data_path=garbage)
    with pytest.raises(TypeError, match="got int"):
        Runtime.get().load_program(5)


def test_data_of_a_module_is_read_with_its_first_method(tmp_path):
    garbage = b"no data"
    (tmp_path / "garbage.ptd").write_bytes(garbage)
    for module in (
        portable_lib._load_for_executorch_from_buffer(
            (PROGRAMS / "sum.pte").read_bytes(), garbage
        ),
        portable_lib._load_for_executorch(program_path("sum"), tmp_path / "garbage.ptd"),
    ):
        assert module.method_names() == ["forward"]
        for _ in range(2):
            with pytest.raises(RuntimeError, match="Failed to load data from"):
                module.forward([ONES, ONES])


def test_every_cut_of_a_program_is_refused_or_runs():
    whole = (PROGRAMS / "sum_planned.pte").read_bytes()
    for size in range(0, len(whole), 7):
        with pytest.raises(RuntimeError):
            Runtime.get().load_program(whole[:size]).load_method("forward").execute([ONES, ONES])


def test_names_that_the_program_does_not_have():
    program = portable_lib._load_program(program_path("sum"))
    with pytest.raises(RuntimeError, match="error: 0x12"):
        program.get_method_name(1)
    for call in (program.load_method, program.method_meta):
        with pytest.raises(RuntimeError, match="backward"):
            call("backward")
    module = portable_lib._load_for_executorch(program_path("sum"))
    for call in (module.run_method, module.plan_execute, module.method_meta):
        with pytest.raises(RuntimeError, match="backward"):
            call("backward")
    with pytest.raises(KeyError):
        Runtime.get().load_program(program_path("sum")).load_method("backward")
    with pytest.raises(RuntimeError, match="Failed to get attribute 'state'"):
        program.load_method("forward").get_attribute("state")


def test_an_operator_without_a_kernel_is_named():
    with pytest.raises(RuntimeError, match="error: 0x14: .*mine::unknown.out"):
        load("unknown_operator")


def test_a_backend_that_is_not_there_is_named():
    with pytest.raises(RuntimeError, match="Backend AbsentBackend is not registered"):
        load("absent_backend")


def test_a_cuda_export_without_the_delegate_says_what_is_missing():
    runtime = Runtime.get()
    if "CudaBackend" in runtime.backend_registry.registered_backend_names:
        pytest.skip("this build has the delegate")
    export = read_export("1.5.1/add")
    program = runtime.load_program(export.path)
    assert program.metadata("forward").num_inputs() == len(export.calls[0].inputs)
    with pytest.raises(RuntimeError, match="Backend CudaBackend is not registered"):
        program.load_method("forward")


def test_what_became_an_exception_is_not_logged_too(capfd):
    with pytest.raises(RuntimeError):
        load("sum").execute([ONES])
    assert capfd.readouterr().err == ""


def test_options_that_no_backend_can_have():
    runtime = Runtime.get()
    for options, error in [
        ({"B": {"key": 1.5}}, TypeError),
        ({"B": {"k" * 64: 1}}, ValueError),
        ({"B": {"key": "v" * 256}}, ValueError),
        ({"B": {"key": 1 << 31}}, ValueError),
        ({"b" * 64: {}}, ValueError),
    ]:
        with pytest.raises(error):
            runtime.load_program(program_path("sum"), backend_options=options)
    with pytest.raises(RuntimeError, match="error: 0x20"):
        runtime.backend_registry.set_options("AbsentBackend", {"key": True})
