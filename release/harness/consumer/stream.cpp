// Prints the caller's stream before, while and after one is selected, and the backends.
#include <cstdio>
#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

void print(const char* when) {
  const auto stream = executorch::extension::cuda::getCallerStream();
  std::printf("%s: %s\n", when, stream ? "selected" : "none");
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  print("before");
  {
    int anything = 0;
    executorch::extension::cuda::CallerStreamGuard guard(reinterpret_cast<cudaStream_t>(&anything));
    print("inside");
  }
  print("after");
  const bool delegate = executorch::runtime::get_backend_class("CudaBackend") != nullptr;
  std::printf("delegate: %s\n", delegate ? "registered" : "none");
  return 0;
}
