// GPU architectures. A cubin for sm_XY runs on the same major with a minor of at least Y; PTX is
// compiled for anything newer; a variant ("sm_90a") runs on its one chip only, even as PTX.

#include <algorithm>
#include <map>
#include <set>

#include "rules/cuda_judges.h"
#include "rules/glob.h"
#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

using Archs = std::set<std::uint32_t>;

std::string list(const Archs& archs, const char* prefix = "sm_") {
  std::vector<std::string> names;
  for (const std::uint32_t arch : archs) names.push_back(prefix + std::to_string(arch));
  return join(names, ", ", 20);
}

struct Held {
  const MemberFacts* member = nullptr;
  Archs cubins;          ///< without variants
  Archs ptx;             ///< likewise
  Archs variant_cubins;  ///< "sm_90a" as 90
};

/// Files with device code, per file: a union over files hides the one that lacks something.
std::vector<Held> files_with_code(const WheelFacts& wheel) {
  std::vector<Held> files;
  for (const MemberFacts& member : wheel.members) {
    if (!member.fatbin || member.fatbin->entries.empty()) continue;
    Held held;
    held.member = &member;
    for (const DeviceCode& code : member.fatbin->entries) {
      if (code.kind == DeviceCodeKind::ptx && code.variant == '\0') held.ptx.insert(code.arch);
      if (code.kind != DeviceCodeKind::cubin) continue;
      (code.variant == '\0' ? held.cubins : held.variant_cubins).insert(code.arch);
    }
    files.push_back(std::move(held));
  }
  return files;
}

/// What the train promises on the machine of the wheel; empty where nothing is promised.
struct Promise {
  const Train* train = nullptr;
  Archs archs;
};
Promise promised(const WheelContext& context) {
  Promise promise;
  if (!context.profile.trains) return promise;
  promise.train = label_of(context).train;
  if (promise.train == nullptr) return promise;
  for (const Platform& platform : platforms_of(context.wheel)) {
    const auto found = promise.train->architectures.find(platform.arch);
    if (found == promise.train->architectures.end()) continue;
    promise.archs.insert(found->second.begin(), found->second.end());
  }
  return promise;
}

bool runs_on(const Held& held, std::uint32_t arch) {
  const auto same_major = [&](std::uint32_t cubin) {
    return cubin / 10 == arch / 10 && cubin <= arch;
  };
  return std::any_of(held.cubins.begin(), held.cubins.end(), same_major) ||
         held.variant_cubins.contains(arch) ||
         std::any_of(held.ptx.begin(), held.ptx.end(),
                     [&](std::uint32_t ptx) { return ptx <= arch; });
}

}  // namespace

std::vector<Finding> judge_device_missing(const WheelContext& context, const CatalogueRow& row) {
  const Promise promise = promised(context);
  std::vector<Finding> findings;
  if (promise.archs.empty()) return findings;
  for (const Held& held : files_with_code(context.wheel)) {
    Archs missing;
    for (const std::uint32_t arch : promise.archs) {
      if (!held.cubins.contains(arch)) missing.insert(arch);
    }
    if (missing.empty()) continue;
    findings.push_back(make_finding(row, held.member->entry.path, list(missing),
                                    "has machine code for " + list(held.cubins) + "; " +
                                        promise.train->label + " promises also " + list(missing)));
  }
  return findings;
}

std::vector<Finding> judge_device_extra(const WheelContext& context, const CatalogueRow& row) {
  const Promise promise = promised(context);
  std::vector<Finding> findings;
  if (promise.archs.empty()) return findings;
  for (const Held& held : files_with_code(context.wheel)) {
    Archs extra;
    for (const Archs& archs : {held.cubins, held.variant_cubins}) {
      for (const std::uint32_t arch : archs) {
        if (!promise.archs.contains(arch)) extra.insert(arch);
      }
    }
    if (extra.empty()) continue;
    findings.push_back(make_finding(row, held.member->entry.path, list(extra),
                                    "has machine code for " + list(extra) + ", which " +
                                        promise.train->label + " does not name"));
  }
  return findings;
}

std::vector<Finding> judge_ptx(const WheelContext& context, const CatalogueRow& row) {
  const Promise promise = promised(context);
  std::vector<Finding> findings;
  if (promise.archs.empty()) return findings;
  const std::uint32_t newest = *promise.archs.rbegin();
  for (const Held& held : files_with_code(context.wheel)) {
    if (held.ptx == Archs{newest}) continue;
    const std::string wanted = "compute_" + std::to_string(newest);
    findings.push_back(make_finding(
        row, held.member->entry.path, wanted,
        (held.ptx.empty() ? "has no portable code (PTX)"
                          : "has portable code (PTX) for " + list(held.ptx, "compute_")) +
            "; " + promise.train->label + " means " + wanted + " and nothing else"));
  }
  return findings;
}

std::vector<Finding> judge_toolkit(const WheelContext& context, const CatalogueRow& row) {
  const Promise promise = promised(context);
  std::vector<Finding> findings;
  if (promise.train == nullptr) return findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.fatbin) continue;
    std::set<std::string> others;
    for (const DeviceCode& code : member.fatbin->entries) {
      if (!code.toolkit.empty() && code.toolkit != promise.train->version()) {
        others.insert(code.toolkit);
      }
    }
    if (others.empty()) continue;
    findings.push_back(
        make_finding(row, member.entry.path, *others.begin(),
                     "was compiled by the toolkit of CUDA " +
                         join(std::vector<std::string>(others.begin(), others.end())) + ", " +
                         label_of(context).words + " means " + promise.train->version()));
  }
  return findings;
}

std::vector<Finding> judge_toolkit_unknown(const WheelContext& context, const CatalogueRow& row) {
  const Promise promise = promised(context);
  std::vector<Finding> findings;
  if (promise.train == nullptr) return findings;
  for (const Held& held : files_with_code(context.wheel)) {
    const auto& entries = held.member->fatbin->entries;
    const bool known = std::any_of(entries.begin(), entries.end(),
                                   [](const DeviceCode& code) { return !code.toolkit.empty(); });
    if (known) continue;
    findings.push_back(make_finding(row, held.member->entry.path, "toolkit",
                                    "does not tell which toolkit compiled its device code, so the "
                                    "minor of " +
                                        promise.train->label + " was not checked"));
  }
  return findings;
}

std::vector<Finding> judge_fatbin_unknown(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.fatbin || member.fatbin->unknown.empty()) continue;
    // Where architectures are promised, code that cannot be read is code that was not checked.
    const Level level = promised(context).archs.empty() ? Level::warning : Level::error;
    findings.push_back(make_finding(
        row, level, member.entry.path, "fat binary",
        "holds device code of an unknown layout: " + join(member.fatbin->unknown, "; ", 3)));
  }
  return findings;
}

std::vector<Finding> judge_device_absent(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (promised(context).train == nullptr) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!matches_any(context.profile.device_code, installed_path(*member))) continue;
    if (member->fatbin && member->fatbin->any()) continue;
    findings.push_back(
        make_finding(row, member->entry.path, ".nv_fatbin", "holds no device code at all"));
  }
  return findings;
}

std::vector<Finding> judge_device_uneven(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!promised(context).archs.empty()) return findings;  // judged against the promise instead
  std::vector<Held> files;
  Archs all;
  for (Held& held : files_with_code(context.wheel)) {
    if (is_cuda_alternate(context, *held.member)) continue;
    all.insert(held.cubins.begin(), held.cubins.end());
    all.insert(held.variant_cubins.begin(), held.variant_cubins.end());
    files.push_back(std::move(held));
  }
  if (files.size() < 2 || all.empty()) return findings;
  const std::uint32_t newest = *all.rbegin();
  for (const Held& held : files) {
    if (runs_on(held, newest)) continue;
    Archs own = held.cubins;
    own.insert(held.variant_cubins.begin(), held.variant_cubins.end());
    findings.push_back(make_finding(row, held.member->entry.path, "sm_" + std::to_string(newest),
                                    "has code for " + list(own) + ", none of which runs on sm_" +
                                        std::to_string(newest) +
                                        ", for which other files of the wheel have code"));
  }
  return findings;
}

}  // namespace wheelcheck
