// CUDA libraries in the wheel, and those that are needed together.

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

bool contains_component(std::string_view path, std::string_view component) {
  const std::string padded = "/" + std::string(path);
  return padded.find("/" + std::string(component) + "/") != std::string::npos;
}

/// Packages that exist to ship these libraries.
bool ships_cuda(const WheelFacts& wheel) {
  std::string name;
  if (wheel.metadata) {
    name = normalise_name(wheel.metadata->name);
  } else if (wheel.file_name) {
    name = wheel.file_name->normalised;
  }
  return name.starts_with("nvidia-") || name.starts_with("cuda-");
}

bool requires_family(const WheelFacts& wheel, const CudaFamily& family) {
  return wheel.metadata &&
         std::any_of(wheel.metadata->requires_dist.begin(), wheel.metadata->requires_dist.end(),
                     [&](const Requirement& requirement) {
                       return family.packages.contains(requirement.normalised) &&
                              is_effective(wheel, requirement);
                     });
}

}  // namespace

bool has_static_runtime(const MemberFacts& member) {
  const ElfFacts& elf = *member.elf;
  if (!elf.loadable()) return false;
  // The runtime itself, under whatever hashed name.
  if (base_name(member.entry.path).starts_with("libcudart")) return false;
  if (elf.soname && elf.soname->starts_with("libcudart")) return false;
  const auto is_runtime = [](std::string_view name) {
    return name == "cudaMalloc" || name == "cudaLaunchKernel" || name == "cudaGetDeviceCount" ||
           name == "__cudaRegisterFatBinary";
  };
  // Two of its functions: one alone may be somebody's stand-in.
  std::set<std::string, std::less<>> found;
  for (const ElfSymbol& symbol : elf.dynamic_symbols) {
    if (symbol.defined && is_runtime(elf.name(symbol))) found.emplace(elf.name(symbol));
  }
  for (const ElfSymbol& symbol : elf.local_symbols) {
    if (is_runtime(elf.local_name(symbol))) found.emplace(elf.local_name(symbol));
  }
  return found.size() >= 2 || found.contains("cudaMalloc");
}

std::vector<Finding> judge_vendored_runtime(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (ships_cuda(context.wheel)) return findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.elf) continue;
    const std::string_view name = base_name(member.entry.path);
    const CudaFamily* family = context.policy.trains.family_of_library(name);
    if (family == nullptr) continue;
    Level level = Level::note;
    std::string what = "ships " + std::string(name);
    if (context.profile.trains) {
      level = Level::error;
      what += ", which its requirements are to bring";
    } else if (requires_family(context.wheel, *family)) {
      level = Level::warning;
      what += " and requires a package that brings it too: which one is loaded depends on paths";
    }
    findings.push_back(
        make_finding(row, level, member.entry.path, std::string(name), std::move(what)));
  }
  return findings;
}

std::vector<Finding> judge_driver_bundled(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.elf && member.kind != ContentKind::pe) continue;
    const std::string_view name = base_name(member.entry.path);
    const bool driver = name == "nvcuda.dll" || name.starts_with("libcuda.so") ||
                        name.starts_with("libcuda-") ||
                        ((name.starts_with("libnvidia-") || name.starts_with("libnvcuvid")) &&
                         name.find(".so") != std::string_view::npos);
    if (!driver) continue;
    // A stub answers the linker of those who build against the package; nothing loads it.
    const bool stub = contains_component(member.entry.path, "stubs");
    findings.push_back(make_finding(
        row, stub ? Level::note : Level::error, member.entry.path, std::string(name),
        stub ? "is a stub of a driver library, for linking only" : "is a library of the driver"));
  }
  return findings;
}

std::vector<Finding> judge_static_runtime(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (is_cpu_wheel(context) || ships_cuda(context.wheel)) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!is_library(*member->elf) || !has_static_runtime(*member)) continue;
    findings.push_back(make_finding(row, context.profile.trains ? Level::warning : Level::note,
                                    member->entry.path, "cudaMalloc",
                                    "contains a CUDA runtime of its own, linked statically"));
  }
  return findings;
}

std::vector<Finding> judge_label_without_cuda(const WheelContext& context,
                                              const CatalogueRow& row) {
  const CudaLabel label = label_of(context);
  if (label.kind != LabelKind::cuda) return {};
  for (const MemberFacts& member : context.wheel.members) {
    const std::string_view name = base_name(member.entry.path);
    if (context.policy.trains.is_cuda_library(name)) return {};
    if (member.fatbin && member.fatbin->any()) return {};
    if (member.foreign || member.unread) return {};  // what they hold is not known as well
    if (!member.elf) continue;
    if (has_static_runtime(member)) return {};
    for (const std::string& needed : member.elf->needed) {
      if (context.policy.trains.is_cuda_library(needed)) return {};
      // A package on top of another CUDA package needs that one's libraries instead.
      if (needed.starts_with("libc10_cuda") || needed.starts_with("libtorch_cuda")) return {};
    }
  }
  return {make_finding(
      row, context.profile.trains ? Level::error : Level::warning,
      context.wheel.dist_info + "/METADATA", label.text,
      label.words + " promises CUDA, and no file holds device code or needs a CUDA library")};
}

std::vector<Finding> judge_mixed_majors(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::map<int, std::pair<const MemberFacts*, std::string>> in_wheel;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    std::map<int, std::string> in_file;
    for (const std::string& name : member->elf->needed) {
      const int major = context.policy.trains.major_of_soname(name);
      if (major != 0) in_file.emplace(major, name);
    }
    if (in_file.size() > 1) {
      findings.push_back(make_finding(row, member->entry.path, in_file.rbegin()->second,
                                      "needs " + in_file.begin()->second + " and " +
                                          in_file.rbegin()->second + ": two CUDA majors"));
      continue;
    }
    if (in_file.empty() || is_cuda_alternate(context, *member)) continue;
    in_wheel.try_emplace(in_file.begin()->first, member, in_file.begin()->second);
  }
  if (in_wheel.size() > 1) {
    const auto& [first, first_name] = in_wheel.begin()->second;
    const auto& [last, last_name] = in_wheel.rbegin()->second;
    Finding finding = make_finding(row, Level::warning, last->entry.path, last_name,
                                   "needs " + last_name + ", and " + first->entry.path + " needs " +
                                       first_name + ": files of two CUDA majors in one wheel");
    finding.needed_by = {first->entry.path, last->entry.path};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace wheelcheck
