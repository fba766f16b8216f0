#pragma once

#include <cstddef>
#include <cstring>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch::runtime {

/// The options that delegates are given when a method is loaded, by backend: at most 8 backends.
/// It views the options, which have to outlive it.
class LoadBackendOptionsMap final {
 public:
  LoadBackendOptionsMap() = default;

  /// Sets the options of a backend, replacing those it had. InvalidArgument when the id is empty
  /// or of 64 bytes and more, or when there is no room.
  Error set_options(const char* backend_id, Span<BackendOption> options) {
    if (backend_id == nullptr || backend_id[0] == '\0') {
      return Error::InvalidArgument;
    }
    size_t i = find(backend_id);
    if (i == size_) {
      const size_t length = std::strlen(backend_id);
      if (size_ == kMaxBackends || length >= kMaxBackendIdLength) {
        return Error::InvalidArgument;
      }
      std::memcpy(entries_[i].backend_id, backend_id, length + 1);
      ++size_;
    }
    entries_[i].options = options;
    return Error::Ok;
  }
  /// The same from an object with backend_id() and view().
  template <typename Builder>
  Error set_options(Builder& builder) {
    return set_options(builder.backend_id(), builder.view());
  }

  /// The options of a backend; none when it has none.
  Span<const BackendOption> get_options(const char* backend_id) const {
    const size_t i = find(backend_id);
    return i < size_ ? entry_at(i).options : Span<const BackendOption>();
  }
  bool has_options(const char* backend_id) const { return find(backend_id) < size_; }

  /// Backends with options.
  size_t size() const { return size_; }

  struct EntryView {
    const char* backend_id = nullptr;
    Span<const BackendOption> options;
  };
  /// Entry `index`, below size().
  EntryView entry_at(size_t index) const {
    ET_DCHECK_MSG(index < size_, "entry %zu of %zu", index, size_);
    const Entry& entry = entries_[index];
    return {entry.backend_id,
            Span<const BackendOption>(entry.options.data(), entry.options.size())};
  }

 private:
  static constexpr size_t kMaxBackends = 8;
  static constexpr size_t kMaxBackendIdLength = 64;

  struct Entry {
    char backend_id[kMaxBackendIdLength] = {};
    Span<BackendOption> options;
  };

  // The entry of a backend, or size_.
  size_t find(const char* backend_id) const {
    size_t i = 0;
    while (i < size_ &&
           (backend_id == nullptr || std::strcmp(entries_[i].backend_id, backend_id) != 0)) {
      ++i;
    }
    return i;
  }

  Entry entries_[kMaxBackends];
  size_t size_ = 0;
};

}  // namespace executorch::runtime
