#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/system.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

int init_calls = 0;

TEST(PalTest, InitIsCalledOnce) {
  PalImpl counting = PalImpl::create([] { ++init_calls; }, nullptr, nullptr, nullptr, nullptr,
                                     nullptr, nullptr, __FILE__);
  ASSERT_TRUE(register_pal(counting));
  runtime_init();
  runtime_init();
  EXPECT_EQ(init_calls, 1);
}

TEST(PalTest, NullFunctionsKeepTheOnesInForce) {
  const auto before = get_pal_impl()->allocate;
  ASSERT_TRUE(register_pal(PalImpl::create(et_pal_emit_log_message, "someone.cpp")));
  EXPECT_EQ(get_pal_impl()->allocate, before);
  EXPECT_STREQ(get_pal_impl()->source_filename, "someone.cpp");
}

TEST(PalTest, TheClockGoesForwardInNanoseconds) {
  const et_timestamp_t first = pal_current_ticks();
  const et_timestamp_t second = pal_current_ticks();
  EXPECT_GE(second, first);
  EXPECT_EQ(ticks_to_ns(7), 7u);
}

TEST(PalTest, MemoryCanBeUsedAndFreed) {
  void* const memory = pal_allocate(100);
  ASSERT_NE(memory, nullptr);
  static_cast<char*>(memory)[99] = 1;
  pal_free(memory);
  pal_free(nullptr);
}

TEST(PalTest, AnAbortThatReturnsStillEndsTheProcess) {
  EXPECT_DEATH(
      {
        (void)register_pal(PalImpl::create(
            nullptr, [] {}, nullptr, nullptr, nullptr, nullptr, nullptr, __FILE__));
        pal_abort();
      },
      "");
}

TEST(SystemTest, TheProgramThatHoldsAFunctionIsFound) {
  const char* const name =
      et_pal_get_shared_library_name(reinterpret_cast<const void*>(&pal_allocate));
  EXPECT_THAT(name, ::testing::HasSubstr("runtime_platform_test"));
  EXPECT_STREQ(et_pal_get_shared_library_name(nullptr), DYNAMIC_LIBRARY_NOT_FOUND);
}

}  // namespace
}  // namespace executorch::runtime
