"""What the tests share: the real exports, and PyTorch where it is there."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List

import numpy
import pytest
from executorch.runtime import Runtime

EXPORTS = Path(os.environ["EXPORTS_DIR"])
PROGRAMS = Path(os.environ["PROGRAMS_DIR"])
CPU_EXPORTS = [
    f"{version}/{name}"
    for version in ("1.2.0", "1.5.1")
    for name in (
        "cpu_add",
        "cpu_cond",
        "cpu_counter",
        "cpu_dyn",
        "cpu_portable",
        "cpu_transformer",
        "cpu_views",
    )
]


@dataclass
class Call:
    """One call of a method, with what eager PyTorch gave."""

    method: str
    inputs: List[numpy.ndarray]
    outputs: List[numpy.ndarray]


@dataclass
class Export:
    """A program with its calls, in the order in which they were made."""

    path: Path
    calls: List[Call]

    @property
    def methods(self) -> List[str]:
        return list(dict.fromkeys(call.method for call in self.calls))


def describe(name: str) -> Dict:
    """The manifest of an export."""
    return json.loads((EXPORTS / name / "manifest.json").read_text())


def raw_bytes(name: str, tensor: Dict) -> bytes:
    """The elements of a tensor that the manifest describes."""
    return (EXPORTS / name / tensor["file"]).read_bytes()


def _array(name: str, tensor: Dict) -> numpy.ndarray:
    return numpy.frombuffer(raw_bytes(name, tensor), tensor["dtype"]).reshape(tensor["shape"])


def read_export(name: str) -> Export:
    calls = [
        Call(
            method,
            [_array(name, tensor).copy() for tensor in call["inputs"]],
            [_array(name, tensor) for tensor in call["outputs"]],
        )
        for method, described in describe(name)["methods"].items()
        for call in described["calls"]
    ]
    assert calls, name
    return Export(EXPORTS / name / "model.pte", calls)


def assert_same(value: numpy.ndarray, reference: numpy.ndarray) -> None:
    """Types, shapes and integers exactly, floats within 1e-5 of the largest."""
    assert value.dtype == reference.dtype
    assert value.shape == reference.shape
    if reference.dtype.kind != "f":
        assert (value == reference).all()
        return
    largest = numpy.abs(reference[numpy.isfinite(reference)]).max(initial=0)
    numpy.testing.assert_allclose(value, reference, rtol=1e-5, atol=1e-5 * largest)


@pytest.fixture
def torch():
    """PyTorch, which the package doesn't need."""
    return pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(params=CPU_EXPORTS)
def cpu_export(request) -> Export:
    return read_export(request.param)


def program_path(name: str) -> str:
    """A program of write_programs.cpp."""
    return str(PROGRAMS / f"{name}.pte")


def load(name: str):
    """The method "forward" of a program of write_programs.cpp."""
    return Runtime.get().load_program(program_path(name)).load_method("forward")


class Foreign:
    """A tensor of another library: nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()
