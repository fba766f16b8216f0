"""Loads ExecuTorch programs (.pte) and executes their methods.

.. code-block:: python

    import numpy
    from executorch.runtime import Runtime

    program = Runtime.get().load_program("model.pte")
    forward = program.load_method("forward")
    outputs = forward.execute([numpy.ones((2, 2), numpy.float32)])

Tensors are torch's, numpy's, or of any library that has ``__dlpack__``; outputs are of the library
that the inputs are of. PyTorch isn't needed. What goes wrong is a :class:`RuntimeError` in the
runtime's words, unless a function says otherwise.
"""

import functools
from os import PathLike, fspath
from types import ModuleType
from typing import Any, BinaryIO, Dict, List, Mapping, Optional, Sequence, Set, Union

from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.portable_lib import (
    ExecuTorchMethod,
    ExecuTorchProgram,
    MethodMeta,
    TensorInfo,
    Verification,
)
from executorch.runtime._cuda_stream import cuda_stream

__all__ = [
    "BackendRegistry",
    "Method",
    "MethodMeta",
    "OperatorRegistry",
    "Program",
    "Runtime",
    "TensorInfo",
    "Verification",
    "cuda_stream",
]

BackendOptions = Mapping[str, Union[bool, int, str]]


class Method:
    """A method with its memory, made by :meth:`Program.load_method`."""

    def __init__(self, method: ExecuTorchMethod) -> None:
        self._method = method

    def execute(self, inputs: Sequence[Any], *, clone_outputs: bool = True) -> Sequence[Any]:
        """Executes the method.

        Args:
            inputs: As many as ``metadata.num_inputs()``: tensors (contiguous, or 4-dimensional
                channels-last; on the CPU or a CUDA device) of the types and shapes that
                ``metadata`` names, None, bool, int, float or str. Their memory isn't copied where
                the program allows.
            clone_outputs: False lets outputs refer to the method's memory where they lie in it;
                the next call overwrites them then.

        Returns:
            The outputs: tensors, None, bool, int, float, str, or lists of them. They stay valid
            after the method is gone.
        """
        return self._method(inputs, clone_outputs)

    @property
    def metadata(self) -> MethodMeta:
        """Number, types and shapes of inputs and outputs."""
        return self._method.method_meta()


class Program:
    """A program, verified, made by :meth:`Runtime.load_program`."""

    def __init__(self, program: ExecuTorchProgram, data: Optional[bytes] = None) -> None:
        self._program = program
        self._data = data
        self._methods: Dict[str, Optional[Method]] = {
            program.get_method_name(index): None for index in range(program.num_methods())
        }

    @property
    def method_names(self) -> Set[str]:
        """The names of the program's methods."""
        return set(self._methods)

    def load_method(self, name: str) -> Method:
        """Makes a method ready: its memory, on devices where the program says so, kernels and
        delegates. A second call returns the same method.

        A method's memory is its own, and so is its state; only the second planned buffer, in which
        the exporter puts state that methods share (``share_mutable_buffers``), is common to the
        methods that are wholly on the CPU.

        Raises:
            KeyError: The program has no such method.
        """
        method = self._methods[name]
        if method is None:
            method = Method(self._program.load_method(name))
            self._methods[name] = method
        return method

    def metadata(self, method_name: str) -> MethodMeta:
        """The description of a method, which needn't be loaded for it."""
        return self._program.method_meta(method_name)

    def write_etdump_result_to_file(self, etdump_path: str, debug_buffer_path: str) -> None:
        """Raises RuntimeError: this runtime does not write etdumps yet."""
        self._program.write_etdump_result_to_file(etdump_path, debug_buffer_path)


class BackendRegistry:
    """The backends that programs may delegate to."""

    def __init__(self, legacy_module: ModuleType) -> None:
        self._legacy_module = legacy_module

    @property
    def registered_backend_names(self) -> List[str]:
        """The names of all backends."""
        return self._legacy_module._get_registered_backend_names()

    def is_available(self, backend_name: str) -> bool:
        """Whether a backend is registered and can work on this machine."""
        return self._legacy_module._is_available(backend_name)

    def set_options(self, backend_name: str, options: BackendOptions) -> None:
        """Hands options to a backend, for all methods of the process.

        Raises:
            RuntimeError: The backend isn't registered, or refuses them.
        """
        self._legacy_module._set_backend_options(backend_name, dict(options))


class OperatorRegistry:
    """The operators that programs may call."""

    def __init__(self, legacy_module: ModuleType) -> None:
        self._legacy_module = legacy_module

    @property
    def operator_names(self) -> Set[str]:
        """The names of all operators that have a kernel."""
        return set(self._legacy_module._get_operator_names())


class Runtime:
    """The runtime of this process. Programs and methods may be used from several threads; calls of
    one method happen one after the other.

    Attributes:
        backend_registry: The backends that programs may delegate to.
        operator_registry: The operators that programs may call.
    """

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def get() -> "Runtime":
        """The one runtime."""
        return Runtime(legacy_module=portable_lib)

    def __init__(self, *, legacy_module: ModuleType) -> None:
        self.backend_registry = BackendRegistry(legacy_module)
        self.operator_registry = OperatorRegistry(legacy_module)
        self._legacy_module = legacy_module

    def load_program(
        self,
        data: Union[bytes, bytearray, memoryview, BinaryIO, "PathLike[str]", str],
        *,
        verification: Verification = Verification.InternalConsistency,
        enable_etdump: bool = False,
        debug_buffer_size: int = 0,
        data_path: Optional[Union["PathLike[str]", str]] = None,
        backend_options: Optional[Mapping[str, BackendOptions]] = None,
    ) -> Program:
        """Loads a program.

        A program whose parts are delegated to CUDA is native code: load what you trust only.

        Args:
            data: A path (the file is mapped and must not change), the program's bytes, or a file
                opened for reading bytes.
            verification: How much of the program is checked.
            enable_etdump: Has no effect but a warning: this runtime does not write etdumps yet.
            debug_buffer_size: Has no effect.
            data_path: The file with the data that the program keeps outside (.ptd), such as the
                weights of a CUDA export.
            backend_options: ``{backend: {option: value}}`` for the delegates of this program.

        Raises:
            TypeError: ``data`` is none of these.
            RuntimeError: The file can't be read, or isn't a program that can be loaded.
        """
        options = {
            "enable_etdump": enable_etdump,
            "debug_buffer_size": debug_buffer_size,
            "program_verification": verification,
            "data_path": None if data_path is None else fspath(data_path),
            "backend_options": None
            if backend_options is None
            else {backend: dict(values) for backend, values in backend_options.items()},
        }
        if isinstance(data, (str, PathLike)):
            return Program(self._legacy_module._load_program(fspath(data), **options))
        if not isinstance(data, (bytes, bytearray, memoryview)):
            if not hasattr(data, "read"):
                raise TypeError(
                    "Expected data to be bytes, bytearray, a path to a .pte file, or a file-like "
                    f"object, but got {type(data).__name__}."
                )
            data = data.read()
        return Program(self._legacy_module._load_program_from_buffer(data, **options))
