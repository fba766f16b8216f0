"""The names and behaviour that existing callers know."""

import io
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from conftest import PROGRAMS, program_path
from executorch.extension.pybindings import portable_lib
from executorch.runtime import BackendRegistry, Method, MethodMeta, OperatorRegistry, Program
from executorch.runtime import Runtime, Verification

ONES = numpy.ones((2, 3), numpy.float32)
INFO = "TensorInfo(sizes=[2, 3], dtype=Float, is_memory_planned=True, nbytes=24)"


def test_the_runtime_is_one_and_has_its_registries():
    runtime = Runtime.get()
    assert runtime is Runtime.get()
    assert isinstance(runtime.backend_registry, BackendRegistry)
    assert isinstance(runtime.operator_registry, OperatorRegistry)
    names = runtime.operator_registry.operator_names
    assert isinstance(names, set)
    assert {"aten::add.out", "aten::sym_size.int"} <= names
    assert isinstance(runtime.backend_registry.registered_backend_names, list)
    assert not runtime.backend_registry.is_available("AbsentBackend")


@pytest.mark.parametrize(
    "source",
    [
        lambda path: path,
        lambda path: str(path),
        lambda path: path.read_bytes(),
        lambda path: bytearray(path.read_bytes()),
        lambda path: io.BytesIO(path.read_bytes()),
        lambda path: path.open("rb"),
    ],
)
@pytest.mark.parametrize("verification", list(Verification))
def test_programs_are_loaded_from_anything(source, verification):
    program = Runtime.get().load_program(
        source(Path(program_path("sum_planned"))), verification=verification
    )
    assert isinstance(program, Program)
    assert program.method_names == {"forward"}
    method = program.load_method("forward")
    assert isinstance(method, Method)
    assert method is program.load_method("forward")
    (output,) = method.execute((ONES, ONES))
    assert (output == 2).all()


def test_descriptions():
    program = Runtime.get().load_program(program_path("sum_planned"))
    for meta in (program.metadata("forward"), program.load_method("forward").metadata):
        assert isinstance(meta, MethodMeta)
        assert meta.name() == "forward"
        assert (meta.num_inputs(), meta.num_outputs(), meta.num_attributes()) == (2, 1, 0)
        assert str(meta) == (
            f"MethodMeta(name='forward', num_inputs=2, input_tensor_meta=['{INFO}', '{INFO}'], "
            f"num_outputs=1, output_tensor_meta=['{INFO}'])"
        )
        for info in (meta.input_tensor_meta(1), meta.output_tensor_meta(0)):
            assert repr(info) == INFO
            assert info.sizes() == (2, 3)
            assert info.dtype() == 6
            assert info.is_memory_planned() is True
            assert info.nbytes() == 24
        for get, index in [
            (meta.input_tensor_meta, 2),
            (meta.output_tensor_meta, 1),
            (meta.attribute_tensor_meta, 0),
        ]:
            with pytest.raises(IndexError, match="tensor meta at"):
                get(index)


def test_descriptions_of_inputs_that_are_no_tensors():
    meta = Runtime.get().load_program(program_path("values")).metadata("forward")
    assert "input_tensor_meta=['None', 'Int', 'Bool', 'Double', 'String']" in str(meta)
    with pytest.raises(IndexError):
        meta.input_tensor_meta(1)


def test_attributes():
    program = portable_lib._load_program(program_path("state"))
    assert program.num_methods() == 2
    assert [program.get_method_name(i) for i in range(2)] == ["first", "second"]
    meta = program.method_meta("first")
    assert meta.num_attributes() == 1
    assert meta.attribute_tensor_meta(0).sizes() == (2,)


def test_verification_has_its_names():
    assert list(Verification.__members__) == ["Minimal", "InternalConsistency"]
    assert str(Verification.Minimal) == "Verification.Minimal"


def test_functions_take_their_arguments_by_place():
    minimal = Verification.Minimal
    data = (PROGRAMS / "sum_planned.pte").read_bytes()
    for loaded in (
        portable_lib._load_for_executorch(program_path("sum_planned"), None, False, 0, minimal),
        portable_lib._load_for_executorch_from_buffer(data, None, False, 0, minimal),
    ):
        assert loaded.method_names() == ["forward"]
        assert (loaded.run_method("forward", (ONES, ONES), True)[0] == 2).all()
    for loaded in (
        portable_lib._load_program(program_path("sum_planned"), False, 0, minimal, None),
        portable_lib._load_program_from_buffer(data, False, 0, minimal, None),
    ):
        method = loaded.load_method("forward")
        assert (method.call((ONES, ONES), True)[0] == 2).all()
        assert method.method_meta().name() == "forward"


class Parts:
    """A data loader: bytes that are handed out in parts."""

    def __init__(self, name):
        self.data = (PROGRAMS / f"{name}.pte").read_bytes()
        self.asked = []

    def size(self):
        return len(self.data)

    def load(self, offset, size):
        self.asked.append((offset, size))
        return memoryview(self.data)[offset : offset + size]


def test_programs_are_loaded_from_data_loaders():
    parts = Parts("state")
    module = portable_lib._load_for_executorch_from_data_loader(parts)
    two = numpy.ones(2, numpy.float32)
    assert module.run_method("first", [two])[0].tolist() == [11, 21]
    assert len(parts.asked) > 1
    assert all(offset + size <= len(parts.data) for offset, size in parts.asked)


@pytest.mark.parametrize(
    "method, result, words",
    [
        ("load", lambda offset, size: 1 / 0, "load failed: ZeroDivisionError: division by zero"),
        ("load", lambda offset, size: bytes(size - 1), "bytes instead of"),
        ("load", lambda offset, size: None, "load failed: TypeError: "),
        ("load", lambda offset, size: bytes(size), "error: 0x23"),
        ("size", lambda: -1, "size failed"),
        ("size", lambda: 1 / 0, "size failed: ZeroDivisionError: division by zero"),
        ("size", lambda: 8, "error: 0x"),
    ],
)
def test_a_data_loader_that_fails_is_an_error_in_words(method, result, words):
    parts = Parts("sum")
    setattr(parts, method, result)
    with pytest.raises(RuntimeError, match=words):
        module = portable_lib._load_for_executorch_from_data_loader(parts)
        module.forward([ONES, ONES])


def test_what_this_runtime_does_not_have_yet_is_said():
    path = program_path("sum_planned")
    for load in (portable_lib._load_for_executorch, portable_lib._load_program):
        with pytest.warns(RuntimeWarning, match="does not write etdumps yet"):
            loaded = load(path, enable_etdump=True)
        assert loaded.has_etdump() is False
        with pytest.raises(RuntimeError, match="No etdump found"):
            loaded.write_etdump_result_to_file("unused.etdp", None)
    with pytest.raises(RuntimeError, match="bundled programs"):
        portable_lib._load_bundled_program_from_buffer(b"")
    portable_lib._create_profile_block("block")
    portable_lib._reset_profile_results()
    assert portable_lib._dump_profile_results() == b""
    portable_lib._unsafe_reset_threadpool(2)
    assert portable_lib._threadpool_get_thread_count() == 1


def test_the_import_needs_neither_torch_nor_numpy():
    script = (
        "import sys\n"
        "from executorch.runtime import Runtime\n"
        f"program = Runtime.get().load_program({program_path('sum_planned')!r})\n"
        "program.load_method('forward')\n"
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))\n"
    )
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert output.stdout == b"[]\n"
    assert output.stderr == b""
