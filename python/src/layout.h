// The order in memory of a tensor's elements.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace executorch::python {

/// Strides, in elements, of a dense tensor whose dimensions lie in memory in `dim_order`, outermost
/// first. A dimension of size 0 counts as 1.
std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> sizes,
                                        std::span<const std::uint8_t> dim_order);

/// Whether elements with these strides lie as `dim_order` says: dimensions of one element may have
/// any stride, and without elements everything fits.
bool has_layout(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                std::span<const std::uint8_t> dim_order);

/// 0, 1, 2, ...
std::vector<std::uint8_t> contiguous_order(std::size_t rank);

/// Copies elements of `element_size` bytes from a tensor with any strides to a dense one with
/// `target_strides`.
void copy_elements(std::byte* target, std::span<const std::int64_t> target_strides,
                   const std::byte* source, std::span<const std::int64_t> source_strides,
                   std::span<const std::int64_t> sizes, std::size_t element_size);

}  // namespace executorch::python
