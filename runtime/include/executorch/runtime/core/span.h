#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/platform/assert.h>

namespace executorch::runtime {

/// A view of `size()` objects that someone else owns, writable unless T is const.
template <typename T>
class Span final {
 public:
  using value_type = T;
  using iterator = T*;
  using size_type = size_t;

  /* implicit */ constexpr Span() noexcept = default;
  Span(T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data != nullptr || length == 0);
  }
  Span(T* begin, T* end) : data_(begin), length_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  /* implicit */ constexpr Span(T (&array)[N]) : data_(array), length_(N) {}
  /// A view of one object.
  /* implicit */ constexpr Span(T& object) : data_(&object), length_(1) {}

  iterator begin() const noexcept { return data_; }
  iterator end() const noexcept { return data_ + length_; }
  constexpr bool empty() const noexcept { return length_ == 0; }
  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return length_; }
  /// Not checked.
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_type length_ = 0;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Span;
}  // namespace torch::executor
