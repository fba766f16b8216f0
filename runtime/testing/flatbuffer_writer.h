// A small writer of flatbuffers for tests: a tree of tables becomes bytes.
//
// It knows no schema, so a test can leave fields out, add what does not belong, and lie about
// kinds. Parents are written before children, as offsets only point forward.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace executorch::runtime::testing {

using Bytes = std::vector<std::uint8_t>;

/// Appends the bytes of a number.
template <typename T>
void append_number(Bytes& bytes, T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::uint8_t raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

/// Overwrites the bytes of a number.
template <typename T>
void put_number(Bytes& bytes, std::size_t at, T value) {
  static_assert(std::is_arithmetic_v<T>);
  std::memcpy(&bytes.at(at + sizeof value - 1) + 1 - sizeof value, &value, sizeof value);
}

class Node;

/// One field of a table: a number, a string, a vector of numbers, a table or a vector of tables.
class Field {
 public:
  enum class Kind { kNumber, kString, kNumbers, kTable, kTables };

  template <typename T>
  static Field number(T value);
  static Field string(std::string_view text);
  /// `alignment` of the first element, at least that of its type.
  template <typename T>
  static Field numbers(const std::vector<T>& values, std::size_t alignment = 1);
  static Field table(Node node);
  static Field tables(std::vector<Node> nodes);

  Kind kind;
  std::size_t width = 0;
  std::size_t alignment = 1;
  Bytes bytes;
  std::vector<Node> nodes;

 private:
  explicit Field(Kind of);
};

/// A table: fields by their number.
class Node {
 public:
  Node() = default;

  Node& set(unsigned id, Field field) {
    fields_.insert_or_assign(id, std::move(field));
    return *this;
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Node& set(unsigned id, T number) {
    return set(id, Field::number(number));
  }
  Node& set(unsigned id, const char* text) { return set(id, Field::string(text)); }
  Node& erase(unsigned id) {
    fields_.erase(id);
    return *this;
  }
  bool has(unsigned id) const { return fields_.count(id) != 0; }
  /// The table in field `id`, or the `index`th of its vector. The field must be there.
  Node& child(unsigned id, std::size_t index = 0) { return fields_.at(id).nodes.at(index); }
  Field& field(unsigned id) { return fields_.at(id); }

  const std::map<unsigned, Field>& fields() const { return fields_; }

 private:
  std::map<unsigned, Field> fields_;
};

// Behind Node, which a Field may hold.
inline Field::Field(Kind of) : kind(of) {}

template <typename T>
Field Field::number(T value) {
  Field field(Kind::kNumber);
  append_number(field.bytes, value);
  field.width = sizeof value;
  return field;
}

template <typename T>
Field Field::numbers(const std::vector<T>& values, std::size_t alignment) {
  Field field(Kind::kNumbers);
  for (const T& value : values) append_number(field.bytes, value);
  field.width = sizeof(T);
  field.alignment = alignment;
  return field;
}

/// The whole buffer: first word and `identifier` (4 characters), `reserved` zero bytes for a header
/// of the container, tables. Alignments are measured from the first byte.
Bytes write_flatbuffer(const Node& root, std::string_view identifier, std::size_t reserved = 0);

}  // namespace executorch::runtime::testing
