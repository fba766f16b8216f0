#include "runtime/kernel/registry.h"

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using etensor::ScalarType;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Kernels that tell themselves apart by what they fail with.
template <Error error>
void fail_with(KernelRuntimeContext& context, Span<EValue*>) {
  context.fail(error);
}
constexpr OpFunction kFirst = fail_with<Error::Internal>;
constexpr OpFunction kSecond = fail_with<Error::InvalidState>;
constexpr OpFunction kThird = fail_with<Error::NotFound>;

class KernelRegistryTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const Kernel kernels[] = {
        Kernel("test::both.out", "v1/6;0,1|6;0,1", kFirst), Kernel("test::both.out", kSecond),
        Kernel("test::both.out", "v1/4;0,1|4;0,1", kThird), Kernel("test::plain.out", kFirst),
        Kernel("test::keyed.out", "v1/6;0", kSecond),
    };
    ASSERT_EQ(register_kernels(kernels), Error::Ok);
  }

  static Result<OpFunction> find(const char* name, std::vector<TensorMeta> metas,
                                 Span<const Kernel> list = {}) {
    return get_op_function_from_registry(name, {metas.data(), metas.size()}, list);
  }

  uint8_t order_[2] = {0, 1};
  TensorMeta float_{ScalarType::Float, order_};
  TensorMeta long_{ScalarType::Long, order_};
  TensorMeta half_{ScalarType::Half, order_};
};

TEST_F(KernelRegistryTest, TheExactKeyComesBeforeTheFallback) {
  EXPECT_EQ(*find("test::both.out", {float_, float_}), kFirst);
  EXPECT_EQ(*find("test::both.out", {long_, long_}), kThird);
  EXPECT_EQ(*find("test::both.out", {half_, half_}), kSecond);
  EXPECT_EQ(*find("test::both.out", {float_, long_}), kSecond);
  EXPECT_EQ(*find("test::both.out", {}), kSecond);
}

TEST_F(KernelRegistryTest, AFallbackTakesAnything) {
  EXPECT_EQ(*find("test::plain.out", {float_}), kFirst);
  EXPECT_EQ(*find("test::plain.out", std::vector<TensorMeta>(100, float_)), kFirst);
}

TEST_F(KernelRegistryTest, WithoutAMatchTheOperatorIsMissing) {
  EXPECT_EQ(find("test::keyed.out", {float_}).error(), Error::OperatorMissing);
  EXPECT_EQ(find("test::keyed.out", {}).error(), Error::OperatorMissing);
  EXPECT_EQ(find("test::none.out", {float_}).error(), Error::OperatorMissing);
  EXPECT_FALSE(registry_has_op_function("test::none.out"));
  EXPECT_TRUE(registry_has_op_function("test::plain.out"));
  EXPECT_FALSE(registry_has_op_function("test::keyed.out"));
}

TEST_F(KernelRegistryTest, AListIsPreferredToTheProcess) {
  const Kernel list[] = {Kernel("test::plain.out", kThird), Kernel("test::own.out", kSecond),
                         Kernel()};
  EXPECT_EQ(*find("test::plain.out", {float_}, list), kThird);
  EXPECT_EQ(*find("test::own.out", {}, list), kSecond);
  EXPECT_EQ(*find("test::both.out", {long_, long_}, list), kThird);
  EXPECT_EQ(find("test::own.out", {}).error(), Error::OperatorMissing);
}

TEST_F(KernelRegistryTest, KernelsAreListedInOrder) {
  const Span<const Kernel> kernels = get_registered_kernels();
  ASSERT_GE(kernels.size(), 5u);
  EXPECT_STREQ(kernels[kernels.size() - 5].name_, "test::both.out");
  EXPECT_STREQ(kernels[kernels.size() - 1].name_, "test::keyed.out");
}

TEST_F(KernelRegistryTest, ADuplicateEndsTheProcessAndNamesTheLibraries) {
  EXPECT_DEATH((void)register_kernel(Kernel("test::plain.out", kSecond)),
               "test::plain.out is in .*runtime_kernel_test(.|\n)*again in "
               ".*runtime_kernel_test(.|\n)*registered twice");
  EXPECT_DEATH((void)register_kernel(Kernel("test::keyed.out", "v1/6;0", kFirst)),
               "registered twice");
}

TEST_F(KernelRegistryTest, TooManyEndTheProcess) {
  EXPECT_DEATH(
      {
        static std::vector<std::string> names;
        for (int i = 0; i < 2000; ++i) {
          names.push_back("many::" + std::to_string(i));
        }
        for (const std::string& name : names) {
          (void)register_kernel(Kernel(name.c_str(), kFirst));
        }
      },
      "one too many");
}

TEST_F(KernelRegistryTest, ManyKernelsAreAllFound) {
  EXPECT_EXIT(
      {
        static std::vector<std::string> names;
        for (int i = 0; i < 1900; ++i) {
          names.push_back("many::" + std::to_string(i));
        }
        size_t found = 0;
        for (const std::string& name : names) {
          (void)register_kernel(Kernel(name.c_str(), kFirst));
        }
        for (const std::string& name : names) {
          found += registry_has_op_function(name.c_str()) ? size_t{1} : size_t{0};
        }
        std::exit(found == names.size() && !registry_has_op_function("many::1900") ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(KernelRegistryTest, LookupsMayRunBesideRegistrations) {
  static std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) {
    names.push_back("beside::" + std::to_string(i));
  }
  std::thread registering([] {
    for (const std::string& name : names) {
      (void)register_kernel(Kernel(name.c_str(), kFirst));
    }
  });
  bool all = false;
  while (!all) {
    EXPECT_EQ(*find("test::both.out", {float_, float_}), kFirst);
    all = true;
    for (const std::string& name : names) {
      all = all && registry_has_op_function(name.c_str());
    }
  }
  registering.join();
  EXPECT_STREQ(get_registered_kernels()[get_registered_kernels().size() - 1].name_, "beside::199");
}

TEST_F(KernelRegistryTest, AMissingOperatorIsNamedWithItsCure) {
  ::testing::internal::CaptureStderr();
  internal::log_missing_operator("aten::add.out");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("Missing operator: aten::add.out"),
                    HasSubstr("executorch::kernels_optimized")));
  ::testing::internal::CaptureStderr();
  internal::log_missing_operator("mine::op.out");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("Missing operator: mine::op.out"), HasSubstr("EXECUTORCH_LIBRARY")));
}

}  // namespace
}  // namespace executorch::runtime
