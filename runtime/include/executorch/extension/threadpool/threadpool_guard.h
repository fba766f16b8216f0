#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch::extension::threadpool {

/// Keeps the calling thread from using a thread pool while it lives. This runtime has none, so
/// that nothing changes.
struct NoThreadPoolGuard {
 public:
  static bool is_enabled() { return enabled(); }
  static void set_enabled(bool value) { enabled() = value; }

  NoThreadPoolGuard() : before_(is_enabled()) { set_enabled(true); }
  ~NoThreadPoolGuard() { set_enabled(before_); }
  NoThreadPoolGuard(const NoThreadPoolGuard&) = delete;
  NoThreadPoolGuard& operator=(const NoThreadPoolGuard&) = delete;

 private:
  static bool& enabled() {
    static thread_local bool value = false;
    return value;
  }

  const bool before_;
};

}  // namespace executorch::extension::threadpool

namespace torch::executorch::threadpool {
using ::executorch::extension::threadpool::NoThreadPoolGuard;
}  // namespace torch::executorch::threadpool
