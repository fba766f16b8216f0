#include "runtime/kernels/gemm.h"

#include <cstring>

#include "runtime/kernels/gemm_variants.h"

namespace executorch::kernels {

namespace {

#ifdef KERNELS_HAVE_AVX2
bool processor_has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
const bool kHasAvx2 = processor_has_avx2();
#endif

template <class T>
void accumulate(int64_t m, int64_t n, int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b,
                T* out, int64_t out_row) {
#ifdef KERNELS_HAVE_AVX2
  if (kHasAvx2) {
    avx2::run<T>(m, n, k, alpha, a, b, out, out_row);
    return;
  }
#endif
  baseline::run<T>(m, n, k, alpha, a, b, out, out_row);
}

template <>
void accumulate<int64_t>(int64_t m, int64_t n, int64_t k, int64_t alpha, const Matrix<int64_t>& a,
                         const Matrix<int64_t>& b, int64_t* out, int64_t out_row) {
  // Integers wrap.
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const uint64_t left =
          static_cast<uint64_t>(alpha) * static_cast<uint64_t>(a.data[i * a.row + p * a.column]);
      for (int64_t j = 0; j < n; ++j) {
        int64_t& target = out[i * out_row + j];
        target =
            static_cast<int64_t>(static_cast<uint64_t>(target) +
                                 left * static_cast<uint64_t>(b.data[p * b.row + j * b.column]));
      }
    }
  }
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, T alpha, const Matrix<T>& a, const Matrix<T>& b, T beta,
          T* out, int64_t out_row) {
  if (m == 0 || n == 0) return;
  if (beta != T{1}) {
    for (int64_t i = 0; i < m; ++i) {
      T* row = out + i * out_row;
      if (beta == T{0}) {
        std::memset(row, 0, static_cast<size_t>(n) * sizeof(T));
      } else {
        for (int64_t j = 0; j < n; ++j) row[j] *= beta;
      }
    }
  }
  if (k == 0) return;
  accumulate<T>(m, n, k, alpha, a, b, out, out_row);
}

template void gemm<float>(int64_t, int64_t, int64_t, float, const Matrix<float>&,
                          const Matrix<float>&, float, float*, int64_t);
template void gemm<double>(int64_t, int64_t, int64_t, double, const Matrix<double>&,
                           const Matrix<double>&, double, double*, int64_t);
template void gemm<int64_t>(int64_t, int64_t, int64_t, int64_t, const Matrix<int64_t>&,
                            const Matrix<int64_t>&, int64_t, int64_t*, int64_t);

}  // namespace executorch::kernels
