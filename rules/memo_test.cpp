#include "rules/memo.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

struct Small {
  int value;
};
struct Made {
  int value;
};

TEST(Memo, IsMadeOnceThoughManyThreadsAsk) {
  Memo memo;
  std::atomic<int> times{0};
  std::vector<const Made*> seen(8);
  std::vector<std::thread> threads;
  for (const Made*& mine : seen) {
    threads.emplace_back([&] {
      mine = &memo.get<Made>(
          [&] { return Made{++times + memo.get<Small>([] { return Small{10}; }).value}; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(times, 1);
  for (const Made* made : seen) {
    EXPECT_EQ(made, seen.front());
    EXPECT_EQ(made->value, 11);
  }
}

}  // namespace
}  // namespace wheelcheck
