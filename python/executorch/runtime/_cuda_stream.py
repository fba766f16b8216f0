"""The caller's CUDA stream, through the stream helper that the CUDA delegate uses as well."""

import contextlib
import ctypes
import functools
from pathlib import Path
from typing import Any, Iterator

_LIBRARY_NAMES = ("libexecutorch_extension_cuda.so", "libextension_cuda.so")
# CallerStreamGuard(cudaStream_t) and its destructor: complete-object constructor and destructor.
_CONSTRUCTOR = "_ZN10executorch9extension4cuda17CallerStreamGuardC1EP11CUstream_st"
_DESTRUCTOR = "_ZN10executorch9extension4cuda17CallerStreamGuardD1Ev"
# The guard is two words; more room than that does no harm.
_GUARD_BYTES = 64


@functools.lru_cache(maxsize=1)
def _helper() -> ctypes.CDLL:
    folder = Path(__file__).resolve().parent.parent / "lib"
    for name in _LIBRARY_NAMES:
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    raise RuntimeError(
        "This package has no CUDA: it was built without the stream helper "
        f"({_LIBRARY_NAMES[0]}). Install the package of a CUDA version, such as +cu130."
    )


def _handle(stream: Any) -> int:
    if isinstance(stream, int):
        handle = stream
    elif hasattr(stream, "__cuda_stream__"):
        handle = stream.__cuda_stream__()[1]
    elif hasattr(stream, "cuda_stream"):
        handle = stream.cuda_stream
    else:
        raise TypeError(
            "a CUDA stream is a torch.cuda.Stream, an object with __cuda_stream__, or its handle "
            f"as an int, not {type(stream).__name__}"
        )
    if not 0 <= handle < 1 << (8 * ctypes.sizeof(ctypes.c_void_p)):
        raise ValueError(f"{handle} is no handle of a CUDA stream")
    return handle


@contextlib.contextmanager
def cuda_stream(stream: Any) -> Iterator[None]:
    """Lets methods that are executed in the ``with`` block, on this thread, enqueue their CUDA work
    on the caller's stream; outputs on the device are then ready when the stream is.

    Args:
        stream: A ``torch.cuda.Stream``, an object with ``__cuda_stream__``, or the handle as an int
            (0 is the legacy default stream). It has to live as long as the work.

    Raises:
        RuntimeError: This package was built without CUDA.
        TypeError: ``stream`` is none of these.
    """
    handle = _handle(stream)
    helper = _helper()
    construct, destruct = helper[_CONSTRUCTOR], helper[_DESTRUCTOR]
    construct.argtypes, construct.restype = (ctypes.c_void_p, ctypes.c_void_p), None
    destruct.argtypes, destruct.restype = (ctypes.c_void_p,), None
    guard = ctypes.create_string_buffer(_GUARD_BYTES)
    construct(guard, handle)
    try:
        yield
    finally:
        destruct(guard)
