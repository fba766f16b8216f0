// The inputs of a method, from files or made up.

#pragma once

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>
#include <string>
#include <vector>

#include "runtime/runner/options.h"

namespace executorch::runner {

struct Inputs {
  std::vector<extension::TensorPtr> tensors;
  /// By index of the input; None for those that are no tensors, which have to be left alone.
  std::vector<runtime::EValue> values;
};

/// Tensors of the sizes that the program gives, the largest for dynamic ones. An empty text, or
/// what is wrong: a file that can't be read, of the wrong size, or an input that can't be made up.
std::string make_inputs(const runtime::MethodMeta& method, const Options& options, Inputs& inputs);

}  // namespace executorch::runner
