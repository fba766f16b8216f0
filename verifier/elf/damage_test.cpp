// Files that lie: each lie is an error that names the table, or is named as harmless. None gives
// facts that look complete and are not.
#include <chrono>
#include <functional>
#include <gtest/gtest.h>

#include "verifier/elf/collector.h"
#include "verifier/elf/testing.h"

namespace wheelcheck {
namespace {

using testing::Buffer;
using testing::ElfWriter;
using File = std::vector<std::byte>;

ElfWriter library() {
  ElfWriter w;
  w.texts = {{1, "libc.so.6"}, {14, "lib.so.3"}};
  w.interpreter = "/lib/ld.so";
  w.needs = {{"libc.so.6", {{"GLIBC_2.17", 4, 0}, {"GLIBC_2.34", 5, 0}}},
             {"libm.so.6", {{"GLIBC_2.29", 6, 0}}}};
  w.definitions = {{"lib.so.3", 1, 1}, {"V1", 2, 0}};
  w.symbols = {{"memcpy", 1, 2, 0, 0, 4}, {"first", 1, 2, 0, 7, 2}, {"last", 1, 2, 0, 7, 2}};
  w.locals = {{"helper", 0, 2, 0, 7}};
  w.notes = w.note("GNU", 3, File(20));
  w.hash = true;
  return w;
}

struct Lie {
  std::string name;
  std::function<void(const ElfWriter&, File&)> tell;
  std::string table;  ///< that the error must name
  std::string what;   ///< and a part of its reason
};

constexpr double kSlow = 5.0;  // seconds, for sanitizer builds on a busy machine

// Offsets in 64-bit records.
constexpr std::uint64_t kPhdr = 56, kShdr = 64, kSym = 24;

Lie at(std::string name, const std::string& table, std::uint64_t offset, std::uint64_t value,
       std::size_t width, std::string error_table, std::string what) {
  return {std::move(name),
          [=](const ElfWriter& w, File& f) { w.lie(f, table, offset, value, width); },
          std::move(error_table), std::move(what)};
}

Lie tag(std::string name, std::uint64_t dynamic_tag, std::uint64_t value, std::string error_table,
        std::string what) {
  return {std::move(name), [=](const ElfWriter& w, File& f) { w.lie_tag(f, dynamic_tag, value); },
          std::move(error_table), std::move(what)};
}

std::vector<Lie> lies() {
  constexpr std::uint64_t kFar = 0x7fffffff0000;
  const auto header = [](std::string name, std::uint64_t offset, std::uint64_t value,
                         std::size_t width, std::string table, std::string what) {
    return at(std::move(name), "ehdr", offset, value, width, std::move(table), std::move(what));
  };
  return {
      header("Magic", 0, 0, 1, "ELF header", "not an ELF file"),
      header("Class", 4, 3, 1, "ELF header", "class 3"),
      header("Order", 5, 0, 1, "ELF header", "byte order 0"),
      header("Version", 6, 2, 1, "ELF header", "version 2"),
      header("SegmentsBeyond", 32, kFar, 8, "program headers", "beyond the end"),
      header("SegmentSize", 54, 40, 2, "program headers", "size of 40"),
      header("SegmentCount", 56, 0xfffe, 2, "program headers", "more than"),
      header("SectionsBeyond", 40, kFar, 8, "section headers", "beyond the end"),
      header("SectionSize", 58, 63, 2, "section headers", "size of 63"),
      header("SectionsWithoutOffset", 40, 0, 8, "section headers", "no offset"),
      header("NamesIndex", 62, 99, 2, "section names", "section 99"),
      header("NamesInNoStringTable", 62, 2, 2, "section names", "no string table"),
      at("LoadBeyond", "phdr", 32, kFar, 8, "program headers", "segment 0"),
      at("LoadOffsetWraps", "phdr", 8, ~std::uint64_t{0}, 8, "program headers", "segment 0"),
      at("DynamicBeyond", "phdr", kPhdr + 32, kFar, 8, "program headers", "segment 1"),
      at("DynamicUnmapped", "phdr", kPhdr + 16, kFar, 8, "PT_DYNAMIC", "no PT_LOAD"),
      at("DynamicCut", "phdr", kPhdr + 32, 48, 8, "PT_DYNAMIC", "no DT_NULL"),
      at("DynamicHalfEntry", "phdr", kPhdr + 32, 7, 8, "PT_DYNAMIC", "no DT_NULL"),
      at("InterpreterUnterminated", "phdr", 2 * kPhdr + 32, 3, 8, "PT_INTERP", "terminator"),
      at("NoteName", "notes", 0, 0xfffffff0, 4, "PT_NOTE", "runs past"),
      at("NoteDescription", "notes", 4, 0x1000, 4, "PT_NOTE", "runs past"),
      at("SectionBeyond", "shdr", kShdr + 24, kFar, 8, "section headers", "section 1"),
      at("SectionName", "shdr", kShdr, 0xffff, 4, "section names", "section 1 starts at 65535"),
      tag("StringsUnmapped", 5, kFar, "dynamic string table", "no PT_LOAD"),
      tag("StringsTooLong", 10, 0x100000, "dynamic string table", "runs past"),
      tag("StringsCut", 10, 4, "dynamic string table", "NEEDED"),
      tag("SonameBeyond", 14, 0x5000, "dynamic string table", "SONAME"),
      tag("SymbolSize", 11, 23, "dynamic symbol table", "23 bytes"),
      tag("SymbolsUnmapped", 6, kFar, "dynamic symbol table", "no PT_LOAD"),
      tag("SymbolsPastSegment", 6, 0, "dynamic symbol table", "no PT_LOAD"),
      at("SymbolName", "dynsym", 2 * kSym, 0x7777, 4, "dynamic symbol table", "symbol 2"),
      tag("GnuHashUnmapped", 0x6ffffef5, kFar, "DT_GNU_HASH", "no PT_LOAD"),
      at("GnuHashBuckets", "gnu_hash", 0, 0x40000000, 4, "DT_GNU_HASH", "runs past"),
      at("GnuHashBloom", "gnu_hash", 8, 0xffffffff, 4, "DT_GNU_HASH", "runs past"),
      at("GnuHashBucketTooLow", "gnu_hash", 24, 1, 4, "DT_GNU_HASH", "before the first"),
      at("GnuHashBucketTooHigh", "gnu_hash", 24, 0x00ffffff, 4, "DT_GNU_HASH", ""),
      tag("HashUnmapped", 4, kFar, "DT_HASH", "no PT_LOAD"),
      at("HashCount", "hash", 4, 0x100000, 4, "dynamic symbol table", "runs past"),
      at("HashCountHuge", "hash", 4, 0xffffffff, 4, "dynamic symbol table", "more than"),
      tag("VersymUnmapped", 0x6ffffff0, kFar, ".gnu.version", "no PT_LOAD"),
      at("VersymIndex", "versym", 2, 0x70, 2, ".gnu.version", "symbol 1"),
      tag("VerneedUnmapped", 0x6ffffffe, kFar, ".gnu.version_r", "no PT_LOAD"),
      at("VerneedVersion", "verneed", 0, 2, 2, ".gnu.version_r", "version 2"),
      at("VerneedFile", "verneed", 4, 0x9999, 4, ".gnu.version_r", "file of version"),
      at("VerneedAux", "verneed", 8, 0x00ffffff, 4, ".gnu.version_r", "runs past"),
      at("VerneedNext", "verneed", 12, 0x00ffffff, 4, ".gnu.version_r", "runs past"),
      at("VerneedNextOverlaps", "verneed", 12, 8, 4, ".gnu.version_r", "overlap"),
      at("VerneedAuxOverlaps", "verneed", 16 + 12, 4, 4, ".gnu.version_r", "overlap"),
      at("VerneedAuxName", "verneed", 16 + 8, 0x8888, 4, ".gnu.version_r", "version 4"),
      // The second file's versions are those of the first.
      at("VerneedShared", "verneed", 48 + 8, 0xfffffff0, 4, ".gnu.version_r", ""),
      tag("VerdefUnmapped", 0x6ffffffc, kFar, ".gnu.version_d", "no PT_LOAD"),
      at("VerdefVersion", "verdef", 0, 7, 2, ".gnu.version_d", "version 7"),
      at("VerdefAux", "verdef", 12, 0x00ffffff, 4, ".gnu.version_d", "runs past"),
      at("VerdefNext", "verdef", 16, 0x00ffffff, 4, ".gnu.version_d", "runs past"),
      at("VerdefNextOverlaps", "verdef", 16, 4, 4, ".gnu.version_d", "overlap"),
      at("VerdefName", "verdef", 20, 0x8888, 4, ".gnu.version_d", "version 1"),
  };
}

class Lies : public ::testing::TestWithParam<Lie> {};
INSTANTIATE_TEST_SUITE_P(Elf, Lies, ::testing::ValuesIn(lies()),
                         [](const auto& p) { return p.param.name; });

TEST_P(Lies, AreErrorsThatNameTheTable) {
  ElfWriter w = library();
  File file = w.build();
  ASSERT_TRUE(read_elf("a/lib.so", file).ok());
  GetParam().tell(w, file);
  const auto facts = read_elf("a/lib.so", file);
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().where, "a/lib.so: " + GetParam().table) << facts.error().message();
  EXPECT_NE(facts.error().what.find(GetParam().what), std::string::npos) << facts.error().message();
}

TEST(Damage, ALastNameWithoutTerminatorIsAnError) {
  ElfWriter w = library();
  File file = w.build();
  // DT_STRSZ one short: the last string, the last version's, loses its terminator.
  w.lie_tag(file, 10, w.at["dynstr"].size - 1);
  const auto facts = read_elf("lib.so", file);
  ASSERT_FALSE(facts.ok());
  EXPECT_NE(facts.error().what.find("no terminator"), std::string::npos);
}

TEST(Damage, APtDynamicThatIsFullWithoutNullIsAnError) {
  ElfWriter w = library();
  w.null_tag = false;
  const auto facts = read_elf("lib.so", w.build());
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().where, "lib.so: PT_DYNAMIC");
}

TEST(Damage, EveryTruncationIsAnError) {
  for (const bool sections : {true, false}) {
    ElfWriter w = library();
    w.sections = sections;
    const File file = w.build();
    for (std::size_t size = 0; size < file.size(); ++size) {
      const auto facts = read_elf("lib.so", Bytes(file).first(size));
      ASSERT_FALSE(facts.ok()) << size << " of " << file.size();
    }
  }
}

TEST(Damage, AnEmptyFileIsAnError) {
  const auto facts = read_elf("lib.so", {});
  ASSERT_FALSE(facts.ok());
  EXPECT_EQ(facts.error().where, "lib.so: ELF header");
}

// Hand-made amplification: little input that makes careless readers allocate or loop for long.
class Amplification : public ::testing::Test {
 protected:
  void expect_quick_error(const File& file, const std::string& what) {
    const auto start = std::chrono::steady_clock::now();
    const auto facts = read_elf("lib.so", file);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    ASSERT_FALSE(facts.ok());
    EXPECT_NE(facts.error().what.find(what), std::string::npos) << facts.error().message();
    EXPECT_LT(spent.count(), kSlow);
  }
};

TEST_F(Amplification, ManySectionsTimesManySegments) {
  ElfWriter w;
  File file = w.build();
  const std::size_t segments = file.size();
  file.resize(segments + 10'000 * kPhdr + 65'000 * kShdr);
  w.lie(file, "ehdr", 32, segments, 8);
  w.lie(file, "ehdr", 56, 10'000, 2);
  w.lie(file, "ehdr", 40, segments + 10'000 * kPhdr, 8);
  w.lie(file, "ehdr", 60, 65'000, 2);
  w.lie(file, "ehdr", 62, 0, 2);
  expect_quick_error(file, "10000 segments are more");
}

TEST_F(Amplification, VersionNeedsThatShareTheirVersions) {
  ElfWriter w = library();
  Buffer chain(w.endian);
  constexpr std::uint64_t kFiles = 30'000;
  for (std::uint64_t i = 0; i < kFiles; ++i) {  // all files have the same 30 000 versions
    chain.put(1, 2);
    chain.put(0xffff, 2);
    chain.put(1, 4);
    chain.put((kFiles - i) * 16, 4);
    chain.put(i + 1 == kFiles ? 0 : 16, 4);
  }
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    chain.put(0, 8);
    chain.put(1, 4);
    chain.put(i + 1 == kFiles ? 0 : 16, 4);
  }
  w.interpreter = std::string(reinterpret_cast<const char*>(chain.bytes().data()), chain.size());
  File file = w.build();
  w.lie_tag(file, 0x6ffffffe, ElfWriter::kBase + w.at["interp"].offset);
  w.lie(file, "phdr", 2 * kPhdr, 0, 4);  // the carrier is no PT_INTERP
  expect_quick_error(file, "more versions than");
}

TEST_F(Amplification, SymbolsThatShareOneLongName) {
  const auto sharing = [](std::size_t length) {
    constexpr std::size_t kCount = 100'000;
    ElfWriter w = library();
    w.symbols.assign(kCount, {"y"});
    w.symbols[0].name.assign(length, 'x');
    File file = w.build();
    const auto name = read_at<std::uint32_t>(file, w.at["dynsym"].offset + kSym).value_or(0);
    for (std::size_t i = 1; i <= kCount; ++i) w.lie(file, "dynsym", i * kSym, name, 4);
    return file;
  };
  expect_quick_error(sharing(1 << 20), "longer than the reader allows");
  expect_quick_error(sharing(60'000), "lengths of all names");
}

TEST_F(Amplification, SectionsThatShareOneLongName) {
  ElfWriter w = library();
  File file = w.build();
  const std::string names(60'000, 'x');
  const std::size_t strings = file.size();
  file.resize(strings + names.size() + 1);
  std::copy_n(as_bytes(names).begin(), names.size(),
              file.begin() + static_cast<std::ptrdiff_t>(strings));
  const std::size_t headers = file.size();
  constexpr std::size_t kCount = 65'000;
  file.resize(headers + kCount * kShdr);
  w.lie(file, "ehdr", 40, headers, 8);
  w.lie(file, "ehdr", 60, kCount, 2);
  w.lie(file, "ehdr", 62, 1, 2);
  w.at["new"] = {headers, 0};
  w.lie(file, "new", kShdr + 4, 3, 4);
  w.lie(file, "new", kShdr + 24, strings, 8);
  w.lie(file, "new", kShdr + 32, names.size() + 1, 8);
  expect_quick_error(file, "texts add up");
}

TEST_F(Amplification, TablesScatteredOverTheFile) {
  // Version needs that jump by more than a window each time, streamed.
  ElfWriter w = library();
  w.needs.clear();
  constexpr std::uint64_t kJump = 70'000, kFiles = 1'000;
  Buffer chain(w.endian);
  for (std::uint64_t i = 0; i < kFiles; ++i) {
    const std::size_t start = chain.size();
    chain.put(1, 2);
    chain.put(1, 2);
    chain.put(1, 4);
    chain.put(16, 4);
    chain.put(i + 1 == kFiles ? 0 : kJump, 4);
    chain.put(0, 4);
    chain.put(0, 2);
    chain.put(9, 2);
    chain.put(1, 4);
    chain.put(0, 4);
    chain.zero(start + kJump - chain.size());
  }
  w.interpreter = std::string(reinterpret_cast<const char*>(chain.bytes().data()), chain.size());
  w.numbers = {{0x6ffffffe, 0}};
  File file = w.build();
  w.lie_tag(file, 0x6ffffffe, ElfWriter::kBase + w.at["interp"].offset);
  w.lie(file, "phdr", 2 * kPhdr, 0, 4);
  const auto start = std::chrono::steady_clock::now();
  ElfCollector collector("lib.so", file.size(), {}, false);
  do {
    collector.consume(file);
  } while (collector.end_pass() == ElfCollector::Next::again);
  const auto facts = collector.take();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  ASSERT_FALSE(facts.ok());
  EXPECT_LT(spent.count(), kSlow);
  EXPECT_NE(facts.error().what.find("over what the reader allows"), std::string::npos)
      << facts.error().message();
}

}  // namespace
}  // namespace wheelcheck
