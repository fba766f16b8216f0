#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace executorch::backends::cuda {

/// Outputs of the exports that draw random numbers: `rand` adds a number of [0, 1) to each element,
/// `randint` an integer of 3 ... 16 to each row, and `dropout` keeps half of the elements, doubled.
/// The mean of what was drawn has to be within four standard deviations of what it should be, every
/// draw in its range, and no two calls alike.
class RandomOutputs {
 public:
  explicit RandomOutputs(std::string kind) : kind_(std::move(kind)) {}

  void add(const std::vector<std::uint8_t>& input, const std::vector<std::uint8_t>& output) {
    const std::vector<float> x = floats(input);
    const std::vector<float> y = floats(output);
    if (output == last_) ++repeated_;
    last_ = output;
    if (x.size() != y.size()) {
      ++out_of_range_;
      return;
    }
    for (std::size_t i = 0; i < x.size(); ++i) draw(x[i], y[i]);
    ++calls_;
  }

  bool good() const {
    return calls_ > 1 && repeated_ == 0 && out_of_range_ == 0 &&
           std::abs(mean() - expected()) <= threshold();
  }
  std::string text() const {
    char text[200];
    std::snprintf(text, sizeof text,
                  "mean of %zu draws in %zu calls %.4f, expected %.4f +- %.4f; out of range %zu, "
                  "calls alike %zu",
                  count_, calls_, mean(), expected(), threshold(), out_of_range_, repeated_);
    return text;
  }

 private:
  static std::vector<float> floats(const std::vector<std::uint8_t>& bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
  }
  void draw(float x, float y) {
    // Sums of floats: the draw comes back with the rounding of one addition.
    constexpr float kRounding = 4e-6f;
    float drawn = y - x;
    bool fits = drawn > -kRounding && drawn <= 1.0f + kRounding;
    if (kind_ == "randint") {
      fits = std::abs(drawn - std::round(drawn)) < kRounding && drawn > 2.5f && drawn < 16.5f;
    } else if (kind_ == "dropout") {
      drawn = y == 0.0f ? 0.0f : 1.0f;
      fits = y == 0.0f || std::abs(y - 2.0f * x) <= kRounding;
    }
    out_of_range_ += fits ? 0 : 1;
    sum_ += static_cast<double>(drawn);
    ++count_;
  }
  double mean() const { return sum_ / static_cast<double>(count_ == 0 ? 1 : count_); }
  double expected() const { return kind_ == "randint" ? 9.5 : 0.5; }
  double threshold() const {
    // Of one draw; for randint, the six elements of a row share one.
    const double deviation = kind_ == "randint"   ? std::sqrt((14.0 * 14.0 - 1.0) / 12.0)
                             : kind_ == "dropout" ? 0.5
                                                  : std::sqrt(1.0 / 12.0);
    const double draws = static_cast<double>(count_) / (kind_ == "randint" ? 6.0 : 1.0);
    return 4.0 * deviation / std::sqrt(draws);
  }

  std::string kind_;
  std::vector<std::uint8_t> last_;
  std::size_t calls_ = 0;
  std::size_t count_ = 0;
  std::size_t out_of_range_ = 0;
  std::size_t repeated_ = 0;
  double sum_ = 0;
};

}  // namespace executorch::backends::cuda
