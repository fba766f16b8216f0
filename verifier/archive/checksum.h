#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "verifier/core/bytes.h"

namespace wheelcheck {

/// CRC-32 as zip uses it. Start with 0, feed the result back in for the next part.
[[nodiscard]] std::uint32_t crc32(std::uint32_t before, Bytes bytes);

/// SHA-256 of a stream. One object can be used for many streams, one after another.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void start();
  void update(Bytes bytes);
  /// Lower-case hex, 64 characters.
  [[nodiscard]] std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace wheelcheck
