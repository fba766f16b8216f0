#pragma once

// Included by one source file for each instruction set, with GEMM_NAMESPACE set. The file also
// renames Eigen's namespace: otherwise the linker would keep one copy of each template for all
// instruction sets, and a processor without AVX2 could meet AVX2 code.

#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_IO
#define EIGEN_NO_DEBUG
#include <Eigen/Core>

#include "runtime/kernels/gemm.h"

namespace executorch::kernels::GEMM_NAMESPACE {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using Rows = Eigen::OuterStride<>;

// Memory order of a matrix as Eigen sees it.
template <class T>
bool by_rows(const Matrix<T>& matrix, int64_t rows, int64_t columns) {
  return matrix.column == 1 || (columns == 1 && rows != 1);
}

template <class T, template <class> class Left, template <class> class Right>
void multiply(int64_t m, int64_t n, int64_t k, T alpha, const T* a, int64_t a_stride, const T* b,
              int64_t b_stride, T* out, int64_t out_row) {
  const Eigen::Map<const Left<T>, 0, Rows> left(a, m, k, Rows(a_stride));
  const Eigen::Map<const Right<T>, 0, Rows> right(b, k, n, Rows(b_stride));
  Eigen::Map<RowMajor<T>, 0, Rows>(out, m, n, Rows(out_row)).noalias() += alpha * left * right;
}

template <class T>
void run(int64_t m, int64_t n, int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b, T* out,
         int64_t out_row) {
  const bool a_rows = by_rows(a, m, k);
  const bool b_rows = by_rows(b, k, n);
  const auto function =
      a_rows
          ? (b_rows ? &multiply<T, RowMajor, RowMajor> : &multiply<T, RowMajor, ColumnMajor>)
          : (b_rows ? &multiply<T, ColumnMajor, RowMajor> : &multiply<T, ColumnMajor, ColumnMajor>);
  function(m, n, k, alpha, a.data, a_rows ? a.row : a.column, b.data, b_rows ? b.row : b.column,
           out, out_row);
}

}  // namespace executorch::kernels::GEMM_NAMESPACE
