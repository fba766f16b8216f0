"""
The runtime's classes and functions; executorch.runtime is the interface to use.
"""

import enum
import os


class TensorInfo:
    """What a program says of a tensor. Keeps the program alive."""

    def sizes(self) -> tuple[int, ...]:
        """Elements per dimension; the largest ones where they vary."""

    def dtype(self) -> int:
        """
        Type of the elements, as PyTorch numbers them: 6 is float32, 4 is int64.
        """

    def is_memory_planned(self) -> bool:
        """
        Whether the tensor has its place in the method's memory. Otherwise an input refers to
        the caller's memory, and an output is memory of its own.
        """

    def nbytes(self) -> int:
        """Bytes of all elements."""

    def __repr__(self) -> str: ...

class MethodMeta:
    """What a program says of a method. Keeps the program alive."""

    def name(self) -> str:
        """The method's name, such as 'forward'."""

    def num_inputs(self) -> int:
        """Inputs that a call is given."""

    def num_outputs(self) -> int:
        """Outputs of a call."""

    def num_attributes(self) -> int:
        """Tensors of the method that have a name, such as mutable buffers."""

    def input_tensor_meta(self, index: int) -> TensorInfo:
        """
        The description of input `index`, from 0. IndexError when there is no such input, or
        it is no tensor.
        """

    def output_tensor_meta(self, index: int) -> TensorInfo:
        """
        The description of output `index`, from 0. IndexError when there is no such output, or
        it is no tensor.
        """

    def attribute_tensor_meta(self, index: int) -> TensorInfo:
        """
        The description of attribute `index`, from 0. IndexError when there is no such one.
        """

    def __repr__(self) -> str: ...

class ExecuTorchMethod:
    """A method with its memory. Keeps the program alive."""

    def set_inputs(self, inputs: object) -> None:
        """
        Sets all inputs; see call(). They are kept until the next ones are set.
        """

    def execute(self) -> None:
        """
        Executes the method with the inputs that were set. RuntimeError when they weren't.
        """

    def get_outputs(self, clone_outputs: bool = True) -> list:
        """
        The outputs of the last execution; see call(). RuntimeError when there was none with
        the inputs that are set.
        """

    def call(self, inputs: object = (), clone_outputs: bool = True) -> list:
        """
        Executes the method on inputs, and returns the outputs.

        Inputs are a flat sequence, or one tensor: torch tensors, numpy arrays, objects with
        __dlpack__ (contiguous, or 4-dimensional channels-last; on the CPU or on a CUDA device), None,
        bool, int, float and str; their number, types and shapes are the method's, and numbers and
        strings those that it was exported with. Memory is not copied where the program allows.

        Outputs are a list of None, bool, int, float, str and tensors, which are torch's, numpy's or,
        of another library, objects with __dlpack__, as the inputs are (torch's for a mixture; without
        a tensor among the inputs torch's when it is imported, else numpy's). They stay valid. With
        clone_outputs=False they refer to the method's memory where they lie in it, which is kept
        alive, and the next call overwrites.

        Other threads run meanwhile; calls of one method happen one after the other. Raises
        RuntimeError in the runtime's words.
        """

    def __call__(self, inputs: object = (), clone_outputs: bool = True) -> list:
        """The same as call()."""

    def get_attribute(self, name: str) -> object:
        """
        A copy of the tensor of that name, such as a mutable buffer. RuntimeError when the
        program has recorded no such name.
        """

    def method_meta(self) -> MethodMeta:
        """The method's description."""

class ExecuTorchProgram:
    """A program, verified."""

    def num_methods(self) -> int:
        """Methods of the program."""

    def get_method_name(self, method_index: int) -> str:
        """
        The name of method `method_index`, from 0. RuntimeError when there is no such method.
        """

    def load_method(self, method_name: str) -> ExecuTorchMethod:
        """
        Loads a method: its memory, on devices where the program says so, its delegates and
        kernels. RuntimeError in the runtime's words when one of them is missing.
        """

    def method_meta(self, method_name: str) -> MethodMeta:
        """
        The description of a method. RuntimeError when there is no such method.
        """

    def has_etdump(self) -> bool:
        """
        Whether there is a record of executions to write: not yet in this runtime.
        """

    def write_etdump_result_to_file(self, path: str, debug_buffer_path: str | None = None) -> None:
        """Raises RuntimeError: this runtime does not write etdumps yet."""

class ExecuTorchModule:
    """
    A program, verified, whose methods are loaded when they are first called.
    """

    def forward(self, inputs: object = (), clone_outputs: bool = True) -> list:
        """
        Executes the method 'forward'.

        Inputs are a flat sequence, or one tensor: torch tensors, numpy arrays, objects with
        __dlpack__ (contiguous, or 4-dimensional channels-last; on the CPU or on a CUDA device), None,
        bool, int, float and str; their number, types and shapes are the method's, and numbers and
        strings those that it was exported with. Memory is not copied where the program allows.

        Outputs are a list of None, bool, int, float, str and tensors, which are torch's, numpy's or,
        of another library, objects with __dlpack__, as the inputs are (torch's for a mixture; without
        a tensor among the inputs torch's when it is imported, else numpy's). They stay valid. With
        clone_outputs=False they refer to the method's memory where they lie in it, which is kept
        alive, and the next call overwrites.

        Other threads run meanwhile; calls of one method happen one after the other. Raises
        RuntimeError in the runtime's words.
        """

    def __call__(self, inputs: object = (), clone_outputs: bool = True) -> list:
        """The same as forward()."""

    def run_method(self, method_name: str, inputs: object = (), clone_outputs: bool = True) -> list:
        """
        Executes a method.

        Inputs are a flat sequence, or one tensor: torch tensors, numpy arrays, objects with
        __dlpack__ (contiguous, or 4-dimensional channels-last; on the CPU or on a CUDA device), None,
        bool, int, float and str; their number, types and shapes are the method's, and numbers and
        strings those that it was exported with. Memory is not copied where the program allows.

        Outputs are a list of None, bool, int, float, str and tensors, which are torch's, numpy's or,
        of another library, objects with __dlpack__, as the inputs are (torch's for a mixture; without
        a tensor among the inputs torch's when it is imported, else numpy's). They stay valid. With
        clone_outputs=False they refer to the method's memory where they lie in it, which is kept
        alive, and the next call overwrites.

        Other threads run meanwhile; calls of one method happen one after the other. Raises
        RuntimeError in the runtime's words.
        """

    def plan_execute(self, method_name: str, clone_outputs: bool = True) -> list:
        """
        Executes a method with the inputs of its last call. RuntimeError when it has inputs and
        was never called.
        """

    def method_meta(self, method_name: str) -> MethodMeta:
        """
        The description of a method. RuntimeError when there is no such method.
        """

    def method_names(self) -> list[str]:
        """The names of the program's methods."""

    def has_etdump(self) -> bool:
        """
        Whether there is a record of executions to write: not yet in this runtime.
        """

    def write_etdump_result_to_file(self, path: str, debug_buffer_path: str | None = None) -> None:
        """Raises RuntimeError: this runtime does not write etdumps yet."""

class Verification(enum.Enum):
    """How much of a program is checked when it is loaded."""

    Minimal = 0
    """Header and size; what isn't checked then is checked where it is used."""

    InternalConsistency = 1
    """Every table, string and vector too."""

def _load_for_executorch(program_path: str | os.PathLike[str], data_path: str | os.PathLike[str] | None = None, enable_etdump: bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., *, backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> ExecuTorchModule:
    """
    Loads a program from a file, which is mapped and must not change.
    data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options
    is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.
    debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in
    the runtime's words.
    """

def _load_for_executorch_from_buffer(buffer: bytes | bytearray | memoryview, data_map_buffer: bytes | bytearray | memoryview | None = None, enable_etdump: bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., *, backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> ExecuTorchModule:
    """
    Loads a program from bytes, which are kept, or from another buffer, which is copied.
    data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options
    is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.
    debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in
    the runtime's words.
    """

def _load_for_executorch_from_data_loader(loader: object, data_path: str | os.PathLike[str] | None = None, enable_etdump: bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., *, backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> ExecuTorchModule:
    """
    Loads a program from an object that is asked for its parts: size() is the number of
    bytes, and load(offset, size) gives that many of them, as bytes. They are copied.
    data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options
    is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.
    debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in
    the runtime's words.
    """

def _load_program(path: str | os.PathLike[str], enable_etdump: bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., data_path: str | os.PathLike[str] | None = None, *, backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> ExecuTorchProgram:
    """
    Loads a program from a file, which is mapped and must not change.
    data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options
    is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.
    debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in
    the runtime's words.
    """

def _load_program_from_buffer(buffer: bytes | bytearray | memoryview, enable_etdump: bool = False, debug_buffer_size: int = 0, program_verification: Verification = ..., data_path: str | os.PathLike[str] | None = None, *, backend_options: dict[str, dict[str, bool | int | str]] | None = None) -> ExecuTorchProgram:
    """
    Loads a program from bytes, which are kept, or from another buffer, which is copied.
    data_path or data_map_buffer is the program's data (.ptd), where it has any. backend_options
    is {backend: {option: bool, int or str}}, handed to delegates when their methods are loaded.
    debug_buffer_size has no effect, nor has enable_etdump, which warns. Raises RuntimeError in
    the runtime's words.
    """

class BundledModule:
    """A program with inputs and expected outputs; not made yet."""

def _load_bundled_program_from_buffer(buffer: object, non_const_pool_size: int = 16384) -> BundledModule:
    """Raises RuntimeError: not supported yet."""

def _load_for_executorch_from_bundled_program(module: object, data_map_buffer: object | None = None, enable_etdump: bool = False, debug_buffer_size: int = 0) -> ExecuTorchModule:
    """Raises RuntimeError: not supported yet."""

def _get_registered_backend_names() -> list[str]:
    """The names of all backends, in the order in which they were registered."""

def _is_available(backend_name: str) -> bool:
    """Whether a backend is registered and can work on this machine."""

def _get_operator_names() -> list[str]:
    """The names of all operators with a kernel."""

def _set_backend_options(backend_name: str, options: dict[str, bool | int | str]) -> None:
    """
    Hands options to a backend, for all methods. RuntimeError when it is not registered
    or refuses them.
    """

def _create_profile_block(name: str) -> None:
    """Does nothing: this runtime has no profiler of its own."""

def _dump_profile_results() -> bytes:
    """Empty: this runtime has no profiler of its own."""

def _reset_profile_results() -> None:
    """Does nothing: this runtime has no profiler of its own."""

def _threadpool_get_thread_count() -> int:
    """1: a method's kernels run on the thread that calls it."""

def _unsafe_reset_threadpool(num_threads: int) -> None:
    """Does nothing: a method's kernels run on the thread that calls it."""
