#include "verifier/foreign/cross_check.h"

#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <link.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/elf/collector.h"

namespace wheelcheck {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// The C++ library that this test has loaded: a real file with versions needed and defined, versions
// with predecessors, weak, unique, IFUNC and thread-local symbols.
const std::string& real_library() {
  static const std::string bytes = [] {
    // By name: the address of anything in it may lead to a copy in this program.
    void* library = dlopen("libstdc++.so.6", RTLD_LAZY);
    link_map* loaded = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &loaded) != 0) return std::string();
    std::ifstream file(loaded->l_name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return bytes;
}

struct Pair {
  ElfFacts ours;
  LiefElf lief;
};

// Both views of the library, read once.
const Pair& views() {
  static const Pair pair = [] {
    Pair out;
    auto ours = read_elf("libstdc++", as_bytes(real_library()));
    if (!ours) ADD_FAILURE() << ours.error().message();
    const auto answer =
        ask_lief_worker("libstdc++", "elf", as_bytes(real_library()), cross_check_limits());
    if (!answer) ADD_FAILURE() << answer.error().message();
    if (ours && answer) {
      out.ours = *std::move(ours);
      out.lief = decode_lief_elf(*answer).value();
    }
    return out;
  }();
  return pair;
}

TEST(CrossCheck, ARealLibraryIsSeenTheSameByBoth) {
  const CrossCheck check = cross_check(
      "libstdc++", *read_elf("libstdc++", as_bytes(real_library())), as_bytes(real_library()));
  EXPECT_EQ(check.skipped, std::nullopt);
  EXPECT_THAT(check.left_out, IsEmpty());
  for (const Disagreement& one : check.disagreements) {
    ADD_FAILURE() << one.field << ": ours " << one.ours << ", LIEF " << one.lief;
  }
  EXPECT_GT(check.compared, 40'000u) << "5000 symbols of nine facts each";
  EXPECT_TRUE(check.agrees());
}

// Each fact that is compared, spoilt in LIEF's view; exactly that one must be reported.
struct Spoiler {
  const char* field;
  std::function<void(LiefElf&)> spoil;
};

LiefDynamic& entry(LiefElf& elf, std::uint64_t tag) {
  for (LiefDynamic& one : elf.dynamic) {
    if (one.tag == tag) return one;
  }
  return elf.dynamic.insert(elf.dynamic.begin(), LiefDynamic{tag, 0, ""})[0];
}

// A symbol that is defined here under a version.
LiefSymbol& versioned(LiefElf& elf) {
  for (LiefSymbol& one : elf.dynamic_symbols) {
    if (one.section != 0 && one.version != LiefSymbol::kNoVersion && (one.version & 0x7fff) > 1) {
      return one;
    }
  }
  ADD_FAILURE() << "no versioned symbol";
  return elf.dynamic_symbols.back();
}

std::vector<Spoiler> spoilers() {
  return {
      {"byte order", [](LiefElf& e) { e.data = 2; }},
      {"os abi", [](LiefElf& e) { e.os_abi ^= 1; }},
      {"type", [](LiefElf& e) { e.type = 2; }},
      {"machine", [](LiefElf& e) { e.machine ^= 1; }},
      {"flags", [](LiefElf& e) { e.flags ^= 1; }},
      {"number of segments", [](LiefElf& e) { e.segments.pop_back(); }},
      {"segment 1: type", [](LiefElf& e) { e.segments[1].type ^= 1u << 20; }},
      {"segment 1: flags", [](LiefElf& e) { e.segments[1].flags ^= 1; }},
      {"segment 1: offset", [](LiefElf& e) { ++e.segments[1].offset; }},
      {"segment 1: address", [](LiefElf& e) { ++e.segments[1].address; }},
      {"segment 1: size in the file", [](LiefElf& e) { ++e.segments[1].file_size; }},
      {"segment 1: size in memory", [](LiefElf& e) { ++e.segments[1].memory_size; }},
      {"segment 1: alignment", [](LiefElf& e) { ++e.segments[1].align; }},
      {"interpreter", [](LiefElf& e) { e.interpreter = "/lib/ld.so"; }},
      {"number of sections", [](LiefElf& e) { e.sections.pop_back(); }},
      {": name", [](LiefElf& e) { e.sections[2].name += "x"; }},
      {": type", [](LiefElf& e) { ++e.sections[2].type; }},
      {": flags", [](LiefElf& e) { ++e.sections[2].flags; }},
      {": offset", [](LiefElf& e) { ++e.sections[2].offset; }},
      {": size", [](LiefElf& e) { ++e.sections[2].size; }},
      {": address", [](LiefElf& e) { ++e.sections[2].address; }},
      {"build id", [](LiefElf& e) { e.build_id += "00"; }},
      {"has a dynamic section", [](LiefElf& e) { e.dynamic.clear(); }},
      {"SONAME", [](LiefElf& e) { entry(e, 14).text = "libother.so"; }},
      {"RPATH", [](LiefElf& e) { entry(e, 15).text = "$ORIGIN"; }},
      {"RUNPATH", [](LiefElf& e) { entry(e, 29).text = "$ORIGIN"; }},
      {"DT_FLAGS", [](LiefElf& e) { entry(e, 30).value ^= 0x10; }},
      {"DT_FLAGS_1", [](LiefElf& e) { entry(e, 0x6ffffffb).value ^= 0x800; }},
      {"text relocations", [](LiefElf& e) { entry(e, 22); }},
      {"NEEDED[0]", [](LiefElf& e) { entry(e, 1).text = "libcudart.so.13"; }},
      {"number of NEEDED",
       [](LiefElf& e) {
         e.dynamic.push_back({1, 0, "libextra.so"});
       }},
      {"number of needed versions", [](LiefElf& e) { e.needed_versions.pop_back(); }},
      {"needed version 0", [](LiefElf& e) { e.needed_versions[0].file = "libd.so"; }},
      {"needed version 0", [](LiefElf& e) { e.needed_versions[0].flags ^= 2; }},
      {"number of defined versions", [](LiefElf& e) { e.defined_versions.pop_back(); }},
      {"defined version 0", [](LiefElf& e) { e.defined_versions[0].flags ^= 1; }},
      {"number of dynamic symbols", [](LiefElf& e) { e.dynamic_symbols.pop_back(); }},
      {": name", [](LiefElf& e) { e.dynamic_symbols[9].name += "x"; }},
      {": binding", [](LiefElf& e) { e.dynamic_symbols[9].binding = 13; }},
      {": type", [](LiefElf& e) { e.dynamic_symbols[9].type = 13; }},
      {": value", [](LiefElf& e) { ++e.dynamic_symbols[9].value; }},
      {": size", [](LiefElf& e) { ++e.dynamic_symbols[9].size; }},
      {": visibility", [](LiefElf& e) { e.dynamic_symbols[9].other ^= 1; }},
      {": defined", [](LiefElf& e) { versioned(e).section = 0; }},
      {": version is hidden", [](LiefElf& e) { versioned(e).version ^= 0x8000; }},
      {": version", [](LiefElf& e) { versioned(e).version = 1; }},
      {"number of local symbols",
       [](LiefElf& e) {
         e.static_symbols.push_back({"local", 0, 2, 0, 5, 0x10000, 1, 1});
       }},
  };
}

TEST(CrossCheck, EveryFactThatDiffersIsReported) {
  const Pair& pair = views();
  ASSERT_TRUE(compare_elf(pair.ours, pair.lief).agrees());
  for (const Spoiler& spoiler : spoilers()) {
    LiefElf spoilt = pair.lief;
    spoiler.spoil(spoilt);
    const CrossCheck check = compare_elf(pair.ours, spoilt);
    EXPECT_FALSE(check.agrees()) << spoiler.field;
    ASSERT_FALSE(check.disagreements.empty()) << spoiler.field;
    EXPECT_THAT(check.disagreements[0].field, HasSubstr(spoiler.field));
    EXPECT_NE(check.disagreements[0].ours, check.disagreements[0].lief) << spoiler.field;
  }
}

TEST(CrossCheck, ManyDifferencesAreCountedAndAFewListed) {
  LiefElf spoilt = views().lief;
  for (LiefSymbol& symbol : spoilt.dynamic_symbols) ++symbol.size;
  const CrossCheck check = compare_elf(views().ours, spoilt);
  EXPECT_EQ(check.differing, spoilt.dynamic_symbols.size() - 1);
  EXPECT_EQ(check.disagreements.size(), CrossCheck::kListed);
}

TEST(CrossCheck, AFailingLiefIsNoAgreement) {
  ChildLimits limits;
  limits.program = "/bin/true";
  const CrossCheck check = cross_check("libstdc++", views().ours, as_bytes(real_library()), limits);
  ASSERT_TRUE(check.skipped.has_value());
  EXPECT_THAT(*check.skipped, HasSubstr("gave no answer"));
  EXPECT_EQ(check.compared, 0u);
  EXPECT_FALSE(check.agrees());
}

TEST(CrossCheck, AnExhaustedLiefIsNoAgreement) {
  if (!kMemoryLimitEnforced) GTEST_SKIP() << "no memory limit under this sanitizer";
  ChildLimits limits;
  limits.memory_bytes = 40u << 20;
  limits.memory_per_file_byte = 0;
  const std::string large = real_library() + std::string(64u << 20, '\0');
  const CrossCheck check = cross_check("libstdc++", views().ours, as_bytes(large), limits);
  ASSERT_TRUE(check.skipped.has_value());
  EXPECT_THAT(*check.skipped, HasSubstr("40 MiB of memory"));
  EXPECT_FALSE(check.agrees());
}

TEST(CrossCheck, AWordSizeThatLiefGuessesOtherwiseIsNotCompared) {
  LiefElf other = views().lief;
  other.elf_class = 1;
  const CrossCheck check = compare_elf(views().ours, other);
  ASSERT_TRUE(check.skipped.has_value());
  EXPECT_THAT(*check.skipped, HasSubstr("32-bit because of its machine"));
  EXPECT_FALSE(check.agrees());
}

TEST(CrossCheck, TablesBeyondLiefsOwnLimitsAreNamedAsLeftOut) {
  Pair pair = views();
  pair.ours.sections.resize(10'001);
  pair.lief.sections.resize(10'000);
  pair.lief.dynamic.resize(1'000);
  const CrossCheck check = compare_elf(pair.ours, pair.lief);
  EXPECT_EQ(check.left_out.size(), 2u);
  EXPECT_EQ(check.differing, 0u);
}

TEST(SecondOpinion, EveryCutOfAnAnswerIsNoticed) {
  LiefElf elf;
  elf.interpreter = "/lib/ld.so";
  elf.segments.resize(1);
  elf.dynamic_symbols.resize(2);
  elf.dynamic_symbols[1].name = "symbol";
  wire::Writer writer;
  wire::Output output(writer);
  exchange(output, elf);
  const Bytes whole = writer.bytes();
  const auto decoded = decode_lief_elf(whole);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->interpreter, "/lib/ld.so");
  EXPECT_EQ(decoded->dynamic_symbols.at(1).name, "symbol");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_lief_elf(whole.first(size)).has_value()) << size;
  }
}

}  // namespace
}  // namespace wheelcheck
