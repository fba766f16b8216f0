// Two backends and the caller are three libraries; what one selects the others must see.
#include <dlfcn.h>
#include <executorch/extension/cuda/caller_stream.h>

#include "gtest/gtest.h"

extern "C" bool probe_caller_stream(void** stream);

namespace executorch::extension::cuda {
namespace {

TEST(OneState, LinkedAndPrivatelyOpenedLibrariesSeeTheSameSelection) {
  void* library = dlopen(OPENED_PROBE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  using Probe = bool(void**);
  auto* opened = reinterpret_cast<Probe*>(dlsym(library, "probe_caller_stream"));
  ASSERT_NE(opened, nullptr);
  ASSERT_NE(opened, &probe_caller_stream) << "the two must be different libraries";
  char place = 0;
  auto* stream = reinterpret_cast<cudaStream_t>(&place);
  for (Probe* probe : {&probe_caller_stream, opened}) {
    void* seen = nullptr;
    EXPECT_FALSE(probe(&seen));
    const CallerStreamGuard guard(stream);
    EXPECT_TRUE(probe(&seen));
    EXPECT_EQ(seen, &place);
  }
  EXPECT_EQ(dlclose(library), 0);
}

}  // namespace
}  // namespace executorch::extension::cuda
