#include "runtime/backend/registry.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FakeBackend final : public BackendInterface {
 public:
  explicit FakeBackend(bool available = true) : available_(available) {}

  bool is_available() const override { return available_; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return nullptr;
  }
  Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override {
    return Error::Ok;
  }
  Error set_option(BackendOptionContext&, const Span<BackendOption>& options) override {
    received = options.size();
    return Error::Ok;
  }

  size_t received = 0;

 private:
  bool available_;
};

FakeBackend& first() {
  static FakeBackend backend;
  static const Error registered = register_backend({"first", &backend});
  EXPECT_EQ(registered, Error::Ok);
  return backend;
}

TEST(BackendRegistryTest, ABackendIsFoundByItsName) {
  FakeBackend& backend = first();
  EXPECT_EQ(get_backend_class("first"), &backend);
  EXPECT_EQ(get_backend_class("firs"), nullptr);
  EXPECT_EQ(*internal::find_backend("first"), &backend);
  ASSERT_GE(get_num_registered_backends(), 1u);
  EXPECT_STREQ(*get_backend_name(0), "first");
  EXPECT_EQ(get_backend_name(get_num_registered_backends()).error(), Error::InvalidArgument);
}

TEST(BackendRegistryTest, ANameIsTakenOnce) {
  FakeBackend& backend = first();
  EXPECT_EQ(register_backend({"first", &backend}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"null", nullptr}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({nullptr, &backend}), Error::InvalidArgument);
}

TEST(BackendRegistryTest, OptionsReachTheBackend) {
  FakeBackend& backend = first();
  BackendOption option;
  EXPECT_EQ(set_option("first", Span<BackendOption>(option)), Error::Ok);
  EXPECT_EQ(backend.received, 1u);
  EXPECT_EQ(get_option("first", Span<BackendOption>(option)), Error::Ok);
  EXPECT_EQ(set_option("none", {}), Error::NotFound);
  EXPECT_EQ(get_option("none", {}), Error::NotFound);
}

TEST(BackendRegistryTest, AMissingBackendIsNamedWithItsCure) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(internal::find_backend("CudaBackend").error(), Error::NotFound);
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("CudaBackend is not registered"), HasSubstr("executorch::backend_cuda")));
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(internal::find_backend("SomeBackend").error(), Error::NotFound);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("SomeBackend is not registered"), HasSubstr("--no-as-needed")));
}

TEST(BackendRegistryTest, AnUnavailableBackendIsNotFound) {
  static FakeBackend unavailable(false);
  ASSERT_EQ(register_backend({"unavailable", &unavailable}), Error::Ok);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(internal::find_backend("unavailable").error(), Error::NotFound);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("can't work on this machine"));
}

// Last: it fills the registry.
TEST(BackendRegistryTest, ThereIsRoomForSixteen) {
  static FakeBackend backend;
  static std::string names[17];
  Error error = Error::Ok;
  for (std::string& name : names) {
    name = "backend " + std::to_string(&name - names);
    error = register_backend({name.c_str(), &backend});
    if (error != Error::Ok) {
      break;
    }
  }
  EXPECT_EQ(error, Error::Internal);
  EXPECT_EQ(get_num_registered_backends(), 16u);
}

}  // namespace
}  // namespace executorch::runtime
