// Matrix products.

#include "runtime/kernels/boxed.h"
#include "runtime/kernels/dense.h"
#include "runtime/kernels/gemm.h"

namespace executorch::kernels {
namespace {

// The matrix in place if gemm can read it there, else a converted copy.
template <class C>
bool matrix_of(Context& context, const View& view, Matrix<C>& matrix) {
  constexpr int64_t kSize = sizeof(C);
  const int64_t rows = view.shape.size[0];
  const int64_t columns = view.shape.size[1];
  if (view.type == kNative<C> && rows > 0 && columns > 0) {
    const auto fits = [](int64_t inner, int64_t inner_count, int64_t outer, int64_t count) {
      return (inner == kSize || inner_count == 1) && (outer >= kSize * inner_count || count == 1) &&
             outer % kSize == 0;
    };
    const C* data = reinterpret_cast<const C*>(view.data);
    if (fits(view.stride[1], columns, view.stride[0], rows)) {
      matrix = {data, rows == 1 ? columns : view.stride[0] / kSize, 1};
      return true;
    }
    if (fits(view.stride[0], rows, view.stride[1], columns)) {
      matrix = {data, 1, columns == 1 ? rows : view.stride[1] / kSize};
      return true;
    }
  }
  matrix = {dense_input<C>(context, view), columns, 1};
  return matrix.data != nullptr;
}

struct Product {
  View a;                       // m x k
  View b;                       // k x n
  const View* added = nullptr;  // broadcasts to m x n
  Scalar alpha{1};
  Scalar beta{0};
};

// The result type decides what is computed in; all operands have one type.
bool check(Context& context, const char* name, const Product& product, const Tensor& out) {
  const ScalarType type = out.scalar_type();
  if (product.a.shape.size[1] != product.b.shape.size[0]) {
    return refuse(context, "%s: %lld columns times %lld rows", name,
                  static_cast<long long>(product.a.shape.size[1]),
                  static_cast<long long>(product.b.shape.size[0]));
  }
  if (compute_of(type) == Compute::kNone || type == ScalarType::Bool || product.a.type != type ||
      product.b.type != type || (product.added != nullptr && product.added->type != type)) {
    return refuse(context, "%s: the operands and the output must have one type of numbers", name);
  }
  if (is_integral(type, true) &&
      (product.alpha.isFloatingPoint() || product.beta.isFloatingPoint())) {
    return refuse(context, "%s: real factors for integers", name);
  }
  return true;
}

template <class C>
void multiply(Context& context, const Product& product, C* result) {
  const int64_t m = product.a.shape.size[0];
  const int64_t k = product.a.shape.size[1];
  const int64_t n = product.b.shape.size[1];
  Matrix<C> a{};
  Matrix<C> b{};
  if (!matrix_of<C>(context, product.a, a) || !matrix_of<C>(context, product.b, b)) return;
  C beta = scalar_as<C>(product.beta);
  if (product.added != nullptr && beta != C{0}) {
    View source = *product.added;
    View target;
    target.shape.push(m);
    target.shape.push(n);
    dense_strides(target.shape, sizeof(C), target.stride);
    target.data = reinterpret_cast<char*>(result);
    target.type = kNative<C>;
    expand(source, target.shape);
    if (!copy_view(context, target, source)) return;
  } else {
    beta = C{0};  // what is multiplied by zero is not read, not even NaN
  }
  gemm<C>(m, n, k, scalar_as<C>(product.alpha), a, b, beta, result, n);
}

void run(Context& context, const char* name, const Product& product, Tensor& out) {
  if (!check(context, name, product, out)) return;
  with_compute(compute_of(out.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    DenseOutput<C> result(context, out);
    if (!result.ok()) return;
    multiply<C>(context, product, result.data());
    if (context.failure_state() == Error::Ok) result.finish();
  });
}

bool is_matrix(Context& context, const char* name, const Tensor& tensor, int rank) {
  if (rank_of(tensor) == rank) return true;
  return refuse(context, "%s: rank %d instead of %d", name, rank_of(tensor), rank);
}

Shape matrix_shape(int64_t rows, int64_t columns) {
  Shape shape;
  shape.push(rows);
  shape.push(columns);
  return shape;
}

void mm(Context& context, const Tensor& a, const Tensor& b, Tensor& out) {
  if (!is_matrix(context, "mm", a, 2) || !is_matrix(context, "mm", b, 2)) return;
  Product product{view_of(a), view_of(b), nullptr, Scalar(1), Scalar(0)};
  if (!check(context, "mm", product, out)) return;
  const Shape shape = matrix_shape(product.a.shape.size[0], product.b.shape.size[1]);
  if (resize_out(context, out, shape)) run(context, "mm", product, out);
}

void addmm(Context& context, const Tensor& added, const Tensor& a, const Tensor& b, Scalar beta,
           Scalar alpha, Tensor& out) {
  if (!is_matrix(context, "addmm", a, 2) || !is_matrix(context, "addmm", b, 2)) return;
  const View bias = view_of(added);
  Product product{view_of(a), view_of(b), &bias, alpha, beta};
  if (!check(context, "addmm", product, out)) return;
  const Shape shape = matrix_shape(product.a.shape.size[0], product.b.shape.size[1]);
  Shape wide = shape;
  if (!broadcast(wide, bias.shape) || !(wide == shape)) {
    refuse(context, "addmm: the added tensor does not broadcast to the product");
    return;
  }
  if (resize_out(context, out, shape)) run(context, "addmm", product, out);
}

void bmm(Context& context, const Tensor& a, const Tensor& b, Tensor& out) {
  if (!is_matrix(context, "bmm", a, 3) || !is_matrix(context, "bmm", b, 3)) return;
  const View batch_a = view_of(a);
  const View batch_b = view_of(b);
  const int64_t batches = batch_a.shape.size[0];
  Product product{batch_a, batch_b, nullptr, Scalar(1), Scalar(0)};
  select(product.a, 0, 0);
  select(product.b, 0, 0);
  if (batches != batch_b.shape.size[0] || !check(context, "bmm", product, out)) {
    refuse(context, "bmm: the operands do not fit");
    return;
  }
  const int64_t m = product.a.shape.size[0];
  const int64_t n = product.b.shape.size[1];
  Shape shape;
  shape.push(batches);
  shape.push(m);
  shape.push(n);
  if (!resize_out(context, out, shape)) return;
  with_compute(compute_of(out.scalar_type()), [&](auto zero) {
    using C = decltype(zero);
    DenseOutput<C> result(context, out);
    if (!result.ok()) return;
    for (int64_t i = 0; i < batches; ++i) {
      product.a = batch_a;
      product.b = batch_b;
      select(product.a, 0, i);
      select(product.b, 0, i);
      multiply<C>(context, product, result.data() + i * m * n);
      if (context.failure_state() != Error::Ok) return;
    }
    result.finish();
  });
}

// input (.., k) times weight (n, k) transposed, plus bias (n)
void linear(Context& context, const Tensor& in, const Tensor& weight, const Tensor* bias,
            Tensor& out) {
  const int rank = rank_of(in);
  if (rank < 1 || !is_matrix(context, "linear", weight, 2)) {
    refuse(context, "linear: input of rank %d", rank);
    return;
  }
  View rows = view_of(in);
  Shape shape = rows.shape;
  const int64_t k = shape.size[rank - 1];
  if (!is_dense(rows)) {
    refuse(context, "linear: only row-major input is supported");
    return;
  }
  int64_t count = 1;
  for (int d = 0; d < rank - 1; ++d) count *= shape.size[d];
  rows.shape = matrix_shape(count, k);
  dense_strides(rows.shape, in.element_size(), rows.stride);
  View transposed = view_of(weight);
  std::swap(transposed.shape.size[0], transposed.shape.size[1]);
  std::swap(transposed.stride[0], transposed.stride[1]);
  const int64_t n = transposed.shape.size[1];
  View added;
  if (bias != nullptr) added = view_of(*bias);
  Product product{rows, transposed, bias != nullptr ? &added : nullptr, Scalar(1), Scalar(1)};
  if (!check(context, "linear", product, out)) return;
  if (bias != nullptr && (added.shape.rank != 1 || added.shape.size[0] != n)) {
    refuse(context, "linear: the bias does not fit");
    return;
  }
  shape.size[rank - 1] = n;
  if (!resize_out(context, out, shape)) return;
  run(context, "linear", product, out);
}

constexpr Operator kOperators[] = {
    {"aten::mm.out", &box<&mm>},
    {"aten::bmm.out", &box<&bmm>},
    {"aten::addmm.out", &box<&addmm>},
    {"aten::linear.out", &box<&linear>},
};

}  // namespace

Operators matmul_operators() { return {kOperators, std::size(kOperators)}; }

}  // namespace executorch::kernels
