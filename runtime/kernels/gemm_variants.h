// The product of matrices for each instruction set; gemm() takes the best that the processor has.

#pragma once

#include "runtime/kernels/gemm.h"

namespace executorch::kernels {

// run: out += alpha * a * b, for float and double; gemm.h has what the arguments are.
#define DECLARE(NAMESPACE)                                                                   \
  namespace NAMESPACE {                                                                      \
  template <class T>                                                                         \
  void run(int64_t m, int64_t n, int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b, \
           T* out, int64_t out_row);                                                         \
  }
DECLARE(baseline)
#ifdef KERNELS_HAVE_AVX2
DECLARE(avx2)
#endif
#undef DECLARE

}  // namespace executorch::kernels
