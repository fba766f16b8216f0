#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"
#include "rules/trains.h"
#include "verifier/wheel/requirement.h"

// The judges behind the tables of metadata_rules.cpp and cuda_rules.cpp, in files of one subject
// each, and what several of them ask.

namespace wheelcheck {

// identity.cpp: names, versions and tags
std::vector<Finding> judge_file_name(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_name_agreement(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_version_agreement(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_tag_agreement(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_dist_info(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_dist_info_count(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_metadata_text(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_wheel_text(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_entry_points(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_version_files_agree(const WheelContext& context,
                                               const CatalogueRow& row);

// record_judges.cpp
std::vector<Finding> judge_record_missing(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_record_extra(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_record_hash(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_record_size(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_record_directory(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_record_text(const WheelContext& context, const CatalogueRow& row);

// machine.cpp: native files against the tags
std::vector<Finding> judge_elf_machine(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_native_in_pure(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_foreign_machine(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_foreign_system(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_foreign_paths(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_extension_suffix(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_abi3(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_symbol_versions(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_libc_mix(const WheelContext& context, const CatalogueRow& row);

// cuda_metadata.cpp: label, requirements and libraries
std::vector<Finding> judge_label_supported(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_requirement_missing(const WheelContext& context,
                                               const CatalogueRow& row);
std::vector<Finding> judge_requirement_wrong(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_requirement_ineffective(const WheelContext& context,
                                                   const CatalogueRow& row);
std::vector<Finding> judge_requirement_unused(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_requirement_undeclared(const WheelContext& context,
                                                  const CatalogueRow& row);
std::vector<Finding> judge_cuda_major(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_requirement_major(const WheelContext& context, const CatalogueRow& row);

// layout.cpp
std::vector<Finding> judge_stray_top_level(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_top_level_text(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_required_files(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_known_libraries(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_soname_is_name(const WheelContext& context, const CatalogueRow& row);

/// The label of METADATA's version, or of the file name's without METADATA.
[[nodiscard]] CudaLabel label_of(const WheelContext& context);
/// A CPU wheel as the profile understands it.
[[nodiscard]] bool is_cpu_wheel(const WheelContext& context);
/// Holds for an installation of the wheel without any extra, on some platform of its tags.
[[nodiscard]] bool is_effective(const WheelFacts& wheel, const Requirement& requirement);
/// A file of which the wheel holds one for each CUDA release and loads one.
[[nodiscard]] bool is_cuda_alternate(const WheelContext& context, const MemberFacts& member);

}  // namespace wheelcheck
