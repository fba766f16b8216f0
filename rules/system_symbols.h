#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/platform_policy.h"
#include "verifier/core/result.h"
#include "verifier/elf/facts.h"

namespace wheelcheck {

/// The symbols of the C library and of GCC's libraries on one machine, each with the version that
/// brought it. Read from rules/policy/system_symbols.txt, whose maker says how it is written.
class SystemSymbols {
 public:
  struct Version {
    std::string name;  ///< "GLIBC_2.17"; "Base": those that have none
    std::vector<std::string_view> symbols;
  };
  struct Library {
    std::string name;
    std::vector<std::string> needed;
    std::vector<Version> versions;  ///< oldest first
  };

  /// One for each machine.
  [[nodiscard]] static Result<std::vector<SystemSymbols>> parse(std::string_view text);
  /// The tables that are built in, read when they are first asked for. Null: nothing is known of
  /// that machine.
  [[nodiscard]] static const SystemSymbols* built_in(std::string_view machine);

  [[nodiscard]] const std::string& machine() const { return machine_; }  ///< "x86_64"
  /// Nothing is known of a newer glibc's symbols.
  [[nodiscard]] int glibc_minor() const { return glibc_minor_; }
  [[nodiscard]] const std::vector<Library>& libraries() const { return libraries_; }
  [[nodiscard]] const Library* find(std::string_view library) const;
  /// The oldest version under which the library has the symbol; empty: it has not.
  [[nodiscard]] std::string_view since(std::string_view library, std::string_view symbol) const;

 private:
  friend class SystemSymbolsReader;

  std::string machine_;
  int glibc_minor_ = 0;
  std::vector<Library> libraries_;
  std::shared_ptr<const std::string> names_;  ///< of all symbols
};

/// The same libraries as facts, as a loader would find them on some system. Made when asked for.
class SystemLibraries {
 public:
  /// `policy` null: the newest system that the table knows; else one that has no more than the
  /// platform tag promises.
  SystemLibraries(const SystemSymbols& symbols, const PlatformPolicy* policy)
      : symbols_(symbols), policy_(policy) {}

  /// Null: nothing is known of that library.
  [[nodiscard]] const ElfFacts* find(std::string_view library);

 private:
  const SystemSymbols& symbols_;
  const PlatformPolicy* policy_;
  std::map<std::string, std::unique_ptr<ElfFacts>, std::less<>> made_;
};

/// Whether the table speaks of the systems of a platform tag.
[[nodiscard]] bool knows_symbols_of(const SystemSymbols& symbols, const PlatformPolicy& policy);

/// The oldest distribution on which a version is there ("RHEL 9" for "GLIBC_2.34"); empty: none is
/// known. From rules/policy/systems.json.
[[nodiscard]] std::string oldest_system(std::string_view version);

/// "12" < "2.2.5"? Compares the numbers of a version name one by one.
[[nodiscard]] bool version_less(std::string_view a, std::string_view b);

}  // namespace wheelcheck
