#pragma once

#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch::extension {

namespace internal {
/// A number of elements below which splitting work costs more than it saves.
constexpr int64_t GRAIN_SIZE = 32768;
}  // namespace internal

/// Calls func(first, last) for pieces of begin .. end of at least `grain_size`. This runtime has
/// no thread pool: it is one piece, on the calling thread. False for a range that is none.
template <typename Func>
bool parallel_for(const int64_t begin, const int64_t end, const int64_t grain_size,
                  const Func& func) {
  ET_CHECK_OR_RETURN_FALSE(begin >= 0 && end >= begin && grain_size > 0,
                           "Range %" PRId64 " to %" PRId64 ", pieces of %" PRId64 ".", begin, end,
                           grain_size);
  func(begin, end);
  return true;
}

/// Number of the calling thread.
inline int64_t get_thread_num() { return 0; }
/// Threads that share the work.
inline int64_t get_thread_count() { return 1; }
inline void set_thread_num(ET_UNUSED int64_t thread_num) {
  ET_DCHECK_MSG(thread_num == 0, "thread %" PRId64 " without a thread pool", thread_num);
}

}  // namespace executorch::extension

namespace torch::executor {
using ::executorch::extension::get_thread_num;
using ::executorch::extension::parallel_for;
using ::executorch::extension::set_thread_num;
}  // namespace torch::executor
