#include "verifier/cli/tiny_wheel.h"

#include <cstdint>
#include <fstream>

#include "verifier/archive/checksum.h"
#include "verifier/core/bytes.h"

namespace wheelcheck::testing {
namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value & 0xff);
    value >>= 8;
  }
  return out;
}

std::string record_hash(const std::string& content) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  Sha256 sha;
  sha.start();
  sha.update(as_bytes(content));
  const std::string hex = sha.finish();
  std::string bits;
  for (const char c : hex) {
    const int value = c <= '9' ? c - '0' : c - 'a' + 10;
    for (int bit = 3; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string out;
  for (std::size_t i = 0; i < bits.size(); i += 6) {
    out += kAlphabet[std::stoul(bits.substr(i, 6), nullptr, 2)];
  }
  return "sha256=" + out;
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members,
                   const std::set<std::string>& links) {
  constexpr std::uint64_t kRegularFile = 0100644ull << 16;
  constexpr std::uint64_t kSymbolicLink = 0120777ull << 16;
  std::string body;
  std::string directory;
  for (const auto& [name, content] : members) {
    const std::uint64_t offset = body.size();
    // Version needed, flags, method, time, date, CRC, both sizes, lengths of name and extra.
    const std::string common = little(20, 2) + little(0, 2) + little(0, 2) + little(0, 2) +
                               little(0x21, 2) + little(crc32(0, as_bytes(content)), 4) +
                               little(content.size(), 4) + little(content.size(), 4) +
                               little(name.size(), 2) + little(0, 2);
    body += "PK\3\4" + common + name + content;
    directory += "PK\1\2" + little(3 << 8 | 20, 2) + common + little(0, 2) + little(0, 2) +
                 little(0, 2) + little(links.count(name) != 0 ? kSymbolicLink : kRegularFile, 4) +
                 little(offset, 4) + name;
  }
  return body + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2) +
         little(members.size(), 2) + little(directory.size(), 4) + little(body.size(), 4) +
         little(0, 2);
}

}  // namespace

TinyWheel::TinyWheel(std::string tag, const std::string& requires_dist) : tag_(std::move(tag)) {
  const bool pure = tag_.ends_with("any");
  std::string metadata = "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n";
  if (!requires_dist.empty()) metadata += "Requires-Dist: " + requires_dist + "\n";
  add("demo-1.0.dist-info/METADATA", metadata);
  add("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: " +
                                      std::string(pure ? "true" : "false") + "\nTag: " + tag_ +
                                      "\n");
}

TinyWheel& TinyWheel::add(std::string name, std::string content) {
  members_.emplace_back(std::move(name), std::move(content));
  return *this;
}

TinyWheel& TinyWheel::add_link(std::string name, std::string target) {
  links_.insert(name);
  return add(std::move(name), std::move(target));
}

std::string TinyWheel::file_name() const { return "demo-1.0-" + tag_ + ".whl"; }

std::string TinyWheel::write(const std::string& directory) const {
  auto members = members_;
  std::string record;
  for (const auto& [name, content] : members) {
    record += name + "," + record_hash(content) + "," + std::to_string(content.size()) + "\n";
  }
  record += "demo-1.0.dist-info/RECORD,,\n";
  members.emplace_back("demo-1.0.dist-info/RECORD", record);
  std::string path = directory + "/" + file_name();
  std::ofstream(path, std::ios::binary) << zip_of(members, links_);
  return path;
}

std::string tiny_library(const std::vector<std::string>& needed, const std::string& runpath) {
  constexpr std::uint64_t kHeader = 64;
  constexpr std::uint64_t kSegment = 56;
  constexpr std::uint64_t kSegments = 3;
  std::string strings(1, '\0');
  const auto text = [&strings](const std::string& value) {
    const std::uint64_t at = strings.size();
    strings += value + '\0';
    return at;
  };
  const std::uint64_t dynamic_at = kHeader + kSegments * kSegment;
  const std::uint64_t entries = needed.size() + (runpath.empty() ? 0U : 1U) + 6;
  const std::uint64_t hash_at = dynamic_at + entries * 16;
  const std::uint64_t symbols_at = hash_at + 16;
  const std::uint64_t strings_at = symbols_at + 24;
  std::string dynamic;
  const auto entry = [&dynamic](std::uint64_t tag, std::uint64_t value) {
    dynamic += little(tag, 8) + little(value, 8);
  };
  for (const std::string& name : needed) entry(1, text(name));
  if (!runpath.empty()) entry(29, text(runpath));
  entry(4, hash_at);
  entry(5, strings_at);
  entry(6, symbols_at);
  entry(10, strings.size());
  entry(11, 24);
  entry(0, 0);
  const std::uint64_t size = strings_at + strings.size();
  const auto segment = [](std::uint64_t type, std::uint64_t flags, std::uint64_t offset,
                          std::uint64_t bytes, std::uint64_t align) {
    return little(type, 4) + little(flags, 4) + little(offset, 8) + little(offset, 8) +
           little(offset, 8) + little(bytes, 8) + little(bytes, 8) + little(align, 8);
  };
  return "\x7f"
         "ELF" +
         little(0x010102, 3) + little(0, 9) + little(3, 2) + little(62, 2) + little(1, 4) +
         little(0, 8) + little(kHeader, 8) + little(0, 8) + little(0, 4) + little(64, 2) +
         little(56, 2) + little(kSegments, 2) + little(0, 6) + segment(1, 6, 0, size, 0x1000) +
         segment(2, 6, dynamic_at, entries * 16, 8) + segment(0x6474e551, 6, 0, 0, 16) + dynamic +
         little(1, 4) + little(1, 4) + little(0, 8) + std::string(24, '\0') + strings;
}

}  // namespace wheelcheck::testing
