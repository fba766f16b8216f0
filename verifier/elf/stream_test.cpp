// The same facts, whatever the chunks, the windows and the number of passes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

#include "verifier/elf/collector.h"
#include "verifier/elf/dump.h"
#include "verifier/elf/testing.h"

namespace wheelcheck {
namespace {

using testing::ElfWriter;
using File = std::vector<std::byte>;

struct Streamed {
  std::string text;  ///< dump, or the error
  int passes = 0;
};

std::string text_of(const Result<ElfFacts>& facts) {
  return facts.ok() ? dump(*facts) : facts.error().message();
}

Streamed stream(Bytes file, std::size_t chunk, const ElfBudget& budget = {}, bool locals = true) {
  ElfCollector collector("lib.so", file.size(), budget, locals);
  Streamed result;
  do {
    ++result.passes;
    for (std::size_t at = 0; at < file.size(); at += chunk) {
      collector.consume(file.subspan(at, std::min(chunk, file.size() - at)));
    }
  } while (collector.end_pass() == ElfCollector::Next::again && result.passes < 10);
  result.text = text_of(collector.take());
  return result;
}

ElfWriter library() {
  ElfWriter w;
  w.texts = {{1, "libc.so.6"}, {14, "lib.so.3"}, {29, "$ORIGIN"}};
  w.needs = {{"libc.so.6", {{"GLIBC_2.17", 4, 0}}}};
  w.definitions = {{"lib.so.3", 1, 1}, {"V1", 2, 0}};
  w.symbols = {{"memcpy", 1, 2, 0, 0, 4}, {"first", 1, 2, 0, 7, 2}, {"last", 1, 2, 0, 7, 2}};
  w.locals = {{"helper", 0, 2, 0, 7}};
  w.notes = w.note("GNU", 3, File(20));
  w.interpreter = "/lib/ld.so";
  return w;
}

ElfBudget windows(std::uint64_t head, std::uint64_t tail) {
  ElfBudget budget;
  budget.head_bytes = head;
  budget.tail_bytes = tail;
  return budget;
}

TEST(Stream, ChunksDoNotMatter) {
  ElfWriter w = library();
  w.filler = 5'000;
  const File file = w.build();
  const std::string expected = text_of(read_elf("lib.so", file));
  EXPECT_NE(expected.find("helper"), std::string::npos);
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, file.size()}) {
    const Streamed streamed = stream(file, chunk);
    EXPECT_EQ(streamed.text, expected) << chunk;
    EXPECT_EQ(streamed.passes, 1) << chunk;
  }
}

TEST(Stream, SmallWindowsCostPassesButNoFacts) {
  ElfWriter w = library();
  w.filler = 5'000;
  for (const bool sections : {true, false}) {
    for (const bool strings_last : {true, false}) {
      w.sections = sections;
      w.strings_last = strings_last;
      const File file = w.build();
      const std::string expected = text_of(read_elf("lib.so", file));
      ASSERT_NE(expected.find("GLIBC_2.17"), std::string::npos) << expected;
      for (const auto& [head, tail] : {std::pair{0, 0}, {64, 0}, {500, 100}, {1 << 20, 0}}) {
        for (const std::size_t chunk : {std::size_t{13}, file.size()}) {
          const Streamed streamed =
              stream(file, chunk,
                     windows(static_cast<std::uint64_t>(head), static_cast<std::uint64_t>(tail)));
          EXPECT_EQ(streamed.text, expected) << head << " " << tail << " " << chunk;
          EXPECT_LE(streamed.passes, 3);
        }
      }
    }
  }
}

// An interpreter without bytes, and a second one that has to be waited for.
TEST(Stream, AStepThatWaitedSaysNothingTwice) {
  constexpr std::uint64_t kPhdr = 56;
  ElfWriter w = library();
  File file = w.build();
  w.lie(file, "phdr", 2 * kPhdr + 32, 0, 8);
  w.lie(file, "phdr", 3 * kPhdr, 3, 4);
  const std::string expected = text_of(read_elf("lib.so", file));
  ASSERT_NE(expected.find("PT_INTERP has no bytes"), std::string::npos) << expected;
  EXPECT_EQ(stream(file, 13, windows(0, 0)).text, expected);
}

// Hash and string tables behind 16 MiB of code each, as in patched libraries of 400 MB.
TEST(Stream, PatchedFilesNeedOnePass) {
  ElfWriter w = library();
  w.strings_last = true;
  w.filler = 16u << 20;
  w.locals.clear();
  const File file = w.build();
  ASSERT_GT(w.at["dynamic"].offset, 16u << 20);
  ASSERT_GT(w.at["gnu_hash"].offset, 32u << 20);
  const Streamed streamed = stream(file, std::size_t{256} * 1024, {}, false);
  EXPECT_EQ(streamed.passes, 1);
  EXPECT_EQ(streamed.text, text_of(read_elf("lib.so", file, {}, false)));
  EXPECT_NE(streamed.text.find("last"), std::string::npos);
}

TEST(Stream, OrdinaryLargeFilesNeedOnePass) {
  ElfWriter w = library();
  w.filler = 16u << 20;
  const File file = w.build();
  const Streamed streamed = stream(file, 100'000);
  EXPECT_EQ(streamed.passes, 1);
  EXPECT_EQ(streamed.text, text_of(read_elf("lib.so", file)));
}

// Of such a file only what lies before the code is kept, and it is enough.
TEST(Stream, FilesWithCodeApartNeedOnePass) {
  ElfWriter w = library();
  w.filler = 4u << 20;
  w.code_apart = true;
  struct Layout {
    bool strings_last;
    bool strings_late;
  };
  for (const Layout layout : {Layout{false, false}, Layout{true, false}, Layout{false, true}}) {
    w.strings_last = layout.strings_last;
    w.strings_late = layout.strings_late;
    const File file = w.build();
    for (const bool locals : {true, false}) {
      const Streamed streamed = stream(file, 100'000, {}, locals);
      EXPECT_EQ(streamed.passes, 1) << layout.strings_last << layout.strings_late << locals;
      EXPECT_EQ(streamed.text, text_of(read_elf("lib.so", file, {}, locals)));
      EXPECT_NE(streamed.text.find("GLIBC_2.17"), std::string::npos);
    }
  }
}

// Flags that say of the tables that they are code, and a first segment that a tool has put there.
TEST(Stream, TablesBehindTheFirstCodeAreReadAllTheSame) {
  constexpr std::uint64_t kPhdr = 56;
  ElfWriter w = library();
  w.filler = 4u << 20;
  w.code_apart = true;
  const File sound = w.build();
  const std::string expected = text_of(read_elf("lib.so", sound));
  for (const std::uint64_t first_flags : {4u, 6u}) {
    File file = sound;
    w.lie(file, "phdr", 4, first_flags, 4);
    // The second segment starts before the tables: its bytes are those of the first one.
    w.lie(file, "phdr", kPhdr + 8, w.at["phdr"].size, 8);
    w.lie(file, "phdr", kPhdr + 16, ElfWriter::kBase + w.at["phdr"].size, 8);
    const std::string whole = text_of(read_elf("lib.so", file));
    EXPECT_NE(whole.find("GLIBC_2.17"), std::string::npos) << whole;
    const Streamed streamed = stream(file, 4'096);
    EXPECT_EQ(streamed.text, whole);
    EXPECT_EQ(streamed.passes, first_flags == 4 ? 2 : 1);
  }
  EXPECT_EQ(stream(sound, 4'096).text, expected);
}

TEST(Stream, AFileOfAnotherLengthIsAnError) {
  const File file = library().build();
  ElfCollector longer("lib.so", file.size() + 1, {}, false);
  longer.consume(file);
  EXPECT_EQ(longer.end_pass(), ElfCollector::Next::done);
  EXPECT_FALSE(longer.take().ok());
  ElfCollector shorter("lib.so", file.size() - 1, {}, false);
  shorter.consume(file);
  EXPECT_EQ(shorter.end_pass(), ElfCollector::Next::done);
  EXPECT_FALSE(shorter.take().ok());
}

TEST(Stream, AnUnfedCollectorHasNoFacts) {
  ElfCollector collector("lib.so", 4096, {}, false);
  const auto facts = collector.take();
  ASSERT_FALSE(facts.ok());
}

// Truncations and random damage of a real file, both ways of reading.
class RealFile : public ::testing::Test {
 protected:
  void SetUp() override {
    // This test program's own C++ library.
    for (const char* path :
         {"/usr/lib/x86_64-linux-gnu/libm.so.6", "/usr/lib/aarch64-linux-gnu/libm.so.6",
          "/lib64/libm.so.6", "/proc/self/exe"}) {
      std::ifstream in(path, std::ios::binary);
      const std::vector<char> raw{std::istreambuf_iterator<char>(in),
                                  std::istreambuf_iterator<char>()};
      if (raw.empty()) continue;
      const Bytes bytes = as_bytes({raw.data(), raw.size()});
      file_.assign(bytes.begin(), bytes.end());
      return;
    }
    FAIL() << "no ELF file was found on this machine";
  }
  File file_;
};

TEST_F(RealFile, TruncationsAreErrors) {
  ASSERT_TRUE(read_elf("lib.so", file_).ok());
  for (std::size_t part = 0; part < 64; ++part) {
    const Bytes cut = Bytes(file_).first(file_.size() * part / 64);
    EXPECT_FALSE(read_elf("lib.so", cut).ok()) << part;
    const Streamed streamed = stream(cut, 65'536);
    EXPECT_EQ(streamed.text, text_of(read_elf("lib.so", cut))) << part;
  }
}

TEST_F(RealFile, DamagedCopiesReadTheSameInEveryWay) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    File copy = file_;
    const std::size_t reach = std::min<std::size_t>(copy.size(), round % 2 == 0 ? 4096 : 65'536);
    for (int i = 0; i < 4; ++i) copy[random() % reach] = static_cast<std::byte>(random());
    const std::string expected = text_of(read_elf("lib.so", copy));
    EXPECT_EQ(stream(copy, 50'000, windows(2'000, 1'000)).text, expected) << round;
  }
}

}  // namespace
}  // namespace wheelcheck
