"""Loads and executes ExecuTorch programs: the functions that existing callers know.

:mod:`executorch.runtime` is the interface to use. PyTorch isn't needed, and isn't imported.
"""

from executorch.extension.pybindings import _alone  # noqa: F401  before any library is loaded
from executorch.extension.pybindings._C import (  # noqa: F401
    _create_profile_block,
    _dump_profile_results,
    _get_operator_names,
    _get_registered_backend_names,
    _is_available,
    _load_bundled_program_from_buffer,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
    _load_for_executorch_from_bundled_program,
    _load_for_executorch_from_data_loader,
    _load_program,
    _load_program_from_buffer,
    _reset_profile_results,
    _set_backend_options,
    _threadpool_get_thread_count,
    _unsafe_reset_threadpool,
    BundledModule,
    ExecuTorchMethod,
    ExecuTorchModule,
    ExecuTorchProgram,
    MethodMeta,
    TensorInfo,
    Verification,
)
