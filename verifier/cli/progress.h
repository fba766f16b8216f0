#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace wheelcheck::cli {

/// One line on standard error that says how far the reading is. Silent for whatever takes less than
/// half a second, so that quick runs do not flicker. Safe to call from several threads.
class Progress {
 public:
  /// `wheels`: how many there are in all.
  explicit Progress(std::size_t wheels) : wheels_(wheels) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& file, std::uint64_t done, std::uint64_t total);
  /// Wipes the line, so that something else can be written.
  void clear();
  void wheel_done();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::size_t wheels_;
  std::size_t wheels_done_ = 0;
  Clock::time_point last_ = Clock::now();
  bool shown_ = false;
};

}  // namespace wheelcheck::cli
