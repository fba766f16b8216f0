#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/payload.h"

namespace executorch::backends::cuda::testing {

using Bytes = std::vector<std::uint8_t>;

template <typename T>
void add_number(Bytes& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
}

inline void add_text(Bytes& bytes, const std::string& text) {
  add_number(bytes, static_cast<std::uint32_t>(text.size()));
  bytes.insert(bytes.end(), text.begin(), text.end());
}

inline void add_constants(Bytes& bytes, const std::vector<ConstantEntry>& constants) {
  add_number(bytes, static_cast<std::uint32_t>(constants.size()));
  for (const ConstantEntry& one : constants) {
    add_text(bytes, one.fqn);
    add_text(bytes, one.storage_key);
    add_number(bytes, one.storage_bytes);
    add_number(bytes, one.dtype);
    add_number(bytes, std::int32_t{one.on_device ? 1 : 0});
    add_number(bytes, one.storage_offset);
    add_number(bytes, static_cast<std::uint32_t>(one.sizes.size()));
    for (const std::int64_t size : one.sizes) add_number(bytes, size);
    for (const std::int64_t stride : one.strides) add_number(bytes, stride);
  }
}

inline Bytes begun(const std::string& magic) { return {magic.begin(), magic.end()}; }

/// An ETCUDAFQN3 manifest.
inline Bytes manifest(const std::string& library, const std::vector<ConstantEntry>& constants) {
  Bytes bytes = begun("ETCUDAFQN3");
  add_text(bytes, library);
  add_constants(bytes, constants);
  return bytes;
}

/// An ETCUDAFQN0 manifest.
inline Bytes manifest(const std::vector<LibraryVariant>& libraries,
                      const std::vector<ConstantEntry>& constants) {
  Bytes bytes = begun("ETCUDAFQN0");
  add_number(bytes, static_cast<std::uint32_t>(libraries.size()));
  for (const LibraryVariant& one : libraries) {
    add_number(bytes, one.target_sm);
    add_number(bytes, one.ptx_compute);
    add_number(bytes, std::uint32_t{one.fallback_only ? 1u : 0u});
    add_text(bytes, one.key);
  }
  add_constants(bytes, constants);
  return bytes;
}

}  // namespace executorch::backends::cuda::testing
