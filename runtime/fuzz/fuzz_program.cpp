// Mutated programs and tensor files.

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/platform/platform.h>

#include "runtime/fuzz/exercise.h"

// A word for every refusal would be most of the work.
extern "C" void et_pal_emit_log_message(et_timestamp_t /*timestamp*/, et_pal_log_level_t /*level*/,
                                        const char* /*filename*/, const char* /*function*/,
                                        size_t /*line*/, const char* /*message*/,
                                        size_t /*length*/) {}

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  executorch::runtime::fuzz::exercise({data, size});
  return 0;
}
