#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>
#include <type_traits>
#include <variant>

namespace executorch::runtime {

/// Bytes of a key and of a string value, their NUL included.
static constexpr size_t kMaxOptionKeyLength = 64;
static constexpr size_t kMaxOptionValueLength = 256;

using OptionValue = std::variant<bool, int, std::array<char, kMaxOptionValueLength>>;

/// One option for a backend.
struct BackendOption {
  char key[kMaxOptionKeyLength]{};
  OptionValue value;
};

namespace internal {

// The value of `option` as bool, int or const char*; InvalidArgument when it is of another type.
template <typename T>
Error get_option_value(const BackendOption& option, T& out) {
  if constexpr (std::is_same_v<T, const char*>) {
    if (const auto* text = std::get_if<std::array<char, kMaxOptionValueLength>>(&option.value)) {
      out = text->data();
      return Error::Ok;
    }
  } else if (const auto* value = std::get_if<T>(&option.value)) {
    out = *value;
    return Error::Ok;
  }
  return Error::InvalidArgument;
}

}  // namespace internal

/// Up to MaxCapacity options, in place.
template <size_t MaxCapacity>
class BackendOptions {
 public:
  BackendOptions() = default;

  /// The options; valid while this object is neither changed nor gone.
  Span<BackendOption> view() { return Span<BackendOption>(options_, size_); }

  /// Sets an option, replacing one of that key. InvalidArgument when there is no room.
  template <size_t N>
  Error set_option(const char (&key)[N], bool value) noexcept {
    return set<N>(key, value);
  }
  template <size_t N>
  Error set_option(const char (&key)[N], int value) noexcept {
    return set<N>(key, value);
  }
  /// A string is cut at kMaxOptionValueLength - 1 bytes.
  template <size_t N>
  Error set_option(const char (&key)[N], const char* value) noexcept {
    std::array<char, kMaxOptionValueLength> text{};
    for (size_t i = 0; i + 1 < text.size() && value[i] != '\0'; ++i) {
      text[i] = value[i];
    }
    return set<N>(key, text);
  }

  /// Reads an option. NotFound without such a key, InvalidArgument when it is of another type.
  template <typename T, size_t N>
  Error get_option(const char (&key)[N], T& out) const {
    static_assert(N <= kMaxOptionKeyLength, "the key is too long");
    for (size_t i = 0; i < size_; ++i) {
      if (std::strcmp(options_[i].key, key) == 0) {
        return internal::get_option_value(options_[i], out);
      }
    }
    return Error::NotFound;
  }

 private:
  template <size_t N, typename T>
  Error set(const char (&key)[N], const T& value) {
    static_assert(N <= kMaxOptionKeyLength, "the key is too long");
    size_t i = 0;
    while (i < size_ && std::strcmp(options_[i].key, key) != 0) {
      ++i;
    }
    if (i == MaxCapacity) {
      return Error::InvalidArgument;
    }
    if (i == size_) {
      std::memcpy(options_[i].key, key, N);
      options_[i].key[N - 1] = '\0';
      ++size_;
    }
    options_[i].value = value;
    return Error::Ok;
  }

  BackendOption options_[MaxCapacity]{};
  size_t size_ = 0;
};

}  // namespace executorch::runtime
