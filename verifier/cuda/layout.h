#pragma once

#include <cstddef>
#include <cstdint>

/// The layout of fat binaries, as nvcc 13.0 writes it and published libraries have it. It is not
/// documented; everything here was measured on files whose options are known, see fatbin_test.cpp.
///
/// A container: u32 magic, u16 version, u16 header size, u64 bytes that follow the header.
/// An entry: u16 kind, u16 version, u32 header size, u64 payload size, u32 compressed size, u32,
/// u16 minor, u16 major, u32 architecture, u64, u64 flags, u64, u64 inflated size; then options.
namespace wheelcheck::fatbin {

inline constexpr std::uint32_t kMagic = 0xba55ed50;
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kHeaderSize = 16;

inline constexpr std::uint16_t kEntryVersion = 0x0101;
inline constexpr std::size_t kEntryHeadSize = 48;  ///< up to and with the flags
inline constexpr std::size_t kEntryHeaderMax = 1u << 16;
inline constexpr std::size_t kEntryHeaderSizeAt = 4;
inline constexpr std::size_t kEntryPayloadSizeAt = 8;
inline constexpr std::size_t kEntryArchAt = 28;
inline constexpr std::size_t kEntryFlagsAt = 40;

inline constexpr std::uint16_t kKindPtx = 1;
inline constexpr std::uint16_t kKindCubin = 2;

inline constexpr std::uint64_t kFlagLz4 = 0x2000;
inline constexpr std::uint64_t kFlagZstd = 0x8000;
inline constexpr std::uint64_t kFlagArchSpecific = 0x100000;    ///< sm_90a
inline constexpr std::uint64_t kFlagFamilySpecific = 0x200000;  ///< sm_120f

}  // namespace wheelcheck::fatbin
