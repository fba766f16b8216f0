#include "verifier/archive/names.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verifier/archive/format.h"

namespace wheelcheck {

namespace {

/// Longest path that Linux takes.
constexpr std::size_t kPathMax = 4096;

/// Length of the UTF-8 sequence at `at`, 0 when there is none (overlong and surrogate ones too).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4   ? 4
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                                                            : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

bool valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Why the name is odd, or an empty string.
std::string oddness(const Member& member) {
  const std::string& path = member.path;
  if (path.empty()) return "the name is empty";
  if (path.size() > kPathMax) {
    return "the name is " + std::to_string(path.size()) + " bytes long";
  }
  // Nearly all names are of printable ASCII, and a loop without a way out is fast.
  bool printable = true;
  bool ascii = true;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    ascii &= byte < 0x80;
    printable &= byte >= 0x20 && byte != 0x7F;
  }
  if (!printable) {
    const auto control = std::find_if(path.begin(), path.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte == 0x7F;
    });
    return "the name holds the control character " +
           std::to_string(static_cast<unsigned char>(*control));
  }
  if (!ascii && (member.flags & zip::kFlagUtf8) == 0) {
    return "the name is not ASCII and not marked as UTF-8, so readers guess its encoding";
  }
  if (!ascii && !valid_utf8(path)) return "the name is marked as UTF-8 and is not";
  return {};
}

/// Lower case for the letters that file systems fold: ASCII, Latin-1, Greek, Cyrillic.
std::string fold(std::string_view path) {
  std::string folded;
  folded.reserve(path.size());
  for (std::size_t at = 0; at < path.size(); ++at) {
    const auto lead = static_cast<unsigned char>(path[at]);
    if (lead >= 'A' && lead <= 'Z') {
      folded += static_cast<char>(lead + 0x20);
    } else if (lead >= 0xC3 && lead <= 0xD0 && utf8_length(path, at) == 2) {
      unsigned code = (lead & 0x1FU) << 6 | (static_cast<unsigned char>(path[at + 1]) & 0x3FU);
      if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) ||
          (code >= 0x410 && code <= 0x42F)) {
        code += 0x20;
      } else if (code >= 0x400 && code <= 0x40F) {
        code += 0x50;
      }
      folded += static_cast<char>(0xC0U | code >> 6);
      folded += static_cast<char>(0x80U | (code & 0x3FU));
      ++at;
    } else {
      folded += static_cast<char>(lead);
    }
  }
  return folded;
}

/// A name and the hash of its bytes. It is made byte by byte, so that going along a name makes that
/// of every directory on the way: names of 64 KiB with a '/' at every second byte are no dearer
/// than others.
struct HashedName {
  std::uint64_t hash = 0;
  std::string_view name;
  bool operator==(const HashedName& other) const {
    return hash == other.hash && name == other.name;
  }
};

struct TakeHash {
  std::size_t operator()(const HashedName& name) const noexcept {
    return static_cast<std::size_t>(name.hash);
  }
};

/// Another one in each process, so that no archive can be made for it.
std::uint64_t hash_of_nothing() {
  static const std::uint64_t seed = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return seed;
}

std::uint64_t hash_with(std::uint64_t hash, char next) {  // FNV-1a
  return (hash ^ static_cast<unsigned char>(next)) * 0x100000001b3U;
}

HashedName hashed(std::string_view name) {
  std::uint64_t hash = hash_of_nothing();
  for (const char c : name) hash = hash_with(hash, c);
  return {hash, name};
}

std::string_view without_slash(std::string_view path) {
  return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

void check_name(const Member& member, std::uint64_t offset, ProblemList& problems) {
  const std::string& path = member.path;
  const auto add = [&](ArchiveOddity oddity, std::string detail) {
    problems.add(oddity, path, offset, std::move(detail));
  };
  if (std::string why = oddness(member); !why.empty()) {
    add(ArchiveOddity::odd_path, std::move(why));
  }
  if (path.find('\\') != std::string::npos) {
    add(ArchiveOddity::backslash_path, "the name holds a backslash, a separator on Windows only");
  }
  if (path.starts_with('/') || path.starts_with('\\') ||
      (path.size() >= 2 && is_letter(path[0]) && path[1] == ':')) {
    add(ArchiveOddity::absolute_path, "the name is an absolute path");
  }
  bool parent = false;
  const char* component_problem = nullptr;
  for (std::size_t begin = 0; begin < path.size();) {
    std::size_t end = begin;
    while (end < path.size() && path[end] != '/' && path[end] != '\\') ++end;
    const std::string_view component = std::string_view(path).substr(begin, end - begin);
    parent = parent || component == "..";
    if (component == ".") component_problem = "the name holds a \".\" component";
    if (component.empty() && begin != 0) component_problem = "the name holds an empty component";
    begin = end + 1;
  }
  if (parent) add(ArchiveOddity::parent_path, "the name climbs with \"..\"");
  if (component_problem != nullptr) add(ArchiveOddity::odd_path, component_problem);
}

void check_name_collisions(const std::vector<Member>& members, ProblemList& problems) {
  // Folded names without a directory's slash; views into them are the keys.
  std::vector<std::string> folded(members.size());
  std::unordered_map<HashedName, std::size_t, TakeHash> first;
  first.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    folded[i] = fold(without_slash(member.path));
    const auto [found, inserted] = first.emplace(hashed(folded[i]), i);
    if (inserted) continue;
    const Member& before = members[found->second];
    if (member.path == before.path) {
      problems.add(ArchiveOddity::duplicate_name, member.path, member.header_offset,
                   "the name occurs again; its other local header is at offset " +
                       std::to_string(before.header_offset));
    } else if (without_slash(member.path) == without_slash(before.path)) {
      problems.add(ArchiveOddity::duplicate_name, std::string(without_slash(member.path)),
                   member.header_offset, "the name is that of a file and of a directory");
    } else {
      problems.add(ArchiveOddity::case_collision, member.path, member.header_offset,
                   "differs only by case from " + before.path);
    }
  }
  std::string_view last_parent;  // neighbours share it
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string_view name = folded[i];
    const std::size_t slash = name.rfind('/');
    if (slash == std::string_view::npos || name.substr(0, slash) == last_parent) continue;
    last_parent = name.substr(0, slash);
    std::uint64_t hash = hash_of_nothing();
    for (std::size_t end = 0; end <= slash; hash = hash_with(hash, name[end++])) {
      if (end == 0 || name[end] != '/') continue;
      const auto parent = first.find({hash, name.substr(0, end)});
      if (parent == first.end() || members[parent->second].is_directory()) continue;
      const Member& file = members[parent->second];
      problems.add(ArchiveOddity::duplicate_name, file.path, file.header_offset,
                   "is a file, and a directory that holds " + members[i].path);
    }
  }
}

}  // namespace wheelcheck
