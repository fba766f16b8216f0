#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Symbols that must have one definer, and the right one.
struct SymbolGroup {
  std::string name;                  ///< "caller-stream-state"
  std::string what;                  ///< what breaks with two: goes into the finding
  std::vector<std::string> owners;   ///< member globs, any of which is the right definer
  std::vector<std::string> symbols;  ///< exact dynamic symbol names, mangled
  std::vector<std::string>
      exempt;            ///< member globs whose own copy is allowed (see wheel-facts, check 8)
  bool complete = true;  ///< all of `symbols` or none
  bool strong = true;    ///< a weak definition does not count as the owner
};

/// A distribution that is expected to be present although the wheel does not require it.
struct Host {
  std::string distribution;  ///< "torch"
  std::string reason;        ///< shown with the finding
};

/// What "CPU wheel" means for a package that exists in both kinds.
enum class CpuMeaning {
  by_label,    ///< generic: only a "+cpu" label makes the promise
  unless_cuda  ///< no CUDA label means a CPU wheel, whatever else the label says
};

/// What is expected of a kind of package. Chosen by name and content, shown in the report.
struct Profile {
  std::string name;                           ///< "generic", "executorch-upstream", "executorch"
  std::string chosen_because;                 ///< filled when it is chosen
  std::vector<std::string> distributions;     ///< normalised names it is for; empty: any
  std::vector<std::string> requires_members;  ///< globs that must all match a member
  std::vector<Host> hosts;
  std::vector<SymbolGroup> groups;
  CpuMeaning cpu = CpuMeaning::by_label;
  std::vector<std::string> optional_plugins;  ///< member globs that may fail to load by design
  std::vector<std::string> alternates;        ///< member globs of which one is loaded
};

}  // namespace wheelcheck
