#define GEMM_NAMESPACE baseline
#include "runtime/kernels/gemm_eigen.h"

namespace executorch::kernels::baseline {

template void run<float>(int64_t, int64_t, int64_t, float, const Matrix<float>&,
                         const Matrix<float>&, float*, int64_t);
template void run<double>(int64_t, int64_t, int64_t, double, const Matrix<double>&,
                          const Matrix<double>&, double*, int64_t);

}  // namespace executorch::kernels::baseline
