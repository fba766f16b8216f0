#include "verifier/loader/symbols.h"

#include <gtest/gtest.h>

#include "rules/testing.h"

namespace wheelcheck {
namespace {

using testing::Elf;

constexpr GlibcVersion kOld{2, 17};
constexpr GlibcVersion kNew{2, 36};

/// One process: the object that asks comes first.
class Scope {
 public:
  explicit Scope(const Elf& asker) { add("asker", asker); }
  Scope& add(const std::string& name, const Elf& elf) {
    objects_.push_back({&elf.facts(), {name}});
    return *this;
  }
  Scope& add_unknown(const std::string& name) {
    objects_.push_back({nullptr, {name}});
    return *this;
  }
  /// Of the asker's first reference.
  Binding bind(GlibcVersion glibc = kNew, LoaderKind loader = LoaderKind::glibc) const {
    ExportTables tables;
    const SymbolScope scope(loader, glibc, objects_, tables);
    const ElfFacts& asker = *objects_.front().elf;
    for (const ElfSymbol& symbol : asker.dynamic_symbols) {
      if (is_reference(asker, symbol)) return scope.look_up(asker, symbol);
    }
    ADD_FAILURE() << "the asker refers to nothing";
    return {};
  }
  std::vector<MissingVersion> versions(LoaderKind loader = LoaderKind::glibc) const {
    ExportTables tables;
    const SymbolScope scope(loader, kNew, objects_, tables);
    return missing_versions(*objects_.front().elf, scope, loader);
  }

 private:
  std::vector<SymbolObject> objects_;
};

bool is_bound_to(const Binding& binding, std::size_t object) {
  return binding.kind == BindingKind::bound && binding.object == object;
}

TEST(SymbolLookup, TheFirstDefinerInTheScopeServes) {
  const Elf asker = Elf().imports("f");
  const Elf other = Elf().defines("g");
  const Elf weak = Elf().defines("f", SymbolBinding::weak);
  const Elf strong = Elf().defines("f");
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", other).add("b", weak).add("c", strong).bind(), 2));
}

TEST(SymbolLookup, NobodyDefinesIt) {
  const Elf other = Elf().defines("ff").defines("f_");
  const Elf strong = Elf().imports("f");
  const Elf weak = Elf().imports("f", SymbolBinding::weak);
  EXPECT_EQ(Scope(strong).add("a", other).bind().kind, BindingKind::undefined);
  EXPECT_EQ(Scope(weak).add("a", other).bind().kind, BindingKind::optional);
}

TEST(SymbolLookup, WhatIsNotKnownMayDefineIt) {
  const Elf asker = Elf().imports("f");
  const Binding binding = Scope(asker).add_unknown("a").bind();
  EXPECT_EQ(binding.kind, BindingKind::unknown);
  EXPECT_EQ(binding.object, 1U);
}

TEST(SymbolLookup, HiddenDefinitionsServeNobody) {
  const Elf asker = Elf().imports("f");
  const Elf hidden = Elf().defines("f").visible_as(SymbolVisibility::hidden);
  const Elf protected_one = Elf().defines("f").visible_as(SymbolVisibility::protected_);
  EXPECT_EQ(Scope(asker).add("a", hidden).bind().kind, BindingKind::undefined);
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", hidden).add("b", protected_one).bind(), 2));
}

TEST(SymbolLookup, SymbolsThatNoRelocationNamesAreNotLookedFor) {
  // GCC 13 puts such a mark of the C++ library into whatever includes <iostream>.
  const Elf asker = Elf().imports("_ZSt21ios_base_library_initv").unreferenced().imports("f");
  const Elf other = Elf().defines("f");
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", other).bind(), 1));
}

TEST(SymbolVersions, OnlyTheVersionThatIsWantedServes) {
  const Elf asker = Elf().needs_version("V2", "a").imports("f").versioned();
  const Elf first = Elf().defines_version("V1").defines("f").versioned();
  const Elf second = Elf()
                         .defines_version("V1")
                         .defines("f")
                         .versioned(true)
                         .defines_version("V2")
                         .defines("f")
                         .versioned(true);
  EXPECT_EQ(Scope(asker).add("a", first).bind().kind, BindingKind::undefined);
  EXPECT_TRUE(is_bound_to(Scope(asker).add("x", first).add("a", second).bind(), 2));
}

TEST(SymbolVersions, ADefinitionWithoutVersionServesAny) {
  const Elf asker = Elf().needs_version("V2", "a").imports("f").versioned();
  const Elf plain = Elf().defines("f");
  EXPECT_EQ(Scope(asker).add("a", plain).bind().kind, BindingKind::no_versions)
      << "but for the file that the version is wanted of";
  const Elf base = Elf().defines_version("V1").defines("g").versioned().defines("f");
  EXPECT_TRUE(is_bound_to(Scope(asker).add("b", plain).bind(), 1));
  EXPECT_TRUE(is_bound_to(Scope(asker).add("b", base).bind(), 1));
}

TEST(SymbolVersions, BeforeGlibc230TheFileOfTheVersionDecides) {
  const Elf asker = Elf().needs_version("V1", "libc").imports("f").versioned();
  const Elf libc = Elf().defines_version("V1").defines("g").versioned();
  const Elf libm = Elf().defines_version("V1").defines("f").versioned();
  EXPECT_EQ(Scope(asker).add("libc", libc).add("libm", libm).bind(kOld).kind,
            BindingKind::not_in_file);
  EXPECT_TRUE(is_bound_to(Scope(asker).add("libm", libm).add("libc", libc).bind(kOld), 1));
  EXPECT_TRUE(is_bound_to(Scope(asker).add("libc", libc).add("libm", libm).bind(kNew), 2));
  EXPECT_EQ(Scope(asker).add_unknown("x").add("libc", libc).bind(kOld).kind, BindingKind::unknown);
}

TEST(SymbolVersions, AReferenceWithoutVersionTakesTheOldestOrTheOnlyDefault) {
  const Elf asker = Elf().imports("f");
  const Elf oldest = Elf().defines_version("V1").defines("f").versioned(true);
  const Elf later =
      Elf().defines_version("V1").defines("g").versioned().defines_version("V2").defines("f");
  Elf default_later = later;
  default_later.versioned();
  Elf hidden_later = later;
  hidden_later.versioned(true);
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", oldest).bind(), 1));
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", default_later).bind(), 1));
  EXPECT_EQ(Scope(asker).add("a", hidden_later).bind().kind, BindingKind::undefined);
}

TEST(SymbolVersions, MuslAsksForNoVersionButPassesOverHiddenOnes) {
  Elf asker = Elf().needs_version("V2", "a").imports("f").versioned();
  Elf shown = Elf().defines_version("V1").defines("f").versioned();
  shown.facts().dynamic_symbols.back().value = 0x1000;
  Elf hidden = Elf().defines_version("V1").defines("f").versioned(true);
  hidden.facts().dynamic_symbols.back().value = 0x1000;
  EXPECT_TRUE(is_bound_to(Scope(asker).add("a", shown).bind(kNew, LoaderKind::musl), 1));
  EXPECT_EQ(Scope(asker).add("a", hidden).bind(kNew, LoaderKind::musl).kind,
            BindingKind::undefined);
  EXPECT_TRUE(Scope(asker).add("a", shown).versions(LoaderKind::musl).empty());
}

TEST(VersionNeeds, AVersionThatTheFileLacksIsFatalUnlessWeak) {
  const Elf asker = Elf().needs_version("V2", "a");
  const Elf weakly = Elf().needs_version("V2", "a", true);
  const Elf first = Elf().defines_version("V1");
  const Elf both = Elf().defines_version("V1").defines_version("V2");
  const Elf without = Elf().defines("f");
  const auto missing = Scope(asker).add("a", first).versions();
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].object, 1U);
  EXPECT_TRUE(Scope(weakly).add("a", first).versions().empty());
  EXPECT_TRUE(Scope(asker).add("a", both).versions().empty());
  EXPECT_TRUE(Scope(asker).add("a", without).versions().empty()) << "defines no versions at all";
  EXPECT_TRUE(Scope(asker).add("b", first).versions().empty()) << "another file";
  EXPECT_TRUE(Scope(asker).add_unknown("a").versions().empty());
}

}  // namespace
}  // namespace wheelcheck
