// The product of matrices for each instruction set, whatever this processor would choose.

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "runtime/kernels/gemm_variants.h"

namespace executorch::kernels {

namespace {

template <class T>
using Run = void (*)(int64_t, int64_t, int64_t, T, const Matrix<T>&, const Matrix<T>&, T*, int64_t);

struct Shape {
  int64_t m, n, k;
};
constexpr Shape kShapes[] = {{1, 1, 1},  {1, 17, 5},  {7, 1, 33},   {3, 5, 0},    {4, 8, 16},
                             {5, 3, 64}, {33, 65, 9}, {64, 64, 64}, {2, 130, 257}};

// A matrix of random numbers, by rows or by columns, with room between its lines.
template <class T>
struct Held {
  Held(int64_t rows, int64_t columns, bool by_rows, std::mt19937& random) {
    const int64_t line = (by_rows ? columns : rows) + 3;
    std::uniform_real_distribution<double> values(-1, 1);
    data.resize(static_cast<size_t>(line * (by_rows ? rows : columns)));
    for (T& value : data) value = static_cast<T>(values(random));
    matrix = {data.data(), by_rows ? line : 1, by_rows ? 1 : line};
  }
  double at(int64_t i, int64_t j) const {
    return static_cast<double>(matrix.data[i * matrix.row + j * matrix.column]);
  }
  std::vector<T> data;
  Matrix<T> matrix{};
};

template <class T>
void check(Run<T> run) {
  std::mt19937 random(1);
  for (const Shape& shape : kShapes) {
    for (int layout = 0; layout < 4; ++layout) {
      const Held<T> a(shape.m, shape.k, (layout & 1) == 0, random);
      const Held<T> b(shape.k, shape.n, (layout & 2) == 0, random);
      const int64_t row = shape.n + 2;
      constexpr T kBefore = 3;
      constexpr T kAlpha = T{2};
      std::vector<T> out(static_cast<size_t>(shape.m * row), kBefore);
      run(shape.m, shape.n, shape.k, kAlpha, a.matrix, b.matrix, out.data(), row);
      for (int64_t i = 0; i < shape.m; ++i) {
        for (int64_t j = 0; j < row; ++j) {
          const double got = static_cast<double>(out[static_cast<size_t>(i * row + j)]);
          if (j >= shape.n) {
            ASSERT_EQ(got, static_cast<double>(kBefore)) << "written beside a row";
            continue;
          }
          double expected = static_cast<double>(kBefore);
          double size = std::abs(expected);
          for (int64_t p = 0; p < shape.k; ++p) {
            const double term = static_cast<double>(kAlpha) * a.at(i, p) * b.at(p, j);
            expected += term;
            size += std::abs(term);
          }
          // Each of the sums rounds once.
          const double most = static_cast<double>(std::numeric_limits<T>::epsilon()) *
                              static_cast<double>(shape.k + 2) * size;
          ASSERT_NEAR(got, expected, most) << shape.m << "x" << shape.n << "x" << shape.k
                                           << " layout " << layout << " at " << i << "," << j;
        }
      }
    }
  }
}

TEST(Gemm, BaselineMultipliesEveryLayout) {
  check<float>(&baseline::run<float>);
  check<double>(&baseline::run<double>);
}

TEST(Gemm, Avx2MultipliesEveryLayout) {
#ifdef KERNELS_HAVE_AVX2
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") == 0 || __builtin_cpu_supports("fma") == 0) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  check<float>(&avx2::run<float>);
  check<double>(&avx2::run<double>);
#else
  GTEST_SKIP() << "this build has no AVX2";
#endif
}

}  // namespace
}  // namespace executorch::kernels
