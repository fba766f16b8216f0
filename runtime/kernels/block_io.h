#pragma once

// Blocks of tensor elements as the type of computation: straight from memory where it holds that
// type already, else through a buffer on the stack.

#include "runtime/kernels/dtype.h"
#include "runtime/kernels/loop.h"

namespace executorch::kernels {

// An operand as the loop sees it: a tensor, or one value already in the type of computation.
struct Operand {
  const Tensor* tensor = nullptr;
  const Scalar* scalar = nullptr;
};

// Reads blocks of one operand as C.
template <class C>
struct Reader {
  LoadFunction<C> load = nullptr;  // nullptr: the memory holds C
  ScalarType narrow = ScalarType::Undefined;
  int64_t stride = 0;
  C buffer[kBlock];

  Reader(const Operand& operand, ScalarType common) {
    if (operand.tensor == nullptr) return;
    const ScalarType type = operand.tensor->scalar_type();
    if (type != kNative<C>) load = loader<C>(type);
    // The operand is converted to the common type before anything is computed.
    if (type != common && common != kNative<C> && !is_bool_widening(type, common)) narrow = common;
  }
  static bool is_bool_widening(ScalarType type, ScalarType common) {
    return type == ScalarType::Bool && common != ScalarType::Undefined;
  }
  void begin(int64_t bytes) { stride = bytes; }
  bool single() const { return stride == 0; }
  bool direct() const {
    return load == nullptr && narrow == ScalarType::Undefined &&
           (stride == 0 || stride == static_cast<int64_t>(sizeof(C)));
  }
  // `count` values, or one when single().
  const C* read(const char* from, int64_t count) {
    if (direct()) return reinterpret_cast<const C*>(from);
    const int64_t n = single() ? 1 : count;
    const auto function = load != nullptr ? load : loader<C>(kNative<C>);
    function(buffer, from, stride, n);
    if (narrow != ScalarType::Undefined) narrow_to<C>(narrow, buffer, n);
    return buffer;
  }
};

/// A result of a narrow type wraps or rounds to that type even where a wider one is stored.
template <class C>
bool narrows_result(ScalarType common, ScalarType out_type) {
  return common != out_type && common != kNative<C>;
}

// Stores blocks of results.
template <class C>
struct Writer {
  StoreFunction<C> store = nullptr;
  bool direct = false;
  C values[kBlock];

  void begin(ScalarType type, int64_t stride) {
    direct = type == kNative<C> && stride == static_cast<int64_t>(sizeof(C));
    store = storer<C>(type);
  }
};

/// Reads as many operands as `inputs` has, and calls `block(target, inputs, singles, n)` for each
/// block of the loop. The results are of type `common` and stored as `out_type`. Operand 0 of the
/// loop is the output.
template <class C, size_t kInputs, class Block>
void run_blocks(const Loop& loop, ScalarType common, ScalarType out_type,
                Reader<C> (&readers)[kInputs], Block&& block) {
  for (size_t k = 0; k < kInputs; ++k) readers[k].begin(loop.stride[k + 1][0]);
  Writer<C> writer;
  writer.begin(out_type, loop.stride[0][0]);
  const int64_t out_stride = loop.stride[0][0];
  const bool narrows = narrows_result<C>(common, out_type);
  bool direct = writer.direct && !narrows;
  bool singles[kInputs];
  for (size_t k = 0; k < kInputs; ++k) {
    singles[k] = readers[k].single();
    direct = direct && readers[k].direct();
  }
  for_each_run(loop, [&](char* const* data, int64_t count) {
    const C* inputs[kInputs];
    if (direct) {
      for (size_t k = 0; k < kInputs; ++k) inputs[k] = reinterpret_cast<const C*>(data[k + 1]);
      block(reinterpret_cast<C*>(data[0]), inputs, singles, count);
      return;
    }
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t n = count - begin < kBlock ? count - begin : kBlock;
      for (size_t k = 0; k < kInputs; ++k) {
        inputs[k] = readers[k].read(data[k + 1] + begin * readers[k].stride, n);
      }
      char* to = data[0] + begin * out_stride;
      C* target = writer.direct ? reinterpret_cast<C*>(to) : writer.values;
      block(target, inputs, singles, n);
      if (narrows) narrow_to<C>(common, target, n);
      if (!writer.direct) writer.store(to, out_stride, writer.values, n);
    }
  });
}

}  // namespace executorch::kernels
