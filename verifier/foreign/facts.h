#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wheelcheck {

/// A Mach-O slice or a PE image, as LIEF reports it.
struct ForeignImage {
  std::string format;    ///< "Mach-O" or "PE"
  std::string machine;   ///< in platform tag terms: x86_64, arm64, amd64, win32, i386, ...
  std::string identity;  ///< LC_ID_DYLIB or export name
  std::vector<std::string> libraries;  ///< load commands / imported DLLs, in order
  std::vector<std::string> rpaths;     ///< LC_RPATH
  std::string minimum_os;              ///< "11.0" from LC_BUILD_VERSION; empty when not stated
};

struct ForeignFacts {
  std::vector<ForeignImage> images;  ///< one per slice of a universal binary
};

}  // namespace wheelcheck
