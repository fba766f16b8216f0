// Every kernel against torch: the calls in testdata/cases.txt.

#include <cmath>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>
#include <set>

#include "runtime/kernels/dtype.h"
#include "runtime/kernels/testdata/call.h"

namespace executorch::kernels {
namespace {

using testing::Call;
using testing::Case;
using testing::case_file;
using testing::TensorData;

std::vector<double> as_doubles(ScalarType type, const void* data, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  const auto size = static_cast<int64_t>(runtime::elementSize(type));
  if (count > 0) loader<double>(type)(values.data(), static_cast<const char*>(data), size, count);
  return values;
}

// Distance from 1 to the next value: how much rounding once to the type may change.
double step_of(ScalarType type) { return type == ScalarType::Half ? 0x1p-10 : 0x1p-7; }

::testing::AssertionResult equal(const std::string& check, const TensorData& expected,
                                 const Tensor& actual) {
  if (actual.scalar_type() != expected.type) {
    return ::testing::AssertionFailure() << "wrong type";
  }
  const auto sizes = actual.sizes();
  if (std::vector<int32_t>(sizes.begin(), sizes.end()) != expected.sizes) {
    return ::testing::AssertionFailure() << "wrong shape";
  }
  const ScalarType type = expected.type;
  const auto element = runtime::elementSize(type);
  const auto count = static_cast<int64_t>(expected.bytes.size() / element);
  const auto want = as_doubles(type, expected.bytes.data(), count);
  const auto got = as_doubles(type, actual.const_data_ptr(), count);
  double largest = 0;
  for (const double value : want) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  const double limit = check.size() > 1 ? std::stod(check.substr(1)) : 0;
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(got[i])) continue;
    double allowed = 0;
    switch (check[0]) {
      case 'e':
        allowed = limit * std::fabs(want[i]);
        break;
      case 't':
        allowed = limit * largest;
        break;
      case 'x':
        allowed = limit * step_of(type) * std::fabs(want[i]) + 0x1p-24;
        break;
      default:
        break;
    }
    const char* bytes = static_cast<const char*>(actual.const_data_ptr()) + i * element;
    const bool same = check == "="
                          ? std::memcmp(bytes, expected.bytes.data() + i * element, element) == 0
                          : got[i] == want[i] || std::fabs(got[i] - want[i]) <= allowed;
    if (!same) {
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got[i] << " where torch has " << want[i];
    }
  }
  return ::testing::AssertionSuccess();
}

class Kernel : public ::testing::TestWithParam<std::string> {};

TEST_P(Kernel, AgreesWithTorch) {
  const std::string& op = GetParam();
  int checked = 0;
  for (const Case& one : case_file().cases.at(op)) {
    for (const int32_t larger_by : {0, 2}) {
      SCOPED_TRACE(op + ", line " + std::to_string(one.line) + " of the cases" +
                   (larger_by > 0 ? ", larger output" : ""));
      Call call(case_file(), op, one, larger_by);
      const Error error = call.run();
      ASSERT_TRUE(call.guards_intact()) << "wrote behind the end of a tensor";
      if (one.refused) {
        // A larger output may hold what a wrong one cannot.
        if (larger_by == 0) {
          EXPECT_NE(error, Error::Ok);
        }
        ++checked;
        continue;
      }
      ASSERT_EQ(error, Error::Ok);
      size_t next = 0;
      const auto outputs = call.outputs();
      for (const std::string& token : one.expected) {
        for (const std::string& part : testing::split(token.substr(1), ',')) {
          ASSERT_LT(next, outputs.size());
          EXPECT_TRUE(equal(one.check, case_file().tensors.at(std::stoul(part)), outputs[next]));
          ++next;
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 0);
}

std::vector<std::string> operators_with_cases() {
  std::vector<std::string> names;
  for (const auto& [name, cases] : case_file().cases) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Torch, Kernel, ::testing::ValuesIn(operators_with_cases()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) {
                             if (c == ':' || c == '.') c = '_';
                           }
                           return name;
                         });

TEST(KernelCases, EveryRegisteredKernelHasOne) {
  int kernels = 0;
  for (const auto& kernel : runtime::get_registered_kernels()) {
    const std::string name = kernel.name_;
    if (name.rfind("executorch_prim::", 0) == 0 || name.rfind("aten::sym_", 0) == 0 ||
        name == "aten::_local_scalar_dense" || name.rfind("et_copy::", 0) == 0) {
      continue;  // the runtime's own
    }
    ++kernels;
    EXPECT_EQ(case_file().cases.count(name), 1U) << name << " has no case";
  }
  EXPECT_GE(kernels, 150);
}

TEST(KernelCases, EveryOperatorWithCasesIsRegistered) {
  for (const std::string& name : operators_with_cases()) {
    EXPECT_TRUE(runtime::registry_has_op_function(name.c_str())) << name;
  }
}

}  // namespace
}  // namespace executorch::kernels
