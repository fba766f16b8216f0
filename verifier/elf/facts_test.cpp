// Every fact, in every class and byte order.
#include <gtest/gtest.h>
#include <tuple>

#include "verifier/elf/collector.h"
#include "verifier/elf/dump.h"
#include "verifier/elf/testing.h"

namespace wheelcheck {
namespace {

using testing::Buffer;
using testing::ElfWriter;

constexpr std::uint64_t kNeeded = 1, kSoname = 14, kRpath = 15, kRunpath = 29;

std::vector<std::byte> text_bytes(std::string_view text) {
  const Bytes bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

class EveryFormat : public ::testing::TestWithParam<std::tuple<bool, Endian>> {
 protected:
  ElfWriter writer() const {
    ElfWriter w;
    w.is_64 = std::get<0>(GetParam());
    w.endian = std::get<1>(GetParam());
    w.machine =
        w.is_64 ? (w.endian == Endian::little ? 62 : 21) : (w.endian == Endian::little ? 3 : 20);
    return w;
  }
  static ElfFacts read(const std::vector<std::byte>& file) {
    auto facts = read_elf("lib.so", file);
    EXPECT_TRUE(facts.ok()) << facts.error().message();
    return facts.ok() ? *std::move(facts) : ElfFacts{};
  }
};

INSTANTIATE_TEST_SUITE_P(Elf, EveryFormat,
                         ::testing::Combine(::testing::Bool(),
                                            ::testing::Values(Endian::little, Endian::big)),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param) ? "Bits64" : "Bits32") +
                                  (std::get<1>(p.param) == Endian::little ? "Little" : "Big");
                         });

TEST_P(EveryFormat, HeaderFieldsAreRead) {
  ElfWriter w = writer();
  w.flags = 0x5000402;
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.is_64, w.is_64);
  EXPECT_EQ(facts.endian, w.endian);
  EXPECT_EQ(facts.type, 3);
  EXPECT_EQ(facts.machine, w.machine);
  EXPECT_EQ(facts.flags, 0x5000402u);
  EXPECT_TRUE(facts.loadable());
}

TEST_P(EveryFormat, SegmentsAndTheirSpecialKindsAreRead) {
  ElfWriter w = writer();
  w.interpreter = "/lib/ld.so.1";
  w.stack_flags = 7;
  w.tls_size = 48;
  const ElfFacts facts = read(w.build());
  ASSERT_EQ(facts.segments.size(), 5u);
  EXPECT_EQ(facts.segments[0].type, 1u);
  EXPECT_EQ(facts.segments[0].flags, 5u);
  EXPECT_EQ(facts.segments[0].address, ElfWriter::kBase);
  EXPECT_EQ(facts.segments[0].align, 0x10000u);
  EXPECT_EQ(facts.interpreter, "/lib/ld.so.1");
  EXPECT_EQ(facts.stack_flags, 7u);
  EXPECT_EQ(facts.tls_size, 48u);
}

TEST_P(EveryFormat, AbsentSegmentsAreNoFacts) {
  ElfWriter w = writer();
  w.stack_flags.reset();
  w.has_dynamic = false;
  const ElfFacts facts = read(w.build());
  EXPECT_FALSE(facts.stack_flags);
  EXPECT_FALSE(facts.tls_size);
  EXPECT_FALSE(facts.interpreter);
  EXPECT_FALSE(facts.has_dynamic);
  EXPECT_FALSE(facts.soname);
  EXPECT_TRUE(facts.dynamic_symbols.empty());
}

TEST_P(EveryFormat, DynamicStringsKeepTheirOrderAndTheirBytes) {
  ElfWriter w = writer();
  w.texts = {{kNeeded, "libz.so.1"},    {kNeeded, "liba.so"},       {kSoname, "lib.so.3"},
             {kRpath, "/a::/b:"},       {kRunpath, "$ORIGIN/../x"}, {0x7ffffffd, "aux.so"},
             {0x7fffffff, "filter.so"}, {kNeeded, "./rel/libm.so"}};
  w.numbers = {{30, 0x18}, {0x6ffffffb, 0x8000801}, {36, 0x10000}};
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.needed, (std::vector<std::string>{"libz.so.1", "liba.so", "./rel/libm.so"}));
  EXPECT_EQ(facts.soname, "lib.so.3");
  EXPECT_EQ(facts.rpath, "/a::/b:");
  EXPECT_EQ(facts.runpath, "$ORIGIN/../x");
  EXPECT_EQ(facts.auxiliary, std::vector<std::string>{"aux.so"});
  EXPECT_EQ(facts.filter, std::vector<std::string>{"filter.so"});
  EXPECT_EQ(facts.dt_flags, 0x18u);
  EXPECT_EQ(facts.dt_flags_1, 0x8000801u);
  EXPECT_TRUE(facts.has_relr);
  EXPECT_FALSE(facts.has_textrel);
}

TEST_P(EveryFormat, AnEmptyRpathIsNotAnAbsentOne) {
  ElfWriter w = writer();
  w.texts = {{kRpath, ""}};
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.rpath, "");
  EXPECT_FALSE(facts.runpath);
}

TEST_P(EveryFormat, TextRelocationsAreToldByTagOrFlag) {
  ElfWriter by_tag = writer();
  by_tag.numbers = {{22, 0}};
  EXPECT_TRUE(read(by_tag.build()).has_textrel);
  ElfWriter by_flag = writer();
  by_flag.numbers = {{30, 4}};
  EXPECT_TRUE(read(by_flag.build()).has_textrel);
}

TEST_P(EveryFormat, OfTwoSonamesTheLastCountsAndIsObserved) {
  ElfWriter w = writer();
  w.texts = {{kSoname, "old.so"}, {kSoname, "new.so"}};
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.soname, "new.so");
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("old.so"), std::string::npos);
}

ElfWriter with_symbols(ElfWriter w) {
  w.needs = {{"libc.so.6", {{"GLIBC_2.17", 4, 0}, {"GLIBC_2.34", 5, 2}}},
             {"libm.so.6", {{"GLIBC_2.29", 6, 0}}}};
  w.definitions = {{"lib.so.3", 1, 1}, {"V1", 2, 0}, {"V2", 3, 2}};
  w.symbols = {{"memcpy", 1, 2, 0, 0, 4, 0, 0}, {"weak_need", 2, 0, 0, 0, 1, 0, 0},
               {"api", 1, 2, 0, 7, 0x8002},     {"api", 1, 2, 3, 7, 3, 0x2000, 16},
               {"state", 10, 6, 0, 9, 1},       {"resolver", 1, 10, 0, 7, 2},
               {"data", 2, 1, 2, 0xfff1, 1}};
  return w;
}

TEST_P(EveryFormat, SymbolsHaveBindingTypeVisibilityAndVersion) {
  ElfWriter w = with_symbols(writer());
  const ElfFacts facts = read(w.build());
  ASSERT_EQ(facts.dynamic_symbols.size(), 7u);
  const auto& s = facts.dynamic_symbols;

  EXPECT_EQ(facts.name(s[0]), "memcpy");
  EXPECT_FALSE(s[0].defined);
  ASSERT_NE(facts.version_of(s[0]), nullptr);
  EXPECT_EQ(facts.version_of(s[0])->name, "GLIBC_2.17");
  EXPECT_EQ(facts.version_of(s[0])->file, "libc.so.6");

  EXPECT_EQ(s[1].binding, SymbolBinding::weak);
  EXPECT_EQ(s[1].type, SymbolType::none);
  EXPECT_EQ(facts.version_of(s[1]), nullptr);

  EXPECT_TRUE(s[2].version_hidden);
  EXPECT_EQ(facts.version_of(s[2])->name, "V1");
  EXPECT_FALSE(s[3].version_hidden);
  EXPECT_EQ(facts.version_of(s[3])->name, "V2");
  EXPECT_EQ(s[3].visibility, SymbolVisibility::protected_);
  EXPECT_EQ(s[3].value, 0x2000u);
  EXPECT_EQ(s[3].size, 16u);

  EXPECT_EQ(s[4].binding, SymbolBinding::gnu_unique);
  EXPECT_EQ(s[4].type, SymbolType::tls);
  EXPECT_EQ(s[5].type, SymbolType::ifunc);
  EXPECT_EQ(s[6].visibility, SymbolVisibility::hidden);
  EXPECT_EQ(s[6].type, SymbolType::object);
  EXPECT_TRUE(s[6].defined) << "an absolute symbol is defined";
  EXPECT_TRUE(facts.observations.empty());
}

TEST_P(EveryFormat, VersionRecordsKeepFileOrderAndFlags) {
  const ElfFacts facts = read(with_symbols(writer()).build());
  ASSERT_EQ(facts.versions.size(), 6u);
  EXPECT_EQ(facts.versions[0].name, "GLIBC_2.17");
  EXPECT_EQ(facts.versions[1].name, "GLIBC_2.34");
  EXPECT_TRUE(facts.versions[1].weak);
  EXPECT_EQ(facts.versions[2].file, "libm.so.6");
  EXPECT_FALSE(facts.versions[2].defined);
  EXPECT_TRUE(facts.versions[3].base);
  EXPECT_EQ(facts.versions[3].name, "lib.so.3");
  EXPECT_TRUE(facts.versions[4].defined);
  EXPECT_EQ(facts.versions[4].file, "");
  EXPECT_TRUE(facts.versions[5].weak);
}

TEST_P(EveryFormat, FactsAreTheSameWithoutSectionHeaders) {
  ElfWriter w = with_symbols(writer());
  ElfFacts with = read(w.build());
  w.sections = false;
  const ElfFacts without = read(w.build());
  EXPECT_FALSE(with.sections.empty());
  EXPECT_TRUE(without.sections.empty());
  with.sections.clear();
  // The only segment that covers the file is shorter without the headers.
  with.segments = without.segments;
  EXPECT_EQ(dump(with), dump(without));
}

TEST_P(EveryFormat, SymbolsAreCountedByAnyOfTheHashTables) {
  ElfWriter gnu = with_symbols(writer());
  gnu.sections = false;
  ElfWriter sysv = gnu;
  sysv.gnu_hash = false;
  sysv.hash = true;
  ElfWriter both = gnu;
  both.hash = true;
  for (ElfWriter* w : {&gnu, &sysv, &both}) {
    const ElfFacts facts = read(w->build());
    EXPECT_EQ(facts.dynamic_symbols.size(), 7u);
    EXPECT_TRUE(facts.observations.empty());
  }
}

// What a GNU hash table of a file that exports nothing looks like.
ElfWriter importing_only(ElfWriter w) {
  w.symbols = {{"memcpy", 1, 2, 0, 0}, {"malloc", 1, 2, 0, 0}, {"free", 2, 0, 0, 0}};
  return w;
}

TEST_P(EveryFormat, AnEmptyGnuHashTableLeavesTheCountToTheSections) {
  const ElfFacts facts = read(importing_only(writer()).build());
  EXPECT_EQ(facts.dynamic_symbols.size(), 3u);
  EXPECT_TRUE(facts.observations.empty());
}

TEST_P(EveryFormat, WithoutHashAndSectionsTheNeighbouringTableCounts) {
  ElfWriter w = importing_only(writer());
  w.sections = false;
  w.gnu_hash = false;  // the string table then follows the symbols
  const ElfFacts facts = read(w.build());
  ASSERT_EQ(facts.dynamic_symbols.size(), 3u);
  EXPECT_EQ(facts.name(facts.dynamic_symbols[2]), "free");
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("next to them"), std::string::npos);
}

TEST_P(EveryFormat, WithoutAnyNeighbourTheRelocationsCount) {
  ElfWriter w = importing_only(writer());
  w.sections = false;  // the empty GNU hash table follows the symbols, and is no proof
  w.gnu_hash = true;
  // A relocation table inside the notes: one entry that names symbol 3.
  Buffer relocation(w.endian);
  relocation.put(0x4000, w.word());
  relocation.put(w.is_64 ? (std::uint64_t{3} << 32 | 6) : (3u << 8 | 6), w.word());
  w.notes = w.note("XYZ", 1, relocation.bytes());
  auto file = w.build();
  w.numbers = {{17, ElfWriter::kBase + w.at["notes"].offset + 16}, {18, 2 * w.word()}};
  file = w.build();
  const ElfFacts facts = read(file);
  EXPECT_EQ(facts.dynamic_symbols.size(), 3u);
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("relocations"), std::string::npos);
}

TEST_P(EveryFormat, LocalSymbolsAreReadWhenWanted) {
  ElfWriter w = writer();
  w.locals = {{"file.c", 0, 4, 0, 0xfff1},
              {"helper", 0, 2, 0, 7, 0, 0x1234, 9},
              {"undefined", 0, 2, 0, 0},
              {"state", 0, 6, 0, 9}};
  const auto file = w.build();
  const ElfFacts facts = read(file);
  EXPECT_EQ(facts.symtab, SymtabState::read);
  ASSERT_EQ(facts.local_symbols.size(), 2u);
  EXPECT_EQ(facts.local_name(facts.local_symbols[0]), "helper");
  EXPECT_EQ(facts.local_symbols[0].value, 0x1234u);
  EXPECT_EQ(facts.local_name(facts.local_symbols[1]), "state");
  EXPECT_EQ(facts.local_symbols[1].type, SymbolType::tls);

  const auto unwanted = read_elf("lib.so", file, {}, false);
  ASSERT_TRUE(unwanted.ok());
  EXPECT_EQ(unwanted->symtab, SymtabState::not_requested);
  EXPECT_TRUE(unwanted->local_symbols.empty());

  ElfBudget small;
  small.symtab_bytes = 64;
  const auto over = read_elf("lib.so", file, small, true);
  ASSERT_TRUE(over.ok());
  EXPECT_EQ(over->symtab, SymtabState::over_budget);
  EXPECT_NE(over->symtab_note.find("64 bytes"), std::string::npos);
}

TEST_P(EveryFormat, NotesGiveBuildIdPropertiesAndDlopenTexts) {
  ElfWriter w = writer();
  const auto add = [&](const std::vector<std::byte>& note) {
    w.notes.insert(w.notes.end(), note.begin(), note.end());
  };
  add(w.note("GNU", 3, text_bytes("\x01\xab\xff")));
  add(w.note("FDO", 0x407c0c0a,
             text_bytes(std::string_view("[{\"soname\":[\"libx.so\"]}]\0", 25))));
  Buffer properties(w.endian);
  properties.put(0xc0008002, 4);
  properties.put(4, 4);
  properties.put(5, 4);
  properties.align(w.word());
  properties.put(0xc0000002, 4);
  properties.put(4, 4);
  properties.put(3, 4);
  properties.align(w.word());
  add(w.note("GNU", 5, properties.bytes()));
  const bool x86 = w.machine == 62 || w.machine == 3;
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.build_id, "01abff");
  EXPECT_EQ(facts.dlopen_notes, std::vector<std::string>{"[{\"soname\":[\"libx.so\"]}]"});
  EXPECT_EQ(facts.x86_isa_needed, x86 ? std::optional<std::uint32_t>(5) : std::nullopt);
  EXPECT_EQ(facts.x86_features, x86 ? std::optional<std::uint32_t>(3) : std::nullopt);
}

TEST(Notes, Aarch64FeaturesAreRead) {
  ElfWriter w;
  w.machine = 183;
  Buffer properties(w.endian);
  properties.put(0xc0000000, 4);
  properties.put(4, 4);
  properties.put(3, 4);
  properties.align(8);
  w.notes = w.note("GNU", 5, properties.bytes());
  const auto facts = read_elf("lib.so", w.build());
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->aarch64_features, 3u);
  EXPECT_FALSE(facts->x86_features);
}

TEST_P(EveryFormat, CountsMayStandInSectionHeaderZero) {
  ElfWriter w = with_symbols(writer());
  ElfFacts plain = read(w.build());
  w.extended_numbering = true;
  ElfFacts extended = read(w.build());
  ASSERT_FALSE(extended.sections.empty());
  extended.sections[0] = plain.sections[0];  // holds the counts
  EXPECT_EQ(dump(plain), dump(extended));
}

TEST_P(EveryFormat, WhatTheLoaderMapsCountsNotWhatSectionsSay) {
  ElfWriter w = with_symbols(writer());
  w.texts = {{kNeeded, "libz.so.1"}};
  auto file = w.build();
  const ElfFacts honest = read(file);
  // Section 1 is .dynstr: move it by one byte, as a tool does that forgets the headers.
  w.lie(file, "shdr", w.is_64 ? 64u + 24u : 40u + 16u, w.at["dynstr"].offset + 1, w.word());
  const ElfFacts facts = read(file);
  EXPECT_EQ(facts.needed, honest.needed);
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find(".dynstr"), std::string::npos);
}

TEST_P(EveryFormat, PtDynamicIsFoundByAddressAsInTheLoader) {
  ElfWriter w = writer();
  w.texts = {{kNeeded, "libz.so.1"}};
  auto file = w.build();
  const std::uint64_t second = w.is_64 ? 56 : 32;
  w.lie(file, "phdr", second + (w.is_64 ? 8 : 4), 0, w.word());  // p_offset of PT_DYNAMIC
  const ElfFacts facts = read(file);
  EXPECT_EQ(facts.needed, std::vector<std::string>{"libz.so.1"});
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("the address counts"), std::string::npos);
}

TEST_P(EveryFormat, ALoweredVersionCountHidesNothing) {
  ElfWriter w = with_symbols(writer());
  auto file = w.build();
  w.lie_tag(file, 0x6fffffff, 1);  // DT_VERNEEDNUM
  const ElfFacts facts = read(file);
  EXPECT_EQ(facts.versions.size(), 6u);
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("DT_VERNEEDNUM"), std::string::npos);
}

TEST_P(EveryFormat, AVersionIndexThatNoRecordHasCountsAsUnversioned) {
  ElfWriter w = with_symbols(writer());
  w.definitions[1].index = 7;  // leaves a gap at 2, below the highest index
  const ElfFacts facts = read(w.build());
  EXPECT_EQ(facts.version_of(facts.dynamic_symbols[2]), nullptr);
  ASSERT_EQ(facts.observations.size(), 1u);
  EXPECT_NE(facts.observations[0].find("no version record has"), std::string::npos);
}

TEST(Elf, MipsTellsItsSymbolCount) {
  ElfWriter w;
  w.is_64 = false;
  w.endian = Endian::big;
  w.machine = 8;
  w.gnu_hash = false;
  w.sections = false;
  w.symbols = {{"a"}, {"b"}};
  w.numbers = {{0x70000011, 3}};
  const auto facts = read_elf("lib.so", w.build());
  ASSERT_TRUE(facts.ok()) << facts.error().message();
  EXPECT_EQ(facts->dynamic_symbols.size(), 2u);
  EXPECT_TRUE(facts->observations.empty());
}

}  // namespace
}  // namespace wheelcheck
