// Three statements about CUDA: the version's label, the requirements, and what the libraries need.

#include <algorithm>
#include <cctype>
#include <set>

#include "rules/glob.h"
#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

std::string metadata_path(const WheelFacts& wheel) { return wheel.dist_info + "/METADATA"; }

const std::vector<Requirement>& requirements(const WheelFacts& wheel) {
  static const std::vector<Requirement> kNone;
  return wheel.metadata ? wheel.metadata->requires_dist : kNone;
}

/// The train that the wheel promises, where the profile ties label and train.
const Train* promised_train(const WheelContext& context) {
  return context.profile.trains ? label_of(context).train : nullptr;
}

/// The major in a name: "nvidia-cublas-cu12", "transformer-engine-cu12"; 0 without one.
int major_of_name(std::string_view distribution) {
  const auto at = distribution.rfind("-cu");
  if (at == std::string_view::npos) return 0;
  std::string_view digits = distribution.substr(at + 3);
  if (digits.ends_with('x')) digits.remove_suffix(1);  // cupy-cuda12x
  if (digits.starts_with("da")) digits.remove_prefix(2);
  if (digits.size() != 2 || digits[0] != '1') return 0;
  const auto digit = static_cast<unsigned char>(digits[1]);
  return std::isdigit(digit) != 0 ? 10 + (digits[1] - '0') : 0;
}

/// CUDA majors that a requirement's versions allow. Empty: none that is known.
std::set<int> majors_of(const SpecifierSet& specifiers) {
  std::set<int> majors;
  for (int major = 11; major <= 15; ++major) {
    std::vector<std::string> candidates;
    for (const char* tail : {".0", ".0.0", ".9.99", ".99"}) {
      candidates.push_back(std::to_string(major) + tail);
    }
    // An exact pin allows the pinned version only.
    for (const Specifier& clause : specifiers.clauses()) {
      std::string version = clause.version();
      if (version.ends_with(".*")) version.resize(version.size() - 2);
      if (version.starts_with(std::to_string(major) + ".") || version == std::to_string(major)) {
        candidates.push_back(version);
        candidates.push_back(version + ".1");
      }
    }
    for (const std::string& text : candidates) {
      const auto version = Version::parse(text);
      if (version && specifiers.contains(*version)) majors.insert(major);
    }
  }
  return majors;
}

std::set<int> majors_of(const CudaFamily& family, const Requirement& requirement) {
  const auto package = family.packages.find(requirement.normalised);
  if (package != family.packages.end() && package->second != 0) return {package->second};
  return majors_of(requirement.specifiers);
}

const CudaFamily* cudart_family(const WheelContext& context) {
  for (const CudaFamily& family : context.policy.trains.families()) {
    if (family.name == "cudart") return &family;
  }
  return nullptr;
}

std::string bounds_text(const TrainRequirement& requirement) {
  return requirement.name + requirement.specifiers.str() + "; " + requirement.marker;
}

/// Requirements of the CUDA runtime, of any train.
std::vector<const Requirement*> runtime_requirements(const WheelContext& context) {
  std::vector<const Requirement*> found;
  const CudaFamily* family = cudart_family(context);
  for (const Requirement& requirement : requirements(context.wheel)) {
    if (family != nullptr && family->packages.contains(requirement.normalised)) {
      found.push_back(&requirement);
    }
  }
  return found;
}

/// Names in NEEDED and among imported DLLs.
template <class Visit>
void for_each_need(const WheelFacts& wheel, Visit visit) {
  for (const MemberFacts& member : wheel.members) {
    if (member.elf) {
      for (const std::string& name : member.elf->needed) visit(member, name);
    }
    if (!member.foreign) continue;
    for (const ForeignImage& image : member.foreign->images) {
      for (const std::string& name : image.libraries) visit(member, name);
    }
  }
}

}  // namespace

CudaLabel label_of(const WheelContext& context) {
  const WheelFacts& wheel = context.wheel;
  const auto classify = [&](const Version& version) {
    return context.policy.trains.classify(version.local());
  };
  CudaLabel label;
  if (wheel.metadata && wheel.metadata->version) label = classify(*wheel.metadata->version);
  label.words = "the label " + label.text;
  // Where the two differ, which is judged by itself, the one that says something of CUDA counts:
  // the rest of the wheel is then judged once, and not against a label that was lost.
  const bool says = label.kind == LabelKind::cpu || label.kind == LabelKind::cuda;
  if (!says && wheel.file_name && wheel.file_name->version) {
    const CudaLabel named = classify(*wheel.file_name->version);
    if (named.kind != LabelKind::none) {
      const bool lost = wheel.metadata && named.text != label.text;
      label = named;
      label.words = "the label " + label.text;
      if (lost) label.words += " (of the file name; METADATA does not have it)";
    }
  }
  return label;
}

bool is_cpu_wheel(const WheelContext& context) {
  const CudaLabel label = label_of(context);
  if (label.kind == LabelKind::cpu) return true;
  return context.profile.cpu == CpuMeaning::unless_cuda && label.kind != LabelKind::cuda;
}

bool is_effective(const WheelFacts& wheel, const Requirement& requirement) {
  if (!requirement.marker) return true;
  const std::vector<std::string> pythons =
      wheel.file_name ? wheel.file_name->pythons : std::vector<std::string>{"py3"};
  for (const Platform& platform : platforms_of(wheel)) {
    for (const std::string& python : pythons) {
      if (requirement.applies(marker_environment(platform, python), {})) return true;
    }
  }
  return false;
}

bool is_cuda_alternate(const WheelContext& context, const MemberFacts& member) {
  if (matches_any(context.profile.alternates, installed_path(member))) return true;
  // "libbitsandbytes_cuda126.so": the name of the file says for which release it is.
  const std::string_view name = base_name(member.entry.path);
  const auto at = name.find("cuda");
  if (at == std::string_view::npos) return false;
  std::size_t digits = 0;
  while (at + 4 + digits < name.size() &&
         std::isdigit(static_cast<unsigned char>(name[at + 4 + digits])) != 0) {
    ++digits;
  }
  return digits >= 2;
}

std::vector<Finding> judge_label_supported(const WheelContext& context, const CatalogueRow& row) {
  const CudaLabel label = label_of(context);
  if (!context.profile.trains || label.kind != LabelKind::cuda || label.train != nullptr) return {};
  return {make_finding(row, metadata_path(context.wheel), label.text,
                       "\"" + label.text + "\" is no CUDA train: " + label.why +
                           " (supported: " + context.policy.trains.supported() + ")")};
}

std::vector<Finding> judge_requirement_missing(const WheelContext& context,
                                               const CatalogueRow& row) {
  const Train* train = promised_train(context);
  if (train == nullptr || !context.wheel.metadata) return {};
  if (!runtime_requirements(context).empty()) return {};
  return {make_finding(row, metadata_path(context.wheel), train->requirement.name,
                       label_of(context).words + " promises CUDA " + train->version() +
                           ", and nothing requires " + bounds_text(train->requirement))};
}

std::vector<Finding> judge_requirement_wrong(const WheelContext& context, const CatalogueRow& row) {
  const Train* train = promised_train(context);
  if (train == nullptr) return {};
  std::vector<Finding> findings;
  for (const Requirement* requirement : runtime_requirements(context)) {
    std::string what;
    if (requirement->normalised != train->requirement.name) {
      what = "requires " + requirement->text + ", " + label_of(context).words + " means " +
             bounds_text(train->requirement);
    } else if (!(requirement->specifiers == train->requirement.specifiers)) {
      what = (requirement->specifiers.clauses().empty()
                  ? "requires " + requirement->name + " without bounds"
                  : "requires " + requirement->name + requirement->specifiers.str()) +
             ", the bounds for " + train->label + " are " + train->requirement.specifiers.str();
    } else {
      continue;
    }
    findings.push_back(
        make_finding(row, metadata_path(context.wheel), requirement->normalised, std::move(what)));
  }
  return findings;
}

std::vector<Finding> judge_requirement_ineffective(const WheelContext& context,
                                                   const CatalogueRow& row) {
  const Train* train = promised_train(context);
  if (train == nullptr) return {};
  std::vector<Finding> findings;
  const auto all = runtime_requirements(context);
  if (std::any_of(all.begin(), all.end(), [&](const Requirement* requirement) {
        return requirement->normalised == train->requirement.name &&
               is_effective(context.wheel, *requirement);
      })) {
    return findings;
  }
  for (const Requirement* requirement : all) {
    if (requirement->normalised != train->requirement.name) continue;
    findings.push_back(make_finding(row, metadata_path(context.wheel), requirement->normalised,
                                    "\"" + requirement->text + "\" does not hold " +
                                        (requirement->marker && requirement->marker->uses_extra()
                                             ? "without an extra"
                                             : "on the platform of this wheel") +
                                        ", so nothing brings the CUDA runtime"));
  }
  return findings;
}

std::vector<Finding> judge_requirement_unused(const WheelContext& context,
                                              const CatalogueRow& row) {
  const Train* train = promised_train(context);
  if (train == nullptr) return {};
  std::set<std::string> needed;
  for_each_need(context.wheel, [&](const MemberFacts&, const std::string& name) {
    if (const CudaFamily* family = context.policy.trains.family_of_library(name)) {
      needed.insert(family->name);
    }
  });
  std::vector<Finding> findings;
  for (const Requirement& requirement : requirements(context.wheel)) {
    const CudaFamily* family = context.policy.trains.family_of_package(requirement.normalised);
    // The runtime is what the label itself promises.
    if (family == nullptr || family->name == "cudart" || needed.contains(family->name)) continue;
    if (!is_effective(context.wheel, requirement)) continue;
    findings.push_back(make_finding(
        row, metadata_path(context.wheel), requirement.normalised,
        "requires " + requirement.text + ", and no file of the wheel needs its libraries"));
  }
  return findings;
}

std::vector<Finding> judge_requirement_undeclared(const WheelContext& context,
                                                  const CatalogueRow& row) {
  if (promised_train(context) == nullptr) return {};
  std::set<std::string> declared;
  for (const Requirement& requirement : requirements(context.wheel)) {
    const CudaFamily* family = context.policy.trains.family_of_package(requirement.normalised);
    if (family != nullptr && is_effective(context.wheel, requirement)) {
      declared.insert(family->name);
    }
  }
  std::vector<Finding> findings;
  std::set<std::string> seen;
  for_each_need(context.wheel, [&](const MemberFacts& member, const std::string& name) {
    const CudaFamily* family = context.policy.trains.family_of_library(name);
    // What the label promises has rules of its own.
    if (family == nullptr || family->name == "cudart" || declared.contains(family->name)) return;
    if (!seen.insert(name).second) return;
    std::vector<std::string> packages;
    for (const auto& [package, major] : family->packages) {
      if (major == 0 || major == context.policy.trains.major_of_soname(name)) {
        packages.push_back(package);
      }
    }
    Finding finding = make_finding(row, metadata_path(context.wheel), name,
                                   "needs " + name + " and requires none of " + join(packages));
    finding.needed_by.push_back(member.entry.path);
    findings.push_back(std::move(finding));
  });
  return findings;
}

std::vector<Finding> judge_cuda_major(const WheelContext& context, const CatalogueRow& row) {
  const CudaLabel label = label_of(context);
  int promised = label.kind == LabelKind::cuda ? label.major : 0;
  std::string because = label.words;
  if (promised == 0 && context.wheel.metadata) {
    promised = major_of_name(normalise_name(context.wheel.metadata->name));
    because = "the name " + context.wheel.metadata->name;
  }
  if (promised == 0) return {};
  std::vector<Finding> findings;
  for_each_need(context.wheel, [&](const MemberFacts& member, const std::string& name) {
    const int major = context.policy.trains.major_of_soname(name);
    if (major == 0 || major == promised || is_cuda_alternate(context, member)) return;
    Finding finding = make_finding(row, member.entry.path, name,
                                   "needs " + name + " of CUDA " + std::to_string(major) + ", " +
                                       because + " means CUDA " + std::to_string(promised));
    finding.needed_by.push_back(member.entry.path);
    findings.push_back(std::move(finding));
  });
  return findings;
}

std::vector<Finding> judge_requirement_major(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  std::set<std::pair<std::string, std::string>> seen;
  for_each_need(context.wheel, [&](const MemberFacts& member, const std::string& name) {
    const int major = context.policy.trains.major_of_soname(name);
    if (major == 0 || is_cuda_alternate(context, member)) return;
    const CudaFamily* family = context.policy.trains.family_of_library(name);
    // A requirement for each major is how a package leaves the choice to its user.
    const Requirement* other = nullptr;
    for (const Requirement& requirement : requirements(context.wheel)) {
      if (family == nullptr || !family->packages.contains(requirement.normalised)) continue;
      if (!is_effective(context.wheel, requirement)) continue;
      const std::set<int> majors = majors_of(*family, requirement);
      if (majors.empty() || majors.contains(major)) return;
      other = &requirement;
    }
    if (other == nullptr || !seen.insert({member.entry.path, name}).second) return;
    Finding finding = make_finding(row, member.entry.path, name,
                                   "needs " + name + " of CUDA " + std::to_string(major) +
                                       ", the wheel requires " + other->text);
    finding.needed_by.push_back(member.entry.path);
    findings.push_back(std::move(finding));
  });
  return findings;
}

}  // namespace wheelcheck
