// Compiles only if the helper's handle and the toolkit's are one type, included in this order.
#include <cuda_runtime_api.h>

using Toolkits = cudaStream_t;

#include <executorch/extension/cuda/caller_stream.h>

static_assert(std::is_same_v<Toolkits, cudaStream_t>);
