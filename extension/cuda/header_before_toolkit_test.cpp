// Compiles only if the helper's handle and the toolkit's are one type, included in this order.
#include <executorch/extension/cuda/caller_stream.h>

using Before = cudaStream_t;

#include <cuda_runtime_api.h>

static_assert(std::is_same_v<Before, cudaStream_t>);
