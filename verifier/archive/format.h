#pragma once

#include <cstdint>

/// Numbers of the zip format (APPNOTE 6.3.10), shared by the reader and the test writer.
namespace wheelcheck::zip {

enum class Signature : std::uint32_t {
  local = 0x04034b50,
  central = 0x02014b50,
  end = 0x06054b50,
  zip64_end = 0x06064b50,
  zip64_locator = 0x07064b50,
  descriptor = 0x08074b50,
};

inline constexpr std::uint64_t kLocalSize = 30;  // fixed parts, in bytes
inline constexpr std::uint64_t kCentralSize = 46;
inline constexpr std::uint64_t kEndSize = 22;
inline constexpr std::uint64_t kZip64EndSize = 56;
inline constexpr std::uint64_t kLocatorSize = 20;
inline constexpr std::uint64_t kMaxComment = 65'535;

inline constexpr std::uint16_t kFlagEncrypted = 1u << 0;
inline constexpr std::uint16_t kFlagDescriptor = 1u << 3;
inline constexpr std::uint16_t kFlagPatched = 1u << 5;
inline constexpr std::uint16_t kFlagStrongEncryption = 1u << 6;
inline constexpr std::uint16_t kFlagUtf8 = 1u << 11;
inline constexpr std::uint16_t kFlagMaskedHeader = 1u << 13;

inline constexpr std::uint16_t kStored = 0;
inline constexpr std::uint16_t kDeflated = 8;

inline constexpr std::uint16_t kExtraZip64 = 0x0001;
inline constexpr std::uint16_t kExtraUnicodePath = 0x7075;

}  // namespace wheelcheck::zip
