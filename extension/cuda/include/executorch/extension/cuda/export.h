#pragma once

/// Marks what the stream helper exports. The library is always shared, so that the thread-local
/// state behind it exists once in a process.
#if defined(_WIN32)
#if defined(EXECUTORCH_EXTENSION_CUDA_BUILDING)
#define EXECUTORCH_EXTENSION_CUDA_API __declspec(dllexport)
#else
#define EXECUTORCH_EXTENSION_CUDA_API __declspec(dllimport)
#endif
#else
#define EXECUTORCH_EXTENSION_CUDA_API __attribute__((visibility("default")))
#endif
