#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck::wire {

// How a worker's answer crosses the pipe: numbers as 8 bytes, little end first; strings as their
// length and their bytes; lists as their length and their items. The worker may have been taken
// over by a hostile file, so the reader trusts nothing: every length is checked against what is
// left before anything is allocated.

// First in an answer, so that a program that is no worker is told from one that is.
inline constexpr std::string_view kMagic = "wheelcheck-lief-1\n";
// Last in an answer: all of it was written.
inline constexpr std::uint64_t kEnd = 0x444e455f4645494c;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) {
      out_.push_back(static_cast<std::byte>(static_cast<std::uint8_t>(value >> (8 * i))));
    }
  }
  void text(std::string_view value) {
    number(value.size());
    const Bytes bytes = as_bytes(value);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return out_; }

 private:
  std::vector<std::byte> out_;
};

/// Reads what a Writer wrote. After anything that does not fit, ok() is false and all values are
/// zero or empty.
class Reader {
 public:
  explicit Reader(Bytes bytes) : left_(bytes) {}

  std::uint64_t number() {
    const auto value = read_at<std::uint64_t>(left_, 0);
    if (!value) return fail();
    left_ = left_.subspan(8);
    return *value;
  }
  template <class T>
  T number_as() {
    const std::uint64_t value = number();
    if (value != static_cast<std::uint64_t>(static_cast<T>(value))) {
      fail();
      return T{};
    }
    return static_cast<T>(value);
  }
  bool flag() { return number() != 0; }
  std::string text() {
    const std::uint64_t size = number();
    const auto bytes = slice(left_, 0, size);
    if (!bytes) {
      fail();
      return {};
    }
    left_ = left_.subspan(bytes->size());
    return std::string(as_text(*bytes));
  }
  /// The length of a list whose items take at least `item_bytes` each.
  std::uint64_t count(std::uint64_t item_bytes) {
    const std::uint64_t value = number();
    if (value > left_.size() / item_bytes) return fail();
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> out(static_cast<std::size_t>(count(8)));
    for (std::string& value : out) value = text();
    return out;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && left_.empty(); }

 private:
  std::uint64_t fail() {
    ok_ = false;
    left_ = {};
    return 0;
  }
  Bytes left_;
  bool ok_ = true;
};

}  // namespace wheelcheck::wire
