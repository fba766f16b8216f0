#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <executorch/runtime/platform/assert.h>

namespace executorch::runtime {

/// A read-only view of `size()` objects that someone else owns.
template <typename T>
class ArrayRef final {
 public:
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;
  using value_type = T;

  /* implicit */ constexpr ArrayRef() = default;
  /// A view of one object, which has to outlive it.
  /* implicit */ constexpr ArrayRef(const T& object) : data_(&object), length_(1) {}
  ArrayRef(const T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data != nullptr || length == 0);
  }
  ArrayRef(const T* begin, const T* end)
      : data_(begin), length_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  /* implicit */ constexpr ArrayRef(const std::array<T, N>& array)
      : data_(array.data()), length_(N) {}
  template <size_t N>
  /* implicit */ constexpr ArrayRef(const T (&array)[N]) : data_(array), length_(N) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + length_; }
  constexpr const_iterator cbegin() const { return data_; }
  constexpr const_iterator cend() const { return data_ + length_; }
  constexpr bool empty() const { return length_ == 0; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return length_; }

  /// The first object; there has to be one.
  const T& front() const { return at(0); }
  /// The last object; there has to be one.
  const T& back() const { return at(length_ - 1); }
  /// Not checked.
  constexpr const T& operator[](size_t index) const { return data_[index]; }
  /// Checked.
  const T& at(size_t index) const {
    ET_CHECK(index < length_);
    return data_[index];
  }

  /// Whether both hold equal objects in the same order.
  bool equals(ArrayRef other) const {
    if (length_ != other.length_) {
      return false;
    }
    for (size_t i = 0; i < length_; ++i) {
      if (data_[i] != other.data_[i]) {
        return false;
      }
    }
    return true;
  }

  /// `count` objects from `first`; checked.
  ArrayRef slice(size_t first, size_t count) const {
    ET_CHECK(first <= length_ && count <= length_ - first);
    return ArrayRef(data_ + first, count);
  }
  /// All objects from `first`; checked.
  ArrayRef slice(size_t first) const {
    ET_CHECK(first <= length_);
    return ArrayRef(data_ + first, length_ - first);
  }

 private:
  const T* data_ = nullptr;
  size_type length_ = 0;
};

template <typename T>
ArrayRef<T> makeArrayRef(const T& object) {
  return object;
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* data, size_t length) {
  return ArrayRef<T>(data, length);
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* begin, const T* end) {
  return ArrayRef<T>(begin, end);
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const std::array<T, N>& array) {
  return array;
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const T (&array)[N]) {
  return ArrayRef<T>(array);
}
template <typename T>
ArrayRef<T> makeArrayRef(const ArrayRef<T>& view) {
  return view;
}
template <typename T>
ArrayRef<T>& makeArrayRef(ArrayRef<T>& view) {
  return view;
}

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}

using IntArrayRef = ArrayRef<int64_t>;

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::ArrayRef;
using ::executorch::runtime::IntArrayRef;
using ::executorch::runtime::makeArrayRef;
}  // namespace torch::executor
