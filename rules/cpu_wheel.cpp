// A CPU wheel carries nothing of CUDA. What a CPU wheel is, the profile says.

#include <algorithm>
#include <set>

#include "rules/cuda_judges.h"
#include "rules/glob.h"
#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

enum class CudaFile { none, library, header, import_library };

/// Headers of the toolkit itself. Headers that merely name them, or that are called after CUDA,
/// are in many CPU packages and do no harm.
bool is_toolkit_header(std::string_view name) {
  static const std::set<std::string, std::less<>> kHeaders = {
      "cuda.h",       "cuda_runtime.h",  "cuda_runtime_api.h", "cuda_fp16.h",
      "cuda_bf16.h",  "cublas_v2.h",     "cublasLt.h",         "cudnn.h",
      "nvrtc.h",      "curand_kernel.h", "cusparse.h",         "cufft.h",
      "cusolverDn.h", "nccl.h"};
  return kHeaders.contains(name);
}

CudaFile kind_of(const WheelContext& context, const MemberFacts& member) {
  if (member.entry.is_directory()) return CudaFile::none;
  const std::string& path = installed_path(member);
  const std::string_view name = base_name(path);
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  const bool header = ends(".h") || ends(".hpp") || ends(".cuh") || ends(".inl");
  const bool import_library = member.kind == ContentKind::coff_import || ends(".lib");
  const bool listed = matches_any(context.profile.cuda_only, path);
  if (header) return listed || is_toolkit_header(name) ? CudaFile::header : CudaFile::none;
  const bool cuda = listed || context.policy.trains.is_cuda_library(name);
  if (!cuda) return CudaFile::none;
  return import_library ? CudaFile::import_library : CudaFile::library;
}

std::string because(const WheelContext& context) {
  const CudaLabel label = label_of(context);
  if (label.kind == LabelKind::cpu) return "a wheel labelled " + label.text;
  return "a wheel without a CUDA label, which is a CPU wheel of this package";
}

std::vector<Finding> files_of_kind(const WheelContext& context, const CatalogueRow& row,
                                   CudaFile kind, const std::string& noun) {
  std::vector<Finding> findings;
  if (!is_cpu_wheel(context)) return findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (kind_of(context, member) != kind) continue;
    // Before the layout was promised, the import library was part of every wheel.
    const bool was_promised =
        kind != CudaFile::import_library || layout_applies(context.profile, context.wheel);
    findings.push_back(make_finding(row, was_promised ? Level::error : Level::warning,
                                    member.entry.path, std::string(base_name(member.entry.path)),
                                    "is " + noun + " in " + because(context)));
  }
  return findings;
}

}  // namespace

std::vector<Finding> judge_cpu_library(const WheelContext& context, const CatalogueRow& row) {
  return files_of_kind(context, row, CudaFile::library, "a CUDA library");
}

std::vector<Finding> judge_cpu_header(const WheelContext& context, const CatalogueRow& row) {
  return files_of_kind(context, row, CudaFile::header, "a header for CUDA");
}

std::vector<Finding> judge_cpu_import_library(const WheelContext& context,
                                              const CatalogueRow& row) {
  return files_of_kind(context, row, CudaFile::import_library, "an import library of CUDA code");
}

std::vector<Finding> judge_cpu_device_code(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!is_cpu_wheel(context)) return findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.fatbin || !member.fatbin->any()) continue;
    findings.push_back(
        make_finding(row, member.entry.path, std::string(base_name(member.entry.path)),
                     "holds device code (" + counted(member.fatbin->containers, "fat binary") +
                         ") in " + because(context)));
  }
  return findings;
}

std::vector<Finding> judge_cpu_need(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!is_cpu_wheel(context)) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    for (const std::string& name : member->elf->needed) {
      if (!context.policy.trains.is_cuda_library(name)) continue;
      Finding finding =
          make_finding(row, member->entry.path, name, "needs " + name + " in " + because(context));
      finding.needed_by.push_back(member->entry.path);
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

std::vector<Finding> judge_cpu_requirement(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!is_cpu_wheel(context) || !context.wheel.metadata) return findings;
  for (const Requirement& requirement : context.wheel.metadata->requires_dist) {
    const std::string& name = requirement.normalised;
    const bool cuda = context.policy.trains.family_of_package(name) != nullptr ||
                      (name.starts_with("nvidia-") && name != "nvidia-ml-py");
    // An extra is how a CPU package offers more to those who ask for it.
    if (!cuda || !is_effective(context.wheel, requirement)) continue;
    findings.push_back(make_finding(row, context.wheel.dist_info + "/METADATA", name,
                                    "requires " + requirement.text + " in " + because(context)));
  }
  return findings;
}

std::vector<Finding> judge_cpu_static_runtime(const WheelContext& context,
                                              const CatalogueRow& row) {
  std::vector<Finding> findings;
  if (!is_cpu_wheel(context)) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!has_static_runtime(*member)) continue;
    findings.push_back(
        make_finding(row, member->entry.path, "cudaMalloc",
                     "contains the CUDA runtime, linked statically, in " + because(context)));
  }
  return findings;
}

}  // namespace wheelcheck
