#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <string_view>

// Names of older releases for what the standard library has.

namespace executorch::runtime::etensor {
using string_view ET_DEPRECATED = std::string_view;
}  // namespace executorch::runtime::etensor

namespace torch::executor {
using string_view ET_DEPRECATED = std::string_view;
}  // namespace torch::executor
