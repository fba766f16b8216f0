#include "python/src/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace executorch::python {

std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> sizes,
                                        std::span<const std::uint8_t> dim_order) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t next = 1;
  for (std::size_t i = dim_order.size(); i-- > 0;) {
    strides[dim_order[i]] = next;
    next *= std::max<std::int64_t>(sizes[dim_order[i]], 1);
  }
  return strides;
}

bool has_layout(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
                std::span<const std::uint8_t> dim_order) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return true;
  const std::vector<std::int64_t> dense = dense_strides(sizes, dim_order);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != 1 && strides[i] != dense[i]) return false;
  }
  return true;
}

std::vector<std::uint8_t> contiguous_order(std::size_t rank) {
  std::vector<std::uint8_t> order(rank);
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  return order;
}

void copy_elements(std::byte* target, std::span<const std::int64_t> target_strides,
                   const std::byte* source, std::span<const std::int64_t> source_strides,
                   std::span<const std::int64_t> sizes, std::size_t element_size) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  if (sizes.empty()) {
    std::memcpy(target, source, element_size);
    return;
  }
  const auto size = static_cast<std::int64_t>(element_size);
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    copy_elements(target + i * target_strides[0] * size, target_strides.subspan(1),
                  source + i * source_strides[0] * size, source_strides.subspan(1),
                  sizes.subspan(1), element_size);
  }
}

}  // namespace executorch::python
