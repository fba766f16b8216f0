#pragma once

#include <type_traits>

namespace executorch::extension::kernel_util_internal {

/// A function and its operator's name as a type.
template <class FuncType_, FuncType_* func_ptr_, const char* func_name>
struct CompileTimeFunctionPointer final {
  static_assert(std::is_function_v<FuncType_>, "EXECUTORCH_FN takes a function");
  using FuncType = FuncType_;
  static constexpr const char* func_name_ = func_name;
  static constexpr FuncType* func_ptr() { return func_ptr_; }
};

}  // namespace executorch::extension::kernel_util_internal

/// The type for a function and a name with static storage, and an object of it.
#define EXECUTORCH_FN_TYPE(func, name)                                       \
  ::executorch::extension::kernel_util_internal::CompileTimeFunctionPointer< \
      std::remove_pointer_t<std::remove_reference_t<decltype(func)>>, func, name>
#define EXECUTORCH_FN(func, name) \
  EXECUTORCH_FN_TYPE(func, name) {}
