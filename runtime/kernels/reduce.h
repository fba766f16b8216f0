#pragma once

// Walks a tensor for reductions: which elements go into which result, in blocks of values.

#include "runtime/kernels/dtype.h"
#include "runtime/kernels/loop.h"

namespace executorch::kernels {

/// Which dimensions are reduced, and what the result looks like.
struct Reduction {
  Shape out;  // the result's shape
  bool reduced[kMaxDims] = {};
  int64_t kept_count = 1;  // results
  int64_t count = 1;       // elements in each
};

/// `dims` empty or absent: all dimensions. False after a refusal (out of range, or twice).
bool plan_reduction(Context& context, const Tensor& in, const std::optional<IntList>& dims,
                    bool keepdim, Reduction& plan);

/// Two loops over `in` : over the results (operand 0: `out` as if its elements were `out_element`
/// bytes each in `out`'s layout, operand 1: first element of `in`), and over the elements of one
/// result (operand 0: `in`).
struct ReductionLoops {
  Loop kept;
  Loop inner;
  /// Neighbouring results are closer in memory than neighbouring elements of one result.
  bool by_columns;
};
ReductionLoops reduction_loops(const Tensor& in, const Tensor& out, const Reduction& plan);

/// Reduces with `Reducer`, which has
///   using Value = type that elements are read as;  using State = ...;
///   void begin(State&) const;
///   void row(State&, const Value*, int64_t n) const;       // n elements of one result
///   void column(State*, const Value*, int64_t n) const;    // one element each of n results
///   Value end(const State&) const;                          // the result
template <class Reducer>
void reduce(const Reducer& reducer, const ReductionLoops& loops, ScalarType in_type,
            ScalarType out_type) {
  using Value = typename Reducer::Value;
  using State = typename Reducer::State;
  const auto load = loader<Value>(in_type);
  const auto store = storer<Value>(out_type);
  const int64_t out_stride = loops.kept.stride[0][0];
  const int64_t kept_stride = loops.kept.stride[1][0];
  const int64_t inner_stride = loops.inner.stride[0][0];
  const bool native = in_type == kNative<Value>;
  for_each_run(loops.kept, [&](char* const* data, int64_t results) {
    constexpr int64_t kColumns = 64;
    State states[kColumns];
    Value values[kBlock];
    for (int64_t begin = 0; begin < results; begin += kColumns) {
      const int64_t n = results - begin < kColumns ? results - begin : kColumns;
      for (int64_t i = 0; i < n; ++i) reducer.begin(states[i]);
      const char* base = data[1] + begin * kept_stride;
      if (loops.by_columns) {
        Loop inner = loops.inner;
        for_each_run(inner, [&](char* const* element, int64_t elements) {
          for (int64_t e = 0; e < elements; ++e) {
            const char* from = base + (element[0] - loops.inner.data[0]) + e * inner_stride;
            if (native && kept_stride == static_cast<int64_t>(sizeof(Value))) {
              reducer.column(states, reinterpret_cast<const Value*>(from), n);
            } else {
              load(values, from, kept_stride, n);
              reducer.column(states, values, n);
            }
          }
        });
      } else {
        for (int64_t i = 0; i < n; ++i) {
          const char* first = base + i * kept_stride;
          for_each_run(loops.inner, [&](char* const* element, int64_t elements) {
            const char* from = first + (element[0] - loops.inner.data[0]);
            if (native && inner_stride == static_cast<int64_t>(sizeof(Value))) {
              reducer.row(states[i], reinterpret_cast<const Value*>(from), elements);
              return;
            }
            for (int64_t e = 0; e < elements; e += kBlock) {
              const int64_t part = elements - e < kBlock ? elements - e : kBlock;
              load(values, from + e * inner_stride, inner_stride, part);
              reducer.row(states[i], values, part);
            }
          });
        }
      }
      for (int64_t i = 0; i < n; ++i) values[i] = reducer.end(states[i]);
      store(data[0] + begin * out_stride, out_stride, values, n);
    }
  });
}

}  // namespace executorch::kernels
