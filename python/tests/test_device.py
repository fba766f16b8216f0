"""Memory on a device, with a device that copies only."""

import ctypes
import os

import numpy
import pytest
from conftest import Foreign, program_path
from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime, cuda_stream

ARRAY = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)


@pytest.fixture(scope="module")
def device():
    if "CudaBackend" in Runtime.get().backend_registry.registered_backend_names:
        pytest.skip("this build has a real device")
    library = ctypes.CDLL(os.environ["FAKE_DEVICE"])
    library.fake_device_read.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    return library


def ways(name):
    """The method 'forward' by each way to load it."""
    path = program_path(name)
    yield Runtime.get().load_program(path).load_method("forward").execute
    yield portable_lib._load_program(path).load_method("forward")
    yield portable_lib._load_for_executorch(path).forward


def test_buffers_planned_on_a_device_are_there_by_each_way(device):
    for forward in ways("across"):
        for _ in range(3):
            (output,) = forward([ARRAY])
            assert (output == ARRAY).all()


class Pointer(ctypes.Structure):
    """The beginning of a DLManagedTensorVersioned or DLManagedTensor's DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("id", ctypes.c_int32)]


def address_of(tensor):
    capsule = tensor.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    described = Pointer.from_address(get(capsule, b"dltensor"))
    assert described.device_type == 2
    return described.data


@pytest.mark.parametrize("name", ["stays_planned", "stays"])
def test_outputs_on_a_device_stay_there(device, name):
    before = device.fake_device_live()
    for forward in ways(name):
        # Not numpy's, which would become torch's where that is imported; it looks for a real device.
        (output,) = forward([Foreign(ARRAY)])
        (later,) = forward([Foreign(2 * ARRAY)])
        for tensor, expected in ((output, ARRAY), (later, 2 * ARRAY)):
            assert tensor.__dlpack_device__() == (2, 0)
            there = numpy.zeros((2, 3), numpy.float32)
            device.fake_device_read(there.ctypes.data, address_of(tensor), there.nbytes)
            assert (there == expected).all()
    del forward, output, later, tensor
    assert device.fake_device_live() == before


def test_a_device_without_an_allocator_is_named():
    script = (
        "import numpy\n"
        "from executorch.runtime import Runtime\n"
        f"Runtime.get().load_program({program_path('across')!r}).load_method('forward')\n"
    )
    import subprocess
    import sys

    if "CudaBackend" in Runtime.get().backend_registry.registered_backend_names:
        pytest.skip("this build has a real device")
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.returncode == 1
    assert "error: 0x20" in result.stderr
    assert "Buffer 1 is to be on device cuda:0, for which no allocator is registered" in result.stderr


def test_a_stream_without_cuda_is_refused_in_words():
    if "CudaBackend" in Runtime.get().backend_registry.registered_backend_names:
        pytest.skip("this build has the stream helper")
    with pytest.raises(RuntimeError, match="This package has no CUDA"):
        with cuda_stream(0):
            pass


def test_what_is_no_stream_is_refused():
    with pytest.raises(TypeError, match="a CUDA stream is"):
        with cuda_stream("stream"):
            pass
    with pytest.raises(ValueError, match="no handle"):
        with cuda_stream(-1):
            pass
