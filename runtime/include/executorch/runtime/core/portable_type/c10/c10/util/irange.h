#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace c10 {

/// The integers from begin up to, not including, end; for range-based loops.
template <typename I>
class integer_range {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;

    explicit constexpr iterator(I value) : value_(value) {}
    constexpr I operator*() const { return value_; }
    constexpr iterator& operator++() {
      ++value_;
      return *this;
    }
    constexpr iterator operator++(int) {
      const iterator before = *this;
      ++value_;
      return before;
    }
    constexpr bool operator==(const iterator& other) const { return value_ == other.value_; }
    constexpr bool operator!=(const iterator& other) const { return value_ != other.value_; }

   private:
    I value_;
  };

  constexpr integer_range(I begin, I end) : begin_(begin), end_(end < begin ? begin : end) {}
  constexpr iterator begin() const { return iterator(begin_); }
  constexpr iterator end() const { return iterator(end_); }

 private:
  I begin_;
  I end_;
};

/// begin .. end-1; nothing when end is not above begin.
template <typename I1, typename I2,
          std::enable_if_t<std::is_integral_v<I1> && std::is_integral_v<I2>, bool> = true>
constexpr integer_range<I2> irange(I1 begin, I2 end) {
  return {static_cast<I2>(begin), end};
}

/// 0 .. end-1; nothing when end is negative.
template <typename I, std::enable_if_t<std::is_integral_v<I>, bool> = true>
constexpr integer_range<I> irange(I end) {
  return {I{0}, end};
}

}  // namespace c10
