#include "verifier/check/facts_cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <link.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "verifier/archive/checksum.h"
#include "verifier/check/facts_format.h"

namespace wheelcheck {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLargestEntry = 1u << 30;  // bytes
constexpr std::uint64_t kLargestCache = 2ull << 30;
constexpr std::size_t kDigest = 64;  // of hex
constexpr std::string_view kEnding = ".facts";

std::string hash_of(Bytes bytes) {
  Sha256 sha;
  sha.start();
  sha.update(bytes);
  return sha.finish();
}

/// Nothing: it cannot be read to its end.
std::optional<std::string> hash_of(const FileSource& source) {
  Sha256 sha;
  sha.start();
  std::vector<std::byte> buffer(1u << 20);
  for (std::uint64_t at = 0; at < source.size();) {
    const std::uint64_t size = std::min<std::uint64_t>(buffer.size(), source.size() - at);
    const std::span<std::byte> part = std::span(buffer).first(static_cast<std::size_t>(size));
    if (source.read(at, part)) return std::nullopt;
    sha.update(part);
    at += size;
  }
  return sha.finish();
}

/// The build id of this program, as hex: facts of another build may mean something else.
std::string build_id() {
  std::string id;
  const auto look = [](dl_phdr_info* info, std::size_t, void* out) {
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);  // NOLINT
      const char* const end = at + segment.p_memsz;
      while (end - at > static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
        const char* const description = at + sizeof note + padded(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            description + note.n_descsz <= end) {
          auto& text = *static_cast<std::string*>(out);
          static constexpr char kDigits[] = "0123456789abcdef";
          for (std::size_t byte = 0; byte < note.n_descsz; ++byte) {
            const auto value = static_cast<unsigned char>(description[byte]);
            text += kDigits[value >> 4];
            text += kDigits[value & 15];
          }
          return 1;
        }
        at = description + padded(note.n_descsz);
      }
    }
    return 1;  // the program is the first; libraries have other ids
  };
  dl_iterate_phdr(look, &id);
  return id;
}

/// What changes when a file is written to.
std::pair<fs::file_time_type, std::uintmax_t> state_of(const std::string& path) {
  std::error_code code;
  const fs::file_time_type time = fs::last_write_time(path, code);
  return {time, fs::file_size(path, code)};
}

}  // namespace

FactsCache::FactsCache(std::string folder, std::string program)
    : folder_(std::move(folder)), program_(std::move(program)) {}

std::unique_ptr<FactsCache> FactsCache::of_user() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (cache != nullptr && *cache == '/') {
    folder = cache;
  } else if (home != nullptr && *home == '/') {
    folder = std::string(home) + "/.cache";
  }
  std::string program = build_id();
  if (folder.empty() || program.empty()) return nullptr;
  return std::make_unique<FactsCache>(folder + "/wheelcheck/facts", std::move(program));
}

std::string FactsCache::entry(const std::string& sha256, const std::string& wheel) const {
  // What a wheel is depends on its name too.
  const std::string key = sha256 + fs::path(wheel).filename().string() + "\n" + program_;
  return folder_ + "/" + hash_of(as_bytes(key)) + std::string(kEnding);
}

std::optional<WheelFacts> FactsCache::load(const std::string& entry,
                                           const std::string& path) const {
  std::error_code code;
  if (!fs::is_regular_file(entry, code)) return std::nullopt;
  const auto source = FileSource::open(entry);
  if (!source || source->size() < kDigest || source->size() > kLargestEntry) return std::nullopt;
  const auto content = source->read(0, source->size());
  if (!content) return std::nullopt;
  const Bytes bytes(*content);
  if (hash_of(bytes.subspan(kDigest)) != as_text(bytes.first(kDigest))) return std::nullopt;
  auto facts = decode_facts(bytes.subspan(kDigest), path);
  if (facts) fs::last_write_time(entry, fs::file_time_type::clock::now(), code);  // it is in use
  return facts;
}

/// The entries that were not used for the longest time go first.
void FactsCache::make_room() const {
  struct Entry {
    fs::file_time_type used;
    std::uintmax_t size = 0;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code code;
  for (fs::directory_iterator at(folder_, code), end; !code && at != end; at.increment(code)) {
    if (at->path().extension() != kEnding) continue;
    std::error_code gone;
    Entry entry{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& left, const Entry& right) { return left.used < right.used; });
  for (const Entry& entry : entries) {
    if (total <= kLargestCache) return;
    total -= entry.size;
    fs::remove(entry.path, code);
  }
}

/// Whatever goes wrong, the next run reads the wheel again: that is all that is lost.
void FactsCache::keep(const std::string& entry, const WheelFacts& wheel) const {
  const std::string facts = encode_facts(wheel);
  if (facts.size() > kLargestEntry - kDigest) return;
  std::error_code code;
  fs::create_directories(folder_, code);
  // Under a name of its own first: others may read and write at the same time.
  const std::string draft = entry + "." + std::to_string(::getpid());
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << hash_of(as_bytes(facts)) << facts;
  file.close();
  if (!file) {
    fs::remove(draft, code);
    return;
  }
  fs::rename(draft, entry, code);
  make_room();
}

Result<WheelFacts> FactsCache::scan(const std::string& path, const ScanOptions& options,
                                    BesideStats& stats) const {
  const auto before = state_of(path);
  auto source = FileSource::open(path);
  if (!source) return source.error();
  std::string kept_at;
  if (const auto hash = hash_of(*source)) {
    kept_at = entry(*hash, path);
    if (auto facts = load(kept_at, path)) {
      ++stats.cached;
      return *std::move(facts);
    }
  }
  ++stats.read;
  auto facts = scan_wheel(*source, options);
  const bool in_full =
      facts &&
      std::none_of(facts->members.begin(), facts->members.end(), [](const MemberFacts& member) {
        return member.unread.has_value() || !member.inflated_whole;
      });
  // A file that was written to meanwhile is neither what was hashed nor what was read.
  if (in_full && !kept_at.empty() && state_of(path) == before) keep(kept_at, *facts);
  return facts;
}

}  // namespace wheelcheck
