#include "verifier/scan/work_queue.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

TEST(RunInParallel, EachIndexOnceWhateverTheNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 3U, 50U}) {
    std::vector<std::atomic<int>> seen(20);
    run_in_parallel(seen.size(), threads, [&] { return [&](std::size_t i) { ++seen[i]; }; });
    for (const auto& times : seen) EXPECT_EQ(times, 1) << threads;
  }
}

TEST(RunInParallel, NothingToDoMakesNoWorker) {
  run_in_parallel(0, 4, []() -> std::function<void(std::size_t)> {
    ADD_FAILURE() << "a worker was made";
    return {};
  });
}

TEST(RunInParallel, AnExceptionOfAnyThreadReachesTheCaller) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> ended{0};
    try {
      run_in_parallel(100, threads, [&] {
        return [&](std::size_t i) {
          if (i == 7) throw std::runtime_error("seven");
          ++ended;
        };
      });
      ADD_FAILURE() << "it was swallowed";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "seven");
      EXPECT_LT(ended, 100);
    }
  }
}

}  // namespace
}  // namespace wheelcheck
