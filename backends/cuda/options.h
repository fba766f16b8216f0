#pragma once

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace executorch::backends::cuda {

/// Settings that methods are loaded with. Names of methods are those of their "method_name" compile
/// spec.
struct Options {
  /// "use_shared_cuda_stream": methods without a caller's stream run on one stream per device
  /// instead of one each.
  bool use_shared_stream = false;
  /// "weight_sharing_across_methods": methods share buffers that they write to, such as caches,
  /// when name, size and first content agree. What they only read is shared in any case.
  bool share_state = false;
  /// "enable_cuda_graph_for_method": a comma-separated list.
  std::set<std::string, std::less<>> graph_methods;
  /// "skip_copy_output_to_cpu_for_method": a comma-separated list. Outputs of these methods, in
  /// programs of 1.2 and 1.3, stay on the device until the next run. Others place outputs
  /// themselves.
  std::set<std::string, std::less<>> skip_copy_methods;

  /// Takes the options that are known and leaves others alone. InvalidArgument for a value of the
  /// wrong type; then nothing is changed.
  [[nodiscard]] runtime::Error apply(runtime::Span<const runtime::BackendOption> options);
  /// Fills in the values of the keys that are known. InvalidArgument when one does not fit.
  [[nodiscard]] runtime::Error read(runtime::Span<runtime::BackendOption> options) const;
};

/// The options of the process, set for methods that are loaded later.
class ProcessOptions {
 public:
  static ProcessOptions& instance();
  [[nodiscard]] runtime::Error apply(runtime::Span<const runtime::BackendOption> options);
  [[nodiscard]] runtime::Error read(runtime::Span<runtime::BackendOption> options);
  Options get();

 private:
  std::mutex mutex_;
  Options options_;
};

}  // namespace executorch::backends::cuda
