#include "runtime/kernels/reduce.h"

namespace executorch::kernels {

bool plan_reduction(Context& context, const Tensor& in, const std::optional<IntList>& dims,
                    bool keepdim, Reduction& plan) {
  const Shape shape = shape_of(in);
  if (!dims.has_value() || dims->empty()) {
    for (int d = 0; d < shape.rank; ++d) plan.reduced[d] = true;
  } else {
    for (const int64_t dim : *dims) {
      int d = 0;
      if (!wrap_dim(context, dim, shape.rank, d)) return false;
      if (plan.reduced[d]) return refuse(context, "dimension %d is reduced twice", d);
      plan.reduced[d] = true;
    }
  }
  for (int d = 0; d < shape.rank; ++d) {
    if (plan.reduced[d]) {
      plan.count *= shape.size[d];
      if (keepdim) plan.out.push(1);
    } else {
      plan.kept_count *= shape.size[d];
      plan.out.push(shape.size[d]);
    }
  }
  return true;
}

ReductionLoops reduction_loops(const Tensor& in, const Tensor& out, const Reduction& plan) {
  const Shape shape = shape_of(in);
  int64_t in_stride[kMaxDims];
  int64_t out_stride[kMaxDims];
  byte_strides(in, in_stride);
  byte_strides(out, out_stride);
  const bool keeps = plan.out.rank == shape.rank;
  Shape kept;
  Shape inner;
  int64_t kept_in[kMaxDims];
  int64_t kept_out[kMaxDims];
  int64_t inner_in[kMaxDims];
  int position = 0;
  for (int d = 0; d < shape.rank; ++d) {
    if (plan.reduced[d]) {
      inner_in[inner.rank] = in_stride[d];
      inner.push(shape.size[d]);
    } else {
      kept_in[kept.rank] = in_stride[d];
      kept_out[kept.rank] = out_stride[keeps ? d : position];
      kept.push(shape.size[d]);
      ++position;
    }
  }
  ReductionLoops loops{Loop(kept), Loop(inner), false};
  loops.kept.add(out.const_data_ptr(), kept_out);
  loops.kept.add(in.const_data_ptr(), kept_in);
  loops.kept.finish();
  loops.inner.add(in.const_data_ptr(), inner_in);
  loops.inner.finish();
  loops.by_columns = loops.kept.rank > 0 && loops.inner.rank > 0 &&
                     loops.kept.stride[1][0] < loops.inner.stride[0][0];
  return loops;
}

}  // namespace executorch::kernels
