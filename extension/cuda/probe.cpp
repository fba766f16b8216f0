// A backend's view of the caller's stream, in a library of its own.
#include <executorch/extension/cuda/caller_stream.h>

extern "C" __attribute__((visibility("default"))) bool probe_caller_stream(void** stream) {
  const auto selected = executorch::extension::cuda::getCallerStream();
  *stream = selected.value_or(nullptr);
  return selected.has_value();
}
