// What executor_runner prints.

#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>
#include <string>
#include <vector>

namespace executorch::runner {

/// One line: the kind of the value, and as many of its elements.
std::string describe(const runtime::EValue& value, std::size_t elements);
/// The backends that the method needs and those that are registered.
std::string describe_backends(const runtime::MethodMeta& method);
/// Number, smallest, median and largest of times in nanoseconds.
std::string describe_times(std::vector<double> nanoseconds);

}  // namespace executorch::runner
