#define Eigen EigenAvx2
#define GEMM_NAMESPACE avx2
#include "runtime/kernels/gemm_eigen.h"

namespace executorch::kernels::avx2 {

template void run<float>(int64_t, int64_t, int64_t, float, const Matrix<float>&,
                         const Matrix<float>&, float*, int64_t);
template void run<double>(int64_t, int64_t, int64_t, double, const Matrix<double>&,
                          const Matrix<double>&, double*, int64_t);

}  // namespace executorch::kernels::avx2
