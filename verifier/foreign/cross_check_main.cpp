// wheelcheck_cross_check [--limit MIB] FILE...: compares our ELF reader with LIEF over ELF files
// and over the ELF members of wheels; a folder stands for the wheels in it. Exits 0 when all that
// was compared agrees and something was.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/archive/directory.h"
#include "verifier/archive/member_reader.h"
#include "verifier/archive/source.h"
#include "verifier/elf/collector.h"
#include "verifier/foreign/cross_check.h"
#include "verifier/foreign/worker.h"

namespace wheelcheck {
namespace {

struct Totals {
  std::uint64_t files = 0;                        // ELF files seen
  std::uint64_t agreeing = 0;                     // those of which everything compared is the same
  std::uint64_t fields = 0;                       // single facts compared
  std::uint64_t differing = 0;                    // of those
  std::uint64_t unread = 0;                       // by our reader, or out of the archive
  std::map<std::string, std::uint64_t> skipped;   // by reason
  std::map<std::string, std::uint64_t> left_out;  // tables, by reason
  std::uint64_t skips() const {
    std::uint64_t sum = 0;
    for (const auto& [reason, count] : skipped) sum += count;
    return sum;
  }
};

bool is_elf(Bytes bytes) {
  return as_text(bytes).starts_with(
      "\x7f"
      "ELF");
}

class Driver {
 public:
  explicit Driver(std::uint64_t limit) : limit_(limit) {}

  void add(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) return add_file(path);
    std::vector<std::string> wheels;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".whl") wheels.push_back(entry->path());
    }
    if (error || wheels.empty()) return fail({path, "holds no wheel", std::nullopt});
    std::sort(wheels.begin(), wheels.end());
    for (const std::string& wheel : wheels) add_file(wheel);
  }

  void add_file(const std::string& path) {
    const std::uint64_t fields_before = totals_.fields;
    read_file(path);
    std::printf("%s: %llu fields\n", path.c_str(), number(totals_.fields - fields_before));
    std::fflush(stdout);
  }

  void read_file(const std::string& path) {
    auto source = FileSource::open(path);
    if (!source) return fail(source.error());
    auto head = source->read(0, std::min<std::uint64_t>(source->size(), 4));
    if (!head) return fail(head.error());
    if (!is_elf(*head)) return add_wheel(*source);
    if (source->size() >= limit_) return skip_large(path, source->size());
    auto bytes = source->read(0, source->size());
    if (!bytes) return fail(bytes.error());
    compare(path, *bytes);
  }

  int finish() const {
    std::printf(
        "%llu files, %llu agree, %llu fields compared, %llu disagreements, %llu skipped, "
        "%llu unread\n",
        number(totals_.files), number(totals_.agreeing), number(totals_.fields),
        number(totals_.differing), number(totals_.skips()), number(totals_.unread));
    for (const auto& [reason, count] : totals_.skipped) {
      std::printf("  skipped %llu: %s\n", number(count), reason.c_str());
    }
    for (const auto& [reason, count] : totals_.left_out) {
      std::printf("  left out of %llu: %s\n", number(count), reason.c_str());
    }
    return totals_.fields > 0 && totals_.differing == 0 && totals_.unread == 0 ? 0 : 1;
  }

 private:
  static unsigned long long number(std::uint64_t value) { return value; }

  void fail(const Error& error) {
    ++totals_.unread;
    std::printf("UNREAD %s\n", error.message().c_str());
  }

  void skip_large(const std::string& where, std::uint64_t size) {
    ++totals_.files;
    ++totals_.skipped[std::to_string(limit_ >> 20) + " MiB or larger"];
    std::printf("SKIPPED %s: %llu bytes\n", where.c_str(), number(size));
  }

  void add_wheel(const FileSource& source) {
    const auto archive = read_archive(source);
    if (!archive) return fail(archive.error());
    MemberReader reader(source, *archive);
    for (std::size_t i = 0; i < archive->members.size(); ++i) {
      const Member& member = archive->members[i];
      if (member.is_directory()) continue;
      const std::string where = source.name() + ": " + member.path;
      std::vector<std::byte> bytes;
      bool elf = false;
      const MemberContent content = reader.read(i, false, [&](Bytes chunk) {
        if (bytes.size() < 4) {
          bytes.insert(bytes.end(), chunk.begin(), chunk.end());
          elf = is_elf(bytes);
        } else if (elf && member.size < limit_) {
          bytes.insert(bytes.end(), chunk.begin(), chunk.end());
        }
      });
      if (content.error) {
        fail(*content.error);
      } else if (elf && member.size >= limit_) {
        skip_large(where, member.size);
      } else if (elf) {
        compare(where, bytes);
      }
    }
  }

  void compare(const std::string& where, Bytes bytes) {
    ++totals_.files;
    const auto facts = read_elf(where, bytes);
    if (!facts) return fail(facts.error());
    const CrossCheck check = cross_check(where, *facts, bytes);
    totals_.fields += check.compared;
    totals_.differing += check.differing;
    if (check.agrees()) ++totals_.agreeing;
    if (check.skipped) {
      ++totals_.skipped[*check.skipped];
      std::printf("SKIPPED %s: %s\n", where.c_str(), check.skipped->c_str());
    }
    for (const std::string& table : check.left_out) ++totals_.left_out[table];
    for (const Disagreement& one : check.disagreements) {
      std::printf("DIFFERS %s: %s: ours %s, LIEF %s\n", where.c_str(), one.field.c_str(),
                  one.ours.c_str(), one.lief.c_str());
    }
    if (check.differing > check.disagreements.size()) {
      std::printf("DIFFERS %s: and %llu more\n", where.c_str(),
                  number(check.differing - check.disagreements.size()));
    }
  }

  std::uint64_t limit_;
  Totals totals_;
};

int run(const std::vector<std::string_view>& arguments) {
  std::uint64_t limit = 256;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--limit" || i + 1 == arguments.size()) {
      paths.emplace_back(arguments[i]);
      continue;
    }
    const std::string_view text = arguments[++i];
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (parsed.ec != std::errc() || limit == 0 || limit > 65536) return 2;
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: wheelcheck_cross_check [--limit MIB] FILE...\n");
    return 2;
  }
  Driver driver(limit << 20);
  for (const std::string& path : paths) driver.add(path);
  return driver.finish();
}

}  // namespace
}  // namespace wheelcheck

int main(int argc, char** argv) {
  if (const auto status = wheelcheck::run_lief_worker_if_asked(argc, argv)) return *status;
  return wheelcheck::run({argv + 1, argv + argc});
}
