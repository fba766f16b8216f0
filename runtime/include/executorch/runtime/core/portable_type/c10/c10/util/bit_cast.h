#pragma once

#include <cstring>
#include <type_traits>

namespace c10 {

/// The object of type To with the bytes of `from`.
template <typename To, typename From>
std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From> &&
                     std::is_trivially_copyable_v<To>,
                 To>
bit_cast(const From& from) noexcept {
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

}  // namespace c10
