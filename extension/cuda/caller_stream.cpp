#include <executorch/extension/cuda/caller_stream.h>

namespace executorch::extension::cuda {
namespace {

// The one copy in the process: this file is in one shared library, and nothing else defines it.
thread_local std::optional<cudaStream_t> selected_stream;

}  // namespace

std::optional<cudaStream_t> getCallerStream() { return selected_stream; }

CallerStreamGuard::CallerStreamGuard(cudaStream_t stream) : previous_(selected_stream) {
  selected_stream = stream;
}

CallerStreamGuard::~CallerStreamGuard() { selected_stream = previous_; }

}  // namespace executorch::extension::cuda
