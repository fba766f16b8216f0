// Mutated payloads, and the same bytes as the image of a library.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <executorch/runtime/platform/platform.h>

#include "backends/cuda/image.h"
#include "backends/cuda/payload.h"

// A word for every refusal would be most of the work.
extern "C" void et_pal_emit_log_message(et_timestamp_t /*timestamp*/, et_pal_log_level_t /*level*/,
                                        const char* /*filename*/, const char* /*function*/,
                                        size_t /*line*/, const char* /*message*/,
                                        size_t /*length*/) {}

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace executorch::backends::cuda;
  using executorch::runtime::Error;
  Payload payload;
  if (parse_payload({data, size}, "forward", &payload) == Error::Ok) {
    if (payload.libraries.empty()) std::abort();
    for (const ConstantEntry& entry : payload.constants) {
      if (entry.sizes.size() != entry.strides.size()) std::abort();
    }
    const LibraryVariant* chosen = nullptr;
    if (choose_library(payload, 90, &chosen) == Error::Ok && chosen->key.empty()) std::abort();
  }
  Imports imports;
  static_cast<void>(read_imports({data, size}, "image", &imports));
  return 0;
}
