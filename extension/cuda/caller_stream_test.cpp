#include <executorch/extension/cuda/caller_stream.h>
#include <thread>
#include <type_traits>

#include "gtest/gtest.h"

namespace executorch::extension::cuda {
namespace {

// Never dereferenced: the helper treats a stream as an opaque word.
cudaStream_t stream(int which) {
  static char places[4];
  return reinterpret_cast<cudaStream_t>(&places[which]);
}

TEST(CallerStream, NoGuardReportsNullopt) { EXPECT_FALSE(getCallerStream().has_value()); }

TEST(CallerStream, GuardSelectsThenRestores) {
  {
    CallerStreamGuard guard(stream(0));
    EXPECT_EQ(getCallerStream(), stream(0));
  }
  EXPECT_FALSE(getCallerStream().has_value());
}

TEST(CallerStream, ExplicitNullStreamIsStillSelected) {
  CallerStreamGuard guard(nullptr);
  ASSERT_TRUE(getCallerStream().has_value());
  EXPECT_EQ(*getCallerStream(), nullptr);
}

TEST(CallerStream, NestedGuardsRestoreOuter) {
  CallerStreamGuard outer(stream(0));
  {
    CallerStreamGuard null(nullptr);
    {
      CallerStreamGuard inner(stream(1));
      EXPECT_EQ(getCallerStream(), stream(1));
    }
    EXPECT_EQ(getCallerStream(), cudaStream_t{});
  }
  EXPECT_EQ(getCallerStream(), stream(0));
}

TEST(CallerStream, SelectionIsThreadLocal) {
  CallerStreamGuard guard(stream(0));
  std::optional<cudaStream_t> seen = stream(3);
  std::optional<cudaStream_t> own;
  std::thread([&] {
    seen = getCallerStream();
    CallerStreamGuard other(stream(2));
    own = getCallerStream();
  }).join();
  EXPECT_FALSE(seen.has_value());
  EXPECT_EQ(own, stream(2));
  EXPECT_EQ(getCallerStream(), stream(0));
}

TEST(CallerStream, NotCopyable) {
  EXPECT_FALSE(std::is_copy_constructible_v<CallerStreamGuard>);
  EXPECT_FALSE(std::is_copy_assignable_v<CallerStreamGuard>);
  EXPECT_FALSE(std::is_move_constructible_v<CallerStreamGuard>);
  EXPECT_FALSE(std::is_move_assignable_v<CallerStreamGuard>);
}

}  // namespace
}  // namespace executorch::extension::cuda
