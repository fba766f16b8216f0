// Files that the system's compiler and linker make: what they do is what must be understood.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <stdlib.h>

#include "verifier/elf/collector.h"
#include "verifier/elf/dump.h"

namespace wheelcheck {
namespace {

namespace fs = std::filesystem;

class Compiled : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "elf_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Builds `source` and returns the file's bytes.
  std::vector<std::byte> build(const std::string& source, const std::string& options) {
    std::ofstream(folder_ / "in.cpp") << source;
    std::ofstream(folder_ / "versions.map")
        << "V1 { global: api; }; V2 { global: next; local: *; } V1;\n";
    const std::string command = "cd " + folder_.string() + " && " CXX_COMPILER " -fPIC -o out " +
                                options + " -x c++ in.cpp 2>errors";
    const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): our own command
    EXPECT_EQ(status, 0) << read(folder_ / "errors").size() << " bytes of errors: " << command;
    const std::string raw = read(folder_ / "out");
    const Bytes bytes = as_bytes(raw);
    return {bytes.begin(), bytes.end()};
  }
  static std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  static ElfFacts facts_of(const std::vector<std::byte>& file) {
    auto facts = read_elf("out", file);
    EXPECT_TRUE(facts.ok()) << facts.error().message();
    return facts.ok() ? *std::move(facts) : ElfFacts{};
  }
  static const ElfSymbol* symbol(const ElfFacts& facts, std::string_view name) {
    const auto found = std::find_if(facts.dynamic_symbols.begin(), facts.dynamic_symbols.end(),
                                    [&](const ElfSymbol& s) { return facts.name(s) == name; });
    return found == facts.dynamic_symbols.end() ? nullptr : &*found;
  }
  // The file without section headers, as thorough strippers leave it.
  static std::vector<std::byte> without_sections(std::vector<std::byte> file) {
    if (file.size() < 64) return file;                // build() has complained
    std::fill_n(file.begin() + 40, 8, std::byte{0});  // e_shoff
    std::fill_n(file.begin() + 58, 6, std::byte{0});  // e_shentsize, e_shnum, e_shstrndx
    return file;
  }

  fs::path folder_;
};

constexpr const char* kLibrary = R"(
  #include <cstdlib>
  extern "C" {
  int api(int x) { return std::abs(x) + std::rand(); }
  int next() { return 2; }
  __attribute__((weak)) int hook() { return 3; }
  __attribute__((visibility("protected"))) int guarded = 4;
  thread_local int state = 5;
  static int choose_impl() { return 6; }
  auto pick() -> int (*)() { return choose_impl; }
  int chosen() __attribute__((ifunc("pick")));
  }
  template <class T> struct Once { static T value; };
  template <class T> T Once<T>::value = 7;
  int use() { return Once<int>::value; }
)";

constexpr const char* kIfuncFree = R"(
  #include <cstdlib>
  extern "C" { int api(int x) { return std::abs(x) + std::rand(); } int next() { return 2; } }
)";

// Imports what it uses, exports nothing by itself where visibility is hidden.
constexpr const char* kUser = R"(
  extern "C" __attribute__((visibility("default"))) int rand();
  int use() { return rand(); }
)";

TEST_F(Compiled, LibrariesShowNamesPathsAndSymbols) {
  const ElfFacts facts = facts_of(build(
      kLibrary,
      "-shared -g -Wl,-soname,libout.so.1 -Wl,-rpath,'$ORIGIN/../x:' -Wl,--enable-new-dtags"));
  EXPECT_EQ(facts.soname, "libout.so.1");
  EXPECT_EQ(facts.runpath, "$ORIGIN/../x:");
  EXPECT_FALSE(facts.rpath);
  EXPECT_NE(std::find(facts.needed.begin(), facts.needed.end(), "libc.so.6"), facts.needed.end());
  EXPECT_TRUE(facts.stack_flags);
  EXPECT_GE(facts.tls_size.value_or(0), 4u);
  ASSERT_NE(symbol(facts, "hook"), nullptr);
  EXPECT_EQ(symbol(facts, "hook")->binding, SymbolBinding::weak);
  ASSERT_NE(symbol(facts, "guarded"), nullptr);
  EXPECT_EQ(symbol(facts, "guarded")->visibility, SymbolVisibility::protected_);
  EXPECT_EQ(symbol(facts, "guarded")->size, 4u);
  ASSERT_NE(symbol(facts, "state"), nullptr);
  EXPECT_EQ(symbol(facts, "state")->type, SymbolType::tls);
  ASSERT_NE(symbol(facts, "chosen"), nullptr);
  EXPECT_EQ(symbol(facts, "chosen")->type, SymbolType::ifunc);
  ASSERT_NE(symbol(facts, "rand"), nullptr);
  EXPECT_FALSE(symbol(facts, "rand")->defined);
  ASSERT_NE(facts.version_of(*symbol(facts, "rand")), nullptr);
  EXPECT_EQ(facts.version_of(*symbol(facts, "rand"))->file, "libc.so.6");
  EXPECT_TRUE(facts.version_of(*symbol(facts, "rand"))->name.starts_with("GLIBC_2."));
  EXPECT_EQ(facts.symtab, SymtabState::read);
  EXPECT_TRUE(
      std::any_of(facts.local_symbols.begin(), facts.local_symbols.end(), [&](const ElfSymbol& s) {
        return facts.local_name(s).find("choose_impl") != std::string_view::npos;
      }));
  EXPECT_TRUE(facts.observations.empty());
}

#if defined(__GNUC__) && !defined(__clang__)
TEST_F(Compiled, StaticMembersOfTemplatesAreUnique) {
  const ElfFacts facts = facts_of(build(kLibrary, "-shared"));
  const ElfSymbol* value = symbol(facts, "_ZN4OnceIiE5valueE");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->binding, SymbolBinding::gnu_unique);
}
#endif

TEST_F(Compiled, RpathAndRunpathAreKeptApart) {
  const ElfFacts facts =
      facts_of(build(kLibrary, "-shared -Wl,-rpath,/opt/x -Wl,--disable-new-dtags"));
  EXPECT_EQ(facts.rpath, "/opt/x");
  EXPECT_FALSE(facts.runpath);
}

TEST_F(Compiled, DefinedVersionsAreRead) {
  const ElfFacts facts =
      facts_of(build(kIfuncFree, "-shared -Wl,--version-script,versions.map -Wl,-soname,libv.so"));
  ASSERT_NE(symbol(facts, "next"), nullptr);
  ASSERT_NE(facts.version_of(*symbol(facts, "next")), nullptr);
  EXPECT_EQ(facts.version_of(*symbol(facts, "next"))->name, "V2");
  EXPECT_EQ(facts.version_of(*symbol(facts, "api"))->name, "V1");
  EXPECT_TRUE(std::any_of(facts.versions.begin(), facts.versions.end(),
                          [](const ElfVersion& v) { return v.base && v.name == "libv.so"; }));
}

TEST_F(Compiled, SymbolsAreTheSameWithAnyHashAndWithoutSections) {
  for (const char* style : {"gnu", "sysv", "both"}) {
    const auto file = build(kLibrary, std::string("-shared -Wl,--hash-style=") + style);
    const ElfFacts with = facts_of(file);
    const ElfFacts without = facts_of(without_sections(file));
    ASSERT_GT(with.dynamic_symbols.size(), 8u);
    ASSERT_EQ(with.dynamic_symbols.size(), without.dynamic_symbols.size()) << style;
    EXPECT_TRUE(without.sections.empty());
    EXPECT_TRUE(without.observations.empty()) << without.observations.front();
  }
}

// The GNU hash table of a file that exports nothing is empty, and counts nothing.
TEST_F(Compiled, FilesThatExportNothingKeepTheirImports) {
  const auto file = build(std::string("#pragma GCC visibility push(hidden)\n") + kUser,
                          "-shared -Wl,--hash-style=gnu");
  const ElfFacts with = facts_of(file);
  ASSERT_NE(symbol(with, "rand"), nullptr);
  const ElfFacts without = facts_of(without_sections(file));
  EXPECT_EQ(without.dynamic_symbols.size(), with.dynamic_symbols.size());
  EXPECT_EQ(without.observations.size(), 1u) << "the count came from elsewhere, and is told";
}

TEST_F(Compiled, ProgramsHaveAnInterpreter) {
  const auto file = build(std::string(kUser) + "int main() { return use(); }", "-pie");
  const ElfFacts with = facts_of(file);
  EXPECT_TRUE(with.interpreter.has_value());
  EXPECT_NE(with.dt_flags_1 & 0x8000000, 0u);
  EXPECT_NE(symbol(with, "rand"), nullptr);
  const ElfFacts without = facts_of(without_sections(file));
  EXPECT_EQ(without.dynamic_symbols.size(), with.dynamic_symbols.size());
}

TEST_F(Compiled, RelocatableFilesHaveSectionsAndLocalSymbols) {
  const ElfFacts facts = facts_of(build(kLibrary, "-c"));
  EXPECT_EQ(facts.type, 1);
  EXPECT_FALSE(facts.loadable());
  EXPECT_FALSE(facts.has_dynamic);
  EXPECT_NE(facts.section(".text"), nullptr);
  EXPECT_EQ(facts.symtab, SymtabState::read);
  EXPECT_FALSE(facts.local_symbols.empty());
}

TEST_F(Compiled, StrippedFilesHaveNoSymtab) {
  const ElfFacts facts = facts_of(build(kLibrary, "-shared -s"));
  EXPECT_EQ(facts.symtab, SymtabState::absent);
  EXPECT_TRUE(facts.local_symbols.empty());
  EXPECT_NE(symbol(facts, "api"), nullptr);
}

TEST_F(Compiled, SymbolsThatNoRelocationNames) {
  const auto file = build(
      "asm(\".globl mark\\n\"); extern int data; extern \"C\" int called();\n"
      "int* address = &data; int use() { return called(); }",
      "-shared -O1 -nostdlib");
  const ElfFacts facts = facts_of(file);
  EXPECT_TRUE(facts.references_known);
  ASSERT_NE(symbol(facts, "mark"), nullptr);
  EXPECT_FALSE(symbol(facts, "mark")->referenced);
  EXPECT_FALSE(symbol(facts, "mark")->defined);
  ASSERT_NE(symbol(facts, "data"), nullptr);
  EXPECT_TRUE(symbol(facts, "data")->referenced);
  ASSERT_NE(symbol(facts, "called"), nullptr);
  EXPECT_TRUE(symbol(facts, "called")->referenced) << "through the procedure linkage table";
  EXPECT_TRUE(symbol(facts, "called")->only_called);
  EXPECT_FALSE(symbol(facts, "data")->only_called);

  // The same from a stream, however it is cut.
  for (const std::size_t step : {std::size_t{1}, std::size_t{1000}, file.size()}) {
    ElfCollector collector("out", file.size(), ElfBudget{}, false);
    for (std::size_t at = 0; at < file.size(); at += step) {
      collector.consume(Bytes(file).subspan(at, std::min(step, file.size() - at)));
    }
    ASSERT_EQ(collector.end_pass(), ElfCollector::Next::done);
    const auto streamed = collector.take();
    ASSERT_TRUE(streamed.ok()) << streamed.error().message();
    EXPECT_TRUE(streamed->references_known);
    ASSERT_NE(symbol(*streamed, "mark"), nullptr);
    EXPECT_FALSE(symbol(*streamed, "mark")->referenced);
  }
}

TEST_F(Compiled, RelocationsThatLieNowhereLeaveSymbolsReferenced) {
  auto file = build("extern int data; int* address = &data;", "-shared -nostdlib");
  const ElfFacts before = facts_of(file);
  ASSERT_TRUE(before.references_known);
  const ElfSection* dynamic = before.section(".dynamic");
  ASSERT_NE(dynamic, nullptr);
  for (std::uint64_t at = dynamic->offset; at < dynamic->offset + dynamic->size; at += 16) {
    if (read_at<std::uint64_t>(file, at) == 7) file[at + 15] = std::byte{0x7f};  // DT_RELA
  }
  const ElfFacts facts = facts_of(file);
  EXPECT_FALSE(facts.references_known);
  ASSERT_NE(symbol(facts, "data"), nullptr);
  EXPECT_TRUE(symbol(facts, "data")->referenced);
}

}  // namespace
}  // namespace wheelcheck
