#pragma once

#include <cstdint>

namespace executorch::kernels {

/// A matrix in memory: element (i, j) stands at data[i * row + j * column] (strides in elements).
/// One of the two strides is 1, or the matrix has a single row or column.
template <class T>
struct Matrix {
  const T* data;
  int64_t row;
  int64_t column;
};

/// out = alpha * a * b + beta * out for a of m x k, b of k x n, and `out` row-major with rows
/// `out_row` elements apart. With beta 0, `out` is not read. `out` must not overlap a or b.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b, T beta,
          T* out, int64_t out_row);

}  // namespace executorch::kernels
