#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/archive/facts.h"
#include "verifier/core/result.h"
#include "verifier/core/string_map.h"
#include "verifier/cuda/facts.h"
#include "verifier/elf/facts.h"
#include "verifier/foreign/facts.h"
#include "verifier/wheel/metadata.h"
#include "verifier/wheel/tags.h"

namespace wheelcheck {

/// What a member is, by its first bytes; text kinds also by name.
enum class ContentKind { directory, elf, mach_o, pe, ar_archive, coff_import, script, text, other };

/// An absolute path that may be of a machine other than the user's, seen in a file's bytes.
struct BuildPathHit {
  std::string text;          ///< the whole path-like run, cut at 200 bytes
  std::uint64_t offset = 0;  ///< in the member
  std::uint32_t line = 0;    ///< for text members, from 1; else 0
  const char* pattern = "";  ///< which kind of path: "home", "tmp", ... (scan/build_paths.cpp)
};
struct BuildPathFacts {
  std::uint64_t count = 0;             ///< all hits
  std::vector<BuildPathHit> examples;  ///< the first few of each pattern, in file order
  std::map<std::string, std::uint64_t, std::less<>> by_pattern;  ///< hits of each pattern
};

/// A member with everything read from it.
struct MemberFacts {
  Member entry;
  InstallPath install;
  ContentKind kind = ContentKind::other;
  std::optional<Error> unread;            ///< the content could not be read, or not as what it is
  std::uint64_t inflated_size = 0;        ///< bytes that really came out
  bool inflated_whole = false;            ///< all of them, in the size and with the CRC stated
  std::uint32_t crc32 = 0;                ///< of those bytes
  std::string sha256;                     ///< lower-case hex where RECORD asks for it, else empty
  std::unique_ptr<ElfFacts> elf;          ///< kind elf and not unread
  std::unique_ptr<FatbinFacts> fatbin;    ///< device code, in any kind of member
  std::unique_ptr<ForeignFacts> foreign;  ///< kind mach_o and pe
  std::string text;                       ///< kept for the members that rules read as text
  bool text_kept = false;
  BuildPathFacts build_paths;
  std::vector<std::string> sibling_names;  ///< libraries of the wheel named in read-only data
  std::string symlink_target;              ///< of a symbolic link, as stored
  std::vector<std::string> cross_check;    ///< facts on which LIEF differs, one line each
  std::optional<std::string> cross_check_skipped;  ///< asked for, and why it was not done
};

/// What was done to read it.
struct ScanStats {
  std::uint64_t archive_bytes = 0;   ///< length of the file
  std::uint64_t inflated_bytes = 0;  ///< of the first passes
  std::uint64_t hashed_bytes = 0;    ///< under SHA-256
  std::uint32_t members = 0;
  std::uint32_t elf_files = 0;
  std::uint32_t second_passes = 0;
  std::uint64_t second_pass_bytes = 0;
  std::uint32_t cross_checked = 0;        ///< ELF files compared with LIEF
  std::uint32_t cross_check_skipped = 0;  ///< asked for, and not done
};

/// Everything known of one wheel. Rules see this and nothing of the file.
struct WheelFacts {
  std::string path;  ///< as given by the user
  std::optional<WheelFileName> file_name;
  std::optional<Error> file_name_error;
  ArchiveFacts archive;
  std::vector<MemberFacts> members;  ///< in central directory order
  StringMap<std::size_t> by_path;    ///< first entry of that name

  std::string dist_info;  ///< "name-1.0.dist-info", empty when there is none
  std::vector<std::string> dist_info_directories;  ///< all of them
  std::string data_directory;                      ///< "name-1.0.data"
  std::optional<Metadata> metadata;
  std::optional<WheelFile> wheel;
  std::optional<Record> record;
  std::optional<EntryPoints> entry_points;
  std::vector<std::string> top_level;  ///< top_level.txt

  ScanStats stats;

  [[nodiscard]] const MemberFacts* find(std::string_view member) const {
    const auto found = by_path.find(member);
    return found == by_path.end() ? nullptr : &members[found->second];
  }
};

}  // namespace wheelcheck
