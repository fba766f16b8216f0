#include "verifier/loader/worlds/loader_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <link.h>
#include <numeric>
#include <random>
#include <unistd.h>

namespace wheelcheck::worlds {

namespace {

// As distributions configure them; ld.so holds them one behind the other.
const std::array<std::vector<std::string>, 3> kBuiltIn = {{
    {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/"},  // Debian
    {"/lib64/", "/usr/lib64/"},
    {"/usr/lib/", "/usr/lib64/"},
}};

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text;
    all += '\0';
  }
  return all;
}

std::size_t replace_all(std::string& code, const std::string& from, const std::string& to) {
  std::size_t count = 0;
  for (std::size_t at = code.find(from); at != std::string::npos; at = code.find(from, at + 1)) {
    code.replace(at, from.size(), to);
    ++count;
  }
  return count;
}

// How much of a path one instruction compares with, and two of them beside each other.
constexpr std::size_t kWord = 8;
constexpr std::size_t kTwoWords = 16;
constexpr std::size_t kHalfWord = 4;

/// The shape of the path for `built_in[index]`: where two directories begin or end alike, the paths
/// in their places must too, as an instruction holds only that part.
PathShape shape_of(std::size_t index, const std::vector<std::string>& built_in,
                   const std::vector<std::string>& paths) {
  const std::string& own = built_in[index];
  PathShape shape{own.size(), {}, {}};
  for (std::size_t other = 0; other < built_in.size(); ++other) {
    if (paths[other].empty()) continue;
    const std::string& text = built_in[other];
    if (own.size() >= kWord && text.size() >= kWord &&
        own.substr(0, kWord) == text.substr(0, kWord)) {
      shape.head = paths[other].substr(0, kWord);
    }
    if (own.size() >= kTwoWords && text.size() >= kTwoWords &&
        own.substr(own.size() - kTwoWords) == text.substr(text.size() - kTwoWords)) {
      shape.tail = paths[other].substr(text.size() - kTwoWords);
    }
  }
  return shape;
}

/// "movabs register, constant" by the two bytes before the constant.
bool is_movabs(unsigned char prefix, unsigned char operation) {
  return (prefix & 0xfeU) == 0x48 && (operation & 0xf8U) == 0xb8;
}

/// "cmp dword ptr [register], constant" likewise.
bool is_comparison(unsigned char operation, unsigned char operand) {
  return operation == 0x81 && (operand & 0xf8U) == 0x38;
}

/// Replaces `from` where it is the constant of such an instruction.
void replace_constant(std::string& code, bool (*is_instruction)(unsigned char, unsigned char),
                      std::string_view from, std::string_view to) {
  for (std::size_t at = code.find(from); at != std::string::npos; at = code.find(from, at + 1)) {
    if (at >= 2 && is_instruction(static_cast<unsigned char>(code[at - 2]),
                                  static_cast<unsigned char>(code[at - 1]))) {
      code.replace(at, to.size(), to);
    }
  }
}

/// Replaces what instructions hold of `directory`: words from its start on, and its last two.
void replace_in_instructions(std::string& code, const std::string& directory,
                             const std::string& path) {
  const std::size_t size = directory.size();
  if (size < kWord) {
    return replace_constant(code, is_comparison, directory.substr(0, kHalfWord),
                            path.substr(0, kHalfWord));
  }
  std::vector<std::size_t> starts{size - kWord};
  if (size >= kTwoWords) starts.push_back(size - kTwoWords);
  for (std::size_t start = 0; start + kWord <= size; start += kWord) starts.push_back(start);
  for (const std::size_t start : starts) {
    replace_constant(code, is_movabs, directory.substr(start, kWord), path.substr(start, kWord));
  }
}

void put32(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
}

/// glibc's order of names in the cache: numbers in them count as numbers. The file has it reversed.
int compare_names(std::string_view left, std::string_view right) {
  const auto digit = [](std::string_view text) {
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
  };
  const auto number = [&](std::string_view& text) {
    std::uint64_t value = 0;
    while (digit(text)) {
      value = value * 10 + static_cast<std::uint64_t>(text[0] - '0');
      text.remove_prefix(1);
    }
    return value;
  };
  while (!left.empty()) {
    if (digit(left)) {
      if (!digit(right)) return 1;
      const std::uint64_t a = number(left);
      const std::uint64_t b = number(right);
      if (a != b) return a < b ? -1 : 1;
    } else if (digit(right)) {
      return -1;
    } else if (right.empty() || left[0] != right[0]) {
      const int first = static_cast<unsigned char>(left[0]);
      return first - (right.empty() ? 0 : static_cast<unsigned char>(right[0]));
    } else {
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return right.empty() ? 0 : -static_cast<int>(static_cast<unsigned char>(right[0]));
}

int find_libc(dl_phdr_info* info, std::size_t, void* found) {
  const std::string_view path = info->dlpi_name;
  if (!path.ends_with("/libc.so.6")) return 0;
  *static_cast<std::string*>(found) = path;
  return 1;
}

}  // namespace

Result<ChangedLoader> with_other_paths(
    std::string code, const std::string& where,
    const std::function<std::string(std::size_t, const PathShape&)>& make_directory) {
  ChangedLoader changed;
  const std::string cache = std::string("/etc/ld.so.cache") + '\0';
  std::string own_cache = kCacheName;
  own_cache.resize(cache.size(), '\0');
  if (replace_all(code, cache, own_cache) == 0) {
    return Error{where, "holds no path of ld.so.cache", std::nullopt};
  }
  const std::vector<std::string> built_in = built_in_directories(code);
  if (built_in.empty()) {
    return Error{where, "holds none of the known lists of default directories", std::nullopt};
  }
  // The shortest first: what the others share with it leaves them room.
  std::vector<std::size_t> order(built_in.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return built_in[left].size() < built_in[right].size();
  });
  changed.directories.resize(built_in.size());
  for (const std::size_t index : order) {
    const PathShape shape = shape_of(index, built_in, changed.directories);
    std::string path = make_directory(index, shape);
    if (path.size() != shape.length || !path.starts_with(shape.head) ||
        !path.ends_with(shape.tail)) {
      return Error{where, "no path could be made up in the place of " + built_in[index],
                   std::nullopt};
    }
    changed.directories[index] = std::move(path);
  }
  replace_all(code, joined(built_in), joined(changed.directories));
  for (const std::size_t index : order) {
    replace_in_instructions(code, built_in[index], changed.directories[index]);
  }
  changed.code = std::move(code);
  return changed;
}

std::vector<std::string> built_in_directories(const std::string& code) {
  const auto found = std::find_if(kBuiltIn.begin(), kBuiltIn.end(), [&](const auto& built_in) {
    return code.find(joined(built_in)) != std::string::npos;
  });
  return found == kBuiltIn.end() ? std::vector<std::string>() : *found;
}

ShortLinks::~ShortLinks() {
  for (const std::string& path : paths_) ::unlink(path.c_str());
}

std::string ShortLinks::make(const PathShape& shape, const std::string& target) {
  constexpr std::string_view kPlace = "/tmp/";
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kTries = 10'000;
  const std::string head = shape.head.empty() ? std::string(kPlace) : shape.head;
  const std::string tail = shape.tail.empty() ? "/" : shape.tail;
  constexpr std::size_t kFewestLetters = 2;
  if (head.starts_with(kPlace) && shape.length >= head.size() + tail.size() + kFewestLetters) {
    std::random_device random;  // the name matters to nobody: readings hold the path as it is
    for (int i = 0; i < kTries; ++i) {
      std::string path = head;
      while (path.size() + tail.size() < shape.length) path += kLetters[random() % kLetters.size()];
      path += tail;
      const std::string link = path.substr(0, path.size() - 1);
      if (::symlink(target.c_str(), link.c_str()) != 0) continue;
      paths_.push_back(link);
      return path;
    }
  }
  return "/" + std::string(shape.length - 2, '_') + "/";
}

std::string cache_file(std::vector<CachedPath> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const CachedPath& left, const CachedPath& right) {
                     return compare_names(left.name, right.name) > 0;
                   });
  constexpr std::size_t kHeader = 48;
  constexpr std::size_t kEntry = 24;
  const std::size_t strings_at = kHeader + kEntry * entries.size();
  std::string strings;
  std::string out = "glibc-ld.so.cache1.1";
  std::string table;
  for (const CachedPath& entry : entries) {
    put32(table, 0x303);  // libc6, x86-64
    put32(table, strings_at + strings.size());
    strings += entry.name + '\0';
    put32(table, strings_at + strings.size());
    strings += entry.path + '\0';
    put32(table, 0);
    put32(table, 0);
    put32(table, 0);
  }
  put32(out, entries.size());
  put32(out, strings.size());
  put32(out, 2);  // little endian
  for (int i = 0; i < 4; ++i) put32(out, 0);
  return out + table + strings;
}

std::string own_libc() {
  std::string path;
  dl_iterate_phdr(find_libc, &path);
  return path;
}

}  // namespace wheelcheck::worlds
