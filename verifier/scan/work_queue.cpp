#include "verifier/scan/work_queue.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace wheelcheck {

void run_in_parallel(std::size_t count, unsigned threads,
                     const std::function<std::function<void(std::size_t)>()>& make_worker) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&]() {
    // An exception that leaves a thread ends the process; the caller can still say what happened.
    try {
      const std::function<void(std::size_t)> worker = make_worker();
      for (std::size_t i = next++; i < count; i = next++) worker(i);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    // Where the system gives no more threads, fewer do the work.
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {
      break;
    }
  }
  if (count != 0) work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wheelcheck
