// For tests: reads and verifies a file in memory, as Program::load does, without a loader.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/program/verify.h"
#include "runtime/testing/flatbuffer_writer.h"

namespace executorch::runtime::testing {

/// A copy of bytes at an address that is a multiple of 64, and no byte longer than it has to be, so
/// that a sanitizer sees a read behind the end.
class AlignedBytes {
 public:
  explicit AlignedBytes(const Bytes& bytes) : size_(bytes.size()) {
    void* memory = nullptr;
    constexpr std::size_t kAlignment = 64;
    if (posix_memalign(&memory, kAlignment, size_ == 0 ? 1 : size_) != 0) std::abort();
    data_.reset(static_cast<std::uint8_t*>(memory));
    if (size_ != 0) std::memcpy(data_.get(), bytes.data(), size_);
  }

  std::span<const std::uint8_t> view() const { return {data_.get(), size_}; }
  std::span<std::uint8_t> view() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t size_;
};

/// What verification says of a file: Ok and an empty text, or the error and its reason.
struct Outcome {
  Error error = Error::Ok;
  std::string text;
};

inline Outcome verify(const Bytes& file, bool deep = false) {
  const AlignedBytes copy(file);
  const auto bytes = copy.view();
  format::Refusal refusal;
  format::Extents extents;
  const auto head = bytes.first(std::min(bytes.size(), format::kHeadBytes));
  if (format::read_program_head(head, bytes.size(), extents, refusal)) {
    const auto tables = bytes.first(static_cast<std::size_t>(extents.flatbuffer_size));
    const format::ProgramTable program = format::verify_program(tables, extents, deep, refusal);
    if (static_cast<bool>(program) == refusal.refused()) std::abort();  // exactly one of the two
  }
  return {refusal.error, refusal.text};
}

}  // namespace executorch::runtime::testing
