#include "runtime/kernels/loop.h"

#include <utility>

namespace executorch::kernels {

Loop::Loop(const Shape& shape) : rank(shape.rank) {
  count = shape.numel();
  for (int d = 0; d < rank; ++d) size[d] = shape.size[rank - 1 - d];
}

void Loop::add(const Tensor& tensor) {
  int64_t strides[kMaxDims];
  byte_strides(tensor, strides);
  const int own = rank_of(tensor);
  const auto sizes = tensor.sizes();
  int64_t* target = stride[operands];
  for (int d = 0; d < rank; ++d) {
    const int from = own - 1 - d;
    target[d] = from < 0 || sizes.data()[from] == 1 ? 0 : strides[from];
  }
  data[operands++] = static_cast<char*>(tensor.mutable_data_ptr());
}

void Loop::add(const void* base, const int64_t* strides) {
  for (int d = 0; d < rank; ++d) stride[operands][d] = strides[rank - 1 - d];
  data[operands++] = const_cast<char*>(static_cast<const char*>(base));
}

void Loop::add_constant(const void* value) {
  for (int d = 0; d < rank; ++d) stride[operands][d] = 0;
  data[operands++] = const_cast<char*>(static_cast<const char*>(value));
}

void Loop::finish() {
  const auto move = [this](int to, int from) {
    size[to] = size[from];
    for (int k = 0; k < operands; ++k) stride[k][to] = stride[k][from];
  };
  int kept = 0;
  for (int d = 0; d < rank; ++d) {
    if (size[d] == 1) continue;
    if (kept != d) move(kept, d);
    ++kept;
  }
  rank = kept;
  const auto magnitude = [](int64_t value) { return value < 0 ? -value : value; };
  for (int i = 1; i < rank; ++i) {
    for (int j = i; j > 0 && magnitude(stride[0][j]) < magnitude(stride[0][j - 1]); --j) {
      std::swap(size[j], size[j - 1]);
      for (int k = 0; k < operands; ++k) std::swap(stride[k][j], stride[k][j - 1]);
    }
  }
  int last = 0;
  for (int d = 1; d < rank; ++d) {
    bool merge = true;
    for (int k = 0; k < operands; ++k) {
      merge = merge && stride[k][d] == stride[k][last] * size[last];
    }
    if (merge) {
      size[last] *= size[d];
    } else if (++last != d) {
      move(last, d);
    }
  }
  if (rank > 0) {
    rank = last + 1;
  } else {
    // A single element: runs have length one, and the strides do not matter.
    for (int k = 0; k < operands; ++k) stride[k][0] = 0;
  }
}

Loop elementwise_loop(const Tensor& out, const Tensor* const* inputs, int count) {
  bool simple = true;
  for (int i = 0; i < count && simple; ++i) {
    simple = inputs[i]->numel() == 1 || same_layout(out, *inputs[i]);
  }
  if (!simple) {
    Loop loop(shape_of(out));
    loop.add(out);
    for (int i = 0; i < count; ++i) loop.add(*inputs[i]);
    loop.finish();
    return loop;
  }
  Shape flat;
  flat.push(out.numel());
  Loop loop(flat);
  const int64_t stride = out.element_size();
  loop.add(out.const_data_ptr(), &stride);
  for (int i = 0; i < count; ++i) {
    const int64_t input = inputs[i]->numel() == 1 ? 0 : inputs[i]->element_size();
    loop.add(inputs[i]->const_data_ptr(), &input);
  }
  return loop;
}

}  // namespace executorch::kernels
