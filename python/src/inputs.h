// Python's objects as inputs of a method.

#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace executorch::python {

/// Whose arrays a call is made with, and so whose arrays its outputs become.
enum class ArrayKind { kTorch, kNumpy, kDlpack };

/// The kind for calls without an array: torch where it is imported, else numpy where it is
/// imported or can be, else DLPack. Holds the GIL.
ArrayKind default_array_kind();

/// Inputs of one call. Arrays are referred to, not copied, as far as the program allows; they are
/// kept alive as long as this object. Created and destroyed with the GIL held, read without.
class Inputs {
 public:
  /// Converts a sequence (or one array, which counts as a sequence of one) for a method. An array
  /// whose elements lie in another order than the program wants is copied into that order. Throws
  /// std::runtime_error for an object that can't be an input, and says which.
  Inputs(nanobind::handle inputs, const runtime::MethodMeta& meta);
  ~Inputs();
  Inputs(Inputs&&) noexcept;
  Inputs& operator=(Inputs&&) noexcept;

  const std::vector<runtime::EValue>& values() const { return values_; }
  ArrayKind kind() const { return kind_; }

 private:
  struct Item;

  runtime::EValue convert(nanobind::handle object, std::size_t index,
                          const runtime::MethodMeta& meta);
  runtime::EValue convert_array(nanobind::handle object, std::size_t index,
                                const runtime::MethodMeta& meta);
  /// Keeps what an input refers to.
  Item& keep();

  std::vector<std::unique_ptr<Item>> items_;
  std::vector<runtime::EValue> values_;
  ArrayKind kind_;
  bool has_arrays_ = false;
};

}  // namespace executorch::python
