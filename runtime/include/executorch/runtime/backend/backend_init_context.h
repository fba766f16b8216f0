#pragma once

#include <cstring>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <type_traits>

namespace executorch::runtime {

/// What a delegate is given when it is initialised.
class BackendInitContext final {
 public:
  explicit BackendInitContext(MemoryAllocator* runtime_allocator,
                              EventTracer* event_tracer = nullptr,
                              const char* method_name = nullptr,
                              const NamedDataMap* named_data_map = nullptr,
                              Span<const BackendOption> runtime_specs = {})
      : runtime_allocator_(runtime_allocator),
        event_tracer_(event_tracer),
        method_name_(method_name),
        named_data_map_(named_data_map),
        runtime_specs_(runtime_specs) {}

  /// Memory that lives as long as the method.
  MemoryAllocator* get_runtime_allocator() { return runtime_allocator_; }
  /// May be null.
  EventTracer* event_tracer() { return event_tracer_; }
  /// The method that is loaded.
  const char* get_method_name() const { return method_name_; }
  /// Data of the data files and the program, in this order; null when there is none. Valid only
  /// during init().
  const NamedDataMap* get_named_data_map() const { return named_data_map_; }
  /// The options that the caller gave for this backend.
  Span<const BackendOption> runtime_specs() const { return runtime_specs_; }

  /// One of them: T is bool, int or const char*. NotFound without such a key, InvalidArgument
  /// when it is of another type.
  template <typename T>
  Result<T> get_runtime_spec(const char* key) const {
    static_assert(
        std::is_same_v<T, bool> || std::is_same_v<T, int> || std::is_same_v<T, const char*>,
        "an option is a bool, int or const char*");
    for (const BackendOption& option : runtime_specs_) {
      if (std::strcmp(option.key, key) == 0) {
        T value{};
        const Error error = internal::get_option_value(option, value);
        return error == Error::Ok ? Result<T>(value) : error;
      }
    }
    return Error::NotFound;
  }

 private:
  MemoryAllocator* runtime_allocator_;
  EventTracer* event_tracer_;
  const char* method_name_;
  const NamedDataMap* named_data_map_;
  Span<const BackendOption> runtime_specs_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BackendInitContext;
}  // namespace torch::executor
