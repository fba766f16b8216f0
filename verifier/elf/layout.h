#pragma once

#include <cstdint>

#include "verifier/core/bytes.h"

/// Numbers of the ELF specification and its GNU extensions, as far as the reader uses them.
namespace wheelcheck::elf {

inline constexpr std::uint16_t kTypeRelocatable = 1;
inline constexpr std::uint16_t kTypeCore = 4;

inline constexpr std::uint16_t kMachine386 = 3;
inline constexpr std::uint16_t kMachineMips = 8;
inline constexpr std::uint16_t kMachineS390 = 22;
inline constexpr std::uint16_t kMachineX86_64 = 62;
inline constexpr std::uint16_t kMachineAarch64 = 183;
inline constexpr std::uint16_t kMachineAlpha = 0x9026;

inline constexpr std::uint32_t kSegmentLoad = 1;
inline constexpr std::uint32_t kSegmentDynamic = 2;
inline constexpr std::uint32_t kSegmentInterpreter = 3;
inline constexpr std::uint32_t kSegmentNote = 4;
inline constexpr std::uint32_t kSegmentTls = 7;
inline constexpr std::uint32_t kSegmentStack = 0x6474e551;
inline constexpr std::uint32_t kSegmentProperty = 0x6474e553;
inline constexpr std::uint32_t kExecutable = 1;  ///< PF_X
inline constexpr std::uint32_t kReadable = 4;    ///< PF_R

inline constexpr std::uint32_t kSectionNull = 0;
inline constexpr std::uint32_t kSectionSymtab = 2;
inline constexpr std::uint32_t kSectionStrtab = 3;
inline constexpr std::uint32_t kSectionDynamic = 6;
inline constexpr std::uint32_t kSectionNote = 7;
inline constexpr std::uint32_t kSectionNoBits = 8;
inline constexpr std::uint32_t kSectionDynsym = 11;
inline constexpr std::uint64_t kSectionAlloc = 2;

inline constexpr std::uint64_t kFlagStaticTls = 0x10;  ///< in DT_FLAGS

/// Escape values: the real number is in section header 0.
inline constexpr std::uint16_t kManySegments = 0xffff;
inline constexpr std::uint16_t kManySectionsIndex = 0xffff;

namespace tag {
inline constexpr std::uint64_t kNull = 0;
inline constexpr std::uint64_t kNeeded = 1;
inline constexpr std::uint64_t kPltRelSize = 2;
inline constexpr std::uint64_t kPltGot = 3;
inline constexpr std::uint64_t kHash = 4;
inline constexpr std::uint64_t kStrtab = 5;
inline constexpr std::uint64_t kSymtab = 6;
inline constexpr std::uint64_t kRela = 7;
inline constexpr std::uint64_t kRelaSize = 8;
inline constexpr std::uint64_t kRelaEntry = 9;
inline constexpr std::uint64_t kStrSize = 10;
inline constexpr std::uint64_t kSymEntry = 11;
inline constexpr std::uint64_t kInit = 12;
inline constexpr std::uint64_t kFini = 13;
inline constexpr std::uint64_t kSoname = 14;
inline constexpr std::uint64_t kRpath = 15;
inline constexpr std::uint64_t kRel = 17;
inline constexpr std::uint64_t kRelSize = 18;
inline constexpr std::uint64_t kRelEntry = 19;
inline constexpr std::uint64_t kPltRel = 20;
inline constexpr std::uint64_t kTextRel = 22;
inline constexpr std::uint64_t kJmpRel = 23;
inline constexpr std::uint64_t kInitArray = 25;
inline constexpr std::uint64_t kFiniArray = 26;
inline constexpr std::uint64_t kRunpath = 29;
inline constexpr std::uint64_t kFlags = 30;
inline constexpr std::uint64_t kPreinitArray = 32;
inline constexpr std::uint64_t kRelr = 36;
inline constexpr std::uint64_t kGnuHash = 0x6ffffef5;
inline constexpr std::uint64_t kVersym = 0x6ffffff0;
inline constexpr std::uint64_t kFlags1 = 0x6ffffffb;
inline constexpr std::uint64_t kVerdef = 0x6ffffffc;
inline constexpr std::uint64_t kVerdefCount = 0x6ffffffd;
inline constexpr std::uint64_t kVerneed = 0x6ffffffe;
inline constexpr std::uint64_t kVerneedCount = 0x6fffffff;
inline constexpr std::uint64_t kMipsSymbolCount = 0x70000011;
inline constexpr std::uint64_t kAuxiliary = 0x7ffffffd;
inline constexpr std::uint64_t kFilter = 0x7fffffff;
}  // namespace tag

/// A fixed-size record inside bytes whose length was checked before. Fields that would lie
/// outside read as zero, never as foreign memory.
class Record {
 public:
  Record(Bytes bytes, Endian endian, bool is_64) : bytes_(bytes), endian_(endian), is_64_(is_64) {}

  [[nodiscard]] std::uint8_t u8(std::uint64_t at) const { return get<std::uint8_t>(at); }
  [[nodiscard]] std::uint16_t u16(std::uint64_t at) const { return get<std::uint16_t>(at); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t at) const { return get<std::uint32_t>(at); }
  [[nodiscard]] std::uint64_t u64(std::uint64_t at) const { return get<std::uint64_t>(at); }
  /// Four bytes in 32-bit files at `at_32`, eight in 64-bit files at `at_64`.
  [[nodiscard]] std::uint64_t word(std::uint64_t at_32, std::uint64_t at_64) const {
    return is_64_ ? u64(at_64) : u32(at_32);
  }

 private:
  template <class T>
  [[nodiscard]] T get(std::uint64_t at) const {
    return read_at<T>(bytes_, at, endian_).value_or(T{0});
  }

  Bytes bytes_;
  Endian endian_;
  bool is_64_;
};

}  // namespace wheelcheck::elf
