#pragma once

#include <vector>

#include "rules/rule.h"

// The judges behind the table of cuda_rules.cpp, in files of one subject each.

namespace wheelcheck {

// cpu_wheel.cpp: what a CPU wheel must not hold
std::vector<Finding> judge_cpu_library(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_device_code(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_need(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_header(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_import_library(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_requirement(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_cpu_static_runtime(const WheelContext& context, const CatalogueRow& row);

// cuda_libraries.cpp: which CUDA libraries lie in the wheel and are needed together
std::vector<Finding> judge_vendored_runtime(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_driver_bundled(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_static_runtime(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_label_without_cuda(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_mixed_majors(const WheelContext& context, const CatalogueRow& row);
/// A file that is no CUDA runtime and yet defines its functions.
[[nodiscard]] bool has_static_runtime(const MemberFacts& member);

// device_code.cpp: GPU architectures
std::vector<Finding> judge_device_missing(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_device_extra(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_ptx(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_toolkit(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_toolkit_unknown(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_fatbin_unknown(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_device_absent(const WheelContext& context, const CatalogueRow& row);
std::vector<Finding> judge_device_uneven(const WheelContext& context, const CatalogueRow& row);

}  // namespace wheelcheck
