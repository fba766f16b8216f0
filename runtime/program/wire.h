// Reading flatbuffer tables whose bytes have been verified.
//
// Nothing here checks a bound: `StructureVerifier` has walked every table, vector and string once,
// by the same field numbers, and a view may only be made of what it has accepted. In return reading
// costs a load or two, and nothing is copied or allocated.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace executorch::runtime::format {

static_assert(std::endian::native == std::endian::little,
              "program files are little-endian and are read in place");

/// Reads a little-endian number of any alignment.
template <typename T>
T load_number(const std::uint8_t* at) {
  T value;
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what is read was verified
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// A verified string: NUL-terminated in the file. `data` is null when the field is absent.
struct Text {
  const char* data = nullptr;
  std::uint32_t size = 0;

  explicit operator bool() const { return data != nullptr; }
  std::string_view view() const { return {data == nullptr ? "" : data, size}; }
};

/// A vector of tables, each seen as a `View`. Absent and empty vectors differ in `present()` only.
template <typename View>
class Tables {
 public:
  Tables() = default;
  Tables(const std::uint8_t* first, std::uint32_t size) : first_(first), size_(size) {}

  bool present() const { return first_ != nullptr; }
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  View operator[](std::size_t index) const {
    const std::uint8_t* slot = first_ + index * sizeof(std::uint32_t);
    return View(slot + load_number<std::uint32_t>(slot));
  }

 private:
  const std::uint8_t* first_ = nullptr;
  std::uint32_t size_ = 0;
};

/// A verified table, or nothing (an absent field). Fields are named by their number in the schema.
class Table {
 public:
  Table() = default;
  explicit Table(const std::uint8_t* at) : at_(at) {}

  explicit operator bool() const { return at_ != nullptr; }
  const std::uint8_t* address() const { return at_; }

  /// The field's place, or null when the writer left it at its default.
  const std::uint8_t* field(unsigned id) const {
    const std::uint8_t* vtable = at_ - load_number<std::int32_t>(at_);
    const unsigned slot = 4U + 2U * id;
    if (slot >= load_number<std::uint16_t>(vtable)) return nullptr;
    const auto offset = load_number<std::uint16_t>(vtable + slot);
    return offset == 0 ? nullptr : at_ + offset;
  }

  template <typename T>
  T number(unsigned id, T absent = T{}) const {
    const std::uint8_t* place = field(id);
    return place == nullptr ? absent : load_number<T>(place);
  }

  template <typename View = Table>
  View table(unsigned id) const {
    const std::uint8_t* place = field(id);
    return place == nullptr ? View() : View(place + load_number<std::uint32_t>(place));
  }

  Text text(unsigned id) const {
    const std::uint8_t* place = target(id);
    if (place == nullptr) return {};
    return {reinterpret_cast<const char*>(place + sizeof(std::uint32_t)),
            load_number<std::uint32_t>(place)};
  }

  /// Elements in place: the verifier has seen to their alignment. A null `data()` means absent.
  template <typename T>
  std::span<const T> numbers(unsigned id) const {
    const std::uint8_t* place = target(id);
    if (place == nullptr) return {};
    return {reinterpret_cast<const T*>(place + sizeof(std::uint32_t)),
            load_number<std::uint32_t>(place)};
  }

  template <typename View>
  Tables<View> tables(unsigned id) const {
    const std::uint8_t* place = target(id);
    if (place == nullptr) return {};
    return {place + sizeof(std::uint32_t), load_number<std::uint32_t>(place)};
  }

 private:
  const std::uint8_t* target(unsigned id) const {
    const std::uint8_t* place = field(id);
    return place == nullptr ? nullptr : place + load_number<std::uint32_t>(place);
  }

  const std::uint8_t* at_ = nullptr;
};

}  // namespace executorch::runtime::format
