#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "rules/provider.h"
#include "rules/rule.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {

/// What a NEEDED amounts to: one rule for each kind but the first.
enum class NeedKind {
  fine,
  not_found,      ///< nobody is known to have it
  unreachable,    ///< in the wheel, but no search path leads to it
  no_hop,         ///< a required package has it, but no search path leads there
  luck,           ///< loaded only because of the order in which others name it
  undeclared,     ///< a package that is not required has it
  host,           ///< a package has it that policy expects to be there
  libpython,      ///< the interpreter's own library
  slash,          ///< a path instead of a name
  driver,         ///< the graphics driver's library
  only_an_extra,  ///< a package has it that only an extra brings
  unusable,       ///< what is found there is no library for this file
  preloaded,      ///< a required package has it and loads it when it is imported
  common_system,  ///< on no platform's list, yet on most systems
  surroundings    ///< found only through what the check was told of the machine
};

struct JudgedNeed {
  const ObjectResolution* object = nullptr;
  const Need* need = nullptr;
  NeedKind kind = NeedKind::fine;
  Level level = Level::error;
  std::vector<std::size_t> holders;  ///< files of that name, the ones that matter for the kind
  std::vector<const ProviderRow*> shippers;  ///< packages of the table that would have it
  /// Files of the wheel that seem to be the library under another name, where nothing has the name.
  std::vector<std::size_t> stand_ins;
};

/// Every NEEDED that is not fine, in tree order. Kept in the context.
[[nodiscard]] const std::vector<JudgedNeed>& judge_needs(const Context& context);

/// A plugin that may fail to load without the package failing, or one of several files of which the
/// right one is loaded: by policy, or by the folder in which it lies.
[[nodiscard]] bool may_fail_by_design(const Context& context, std::size_t file);

/// "RUNPATH $ORIGIN/../torch/lib: torch/lib/libtorch.so: no such file", one for each place.
[[nodiscard]] std::vector<std::string> describe_search(const InstallTree& tree, const Need& need);
/// "nvidia-cuda-runtime >=13,<14 (required by torch>=2.11): nvidia/cu13/lib/libcudart.so.13"
[[nodiscard]] std::string describe_holder(const InstallTree& tree, std::size_t file);
[[nodiscard]] std::string describe_shipper(const ProviderRow& row, std::string_view library);
/// The interpreter's own library: "libpython3.12.so.1.0".
[[nodiscard]] bool is_libpython(std::string_view name);
/// A library of NVIDIA's graphics driver, which no package brings.
[[nodiscard]] bool is_driver_library(std::string_view name);
/// What a library is called without the version and the hash that repair tools put behind its
/// name: "libfoo" of "libfoo-1a2b3c4d.so.1.2". Empty: not a library's name.
[[nodiscard]] std::string_view library_stem(std::string_view name);

/// A symbol that the interpreter has, whichever it is.
[[nodiscard]] bool is_symbol_of_interpreter(std::string_view name);

/// The search path entry by which `from` would reach `to`: "$ORIGIN/../../nvidia/cu13/lib".
[[nodiscard]] std::string hop(std::string_view from_file, std::string_view to_file);

}  // namespace wheelcheck
