#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace wheelcheck {

/// Hashes strings and views alike, so that a view finds a string.
struct StringHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};

/// By strings, in no order.
template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace wheelcheck
