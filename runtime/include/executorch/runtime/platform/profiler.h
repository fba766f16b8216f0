#pragma once

// The profiling macros of older releases. They record nothing: profiling goes through EventTracer.

#include <cstdint>
#include <cstring>

namespace executorch::runtime {

/// What EXECUTORCH_DUMP_PROFILE_RESULTS fills in: nothing was recorded.
struct prof_result_t {
  uint8_t* prof_data;
  uint32_t num_bytes;
  uint32_t num_blocks;
};

/// Where in a program an event happened.
struct prof_state_t {
  int32_t chain_idx;
  uint32_t instruction_idx;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::prof_result_t;
using ::executorch::runtime::prof_state_t;
}  // namespace torch::executor

#define EXECUTORCH_PROFILE_CREATE_BLOCK(name) ((void)(name))
#define EXECUTORCH_BEGIN_PROF(name) ((void)(name), UINT32_C(0))
#define EXECUTORCH_END_PROF(token_id) ((void)(token_id))
#define EXECUTORCH_SCOPE_PROF(name) ((void)(name))
#define EXECUTORCH_PROFILE_INSTRUCTION_SCOPE(chain_idx, instruction_idx) \
  ((void)(chain_idx), (void)(instruction_idx))
#define EXECUTORCH_DUMP_PROFILE_RESULTS(result) (*(result) = ::executorch::runtime::prof_result_t{})
#define EXECUTORCH_RESET_PROFILE_RESULTS() ((void)0)
#define EXECUTORCH_TRACK_ALLOCATOR(name) ((void)(name), INT32_C(-1))
#define EXECUTORCH_TRACK_ALLOCATION(id, size) ((void)(id), (void)(size))
