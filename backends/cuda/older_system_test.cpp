// What is said of a real export on a system that is older than the one it was made on. CUDA is
// testing/fake_cuda.h.
#include <dlfcn.h>
#include <executorch/extension/module/module.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/testing/fake_cuda.h"
#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {
namespace {

using exports::Export;
using extension::Module;
using runtime::Error;
using testing::FakeCuda;
using ::testing::HasSubstr;

// The exports were made on Ubuntu 24.04, and need functions of its C library: elsewhere that is
// what the delegate says.
bool is_older_system() { return dlsym(RTLD_DEFAULT, "__isoc23_strtol") == nullptr; }

TEST(OlderSystem, IsToldWhatItLacks) {
  if (!is_older_system()) GTEST_SKIP() << "this system is not older than that of the exports";
  const Export files = exports::read_export(exports::export_folder("1.5.1/linear"));
  Module module(files.program, files.data);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(module.load_method("forward"), Error::NotSupported);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("nothing in this process defines __isoc23_strtol"));
  EXPECT_THAT(log, HasSubstr("on a newer system"));
  EXPECT_EQ(FakeCuda::instance().alive(), 0u);
}

}  // namespace
}  // namespace executorch::backends::cuda
