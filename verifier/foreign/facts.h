#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wheelcheck {

/// What a Mach-O slice or a PE image is, from its header.
enum class ForeignKind {
  shared_library,   ///< MH_DYLIB, MH_BUNDLE; a PE with IMAGE_FILE_DLL
  executable,       ///< MH_EXECUTE; a PE without IMAGE_FILE_DLL
  object,           ///< MH_OBJECT
  archive,          ///< a slice that holds an ar archive: recognised, not read
  debug_companion,  ///< MH_DSYM
  other,
};

/// A Mach-O slice or a PE image, as LIEF reports it.
struct ForeignImage {
  std::string format;    ///< "Mach-O" or "PE"
  std::string machine;   ///< Mach-O: x86_64, x86_64h, arm64, arm64e, i386, ...; PE: amd64, win32,
                         ///< arm64, arm32. "unknown (0x...)" for any other
  std::string identity;  ///< LC_ID_DYLIB or export name
  std::vector<std::string> libraries;  ///< load commands / imported DLLs, in order
  std::vector<std::string> rpaths;     ///< LC_RPATH, in order
  std::string minimum_os;  ///< "11.0" from LC_BUILD_VERSION or LC_VERSION_MIN_*; empty: not stated
  std::string platform;    ///< what minimum_os counts: "macos", "ios", ...; empty when not stated
  ForeignKind kind = ForeignKind::other;
  /// Those of `libraries` that may be absent at load time: LC_LOAD_WEAK_DYLIB.
  std::vector<std::string> weak_libraries;
  /// Loaded at the first call, not at start, hence not in `libraries`: PE delay imports.
  std::vector<std::string> delay_libraries;
  /// File names of debug databases that PE debug directories name, often a build machine's path.
  std::vector<std::string> debug_files;
};

struct ForeignFacts {
  std::vector<ForeignImage> images;  ///< one per slice of a universal binary, in file order
};

}  // namespace wheelcheck
