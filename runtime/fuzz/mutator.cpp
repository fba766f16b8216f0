// How libFuzzer changes programs. Most bytes of a table are offsets, and a changed offset is
// refused at once; what is worth changing are the numbers that verification lets through. So most
// changes are small ones of one number, at the alignment that numbers have.

#include <cstddef>
#include <cstdint>
#include <cstring>

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// A small generator with a seed of libFuzzer's.
class Random {
 public:
  explicit Random(unsigned seed) : state_(std::uint64_t{seed} * 2 + 1) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_;
};

template <typename T>
void change(std::uint8_t* at, Random& random) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  constexpr T kOdd[] = {T{0},
                        T{1},
                        static_cast<T>(~T{0}),
                        static_cast<T>(~T{0} >> 1U),
                        static_cast<T>(T{1} << (8 * sizeof(T) - 1)),
                        T{16}};
  switch (random.below(4)) {
    case 0:
      value = static_cast<T>(value + random.below(8) + 1);
      break;
    case 1:
      value = static_cast<T>(value - random.below(8) - 1);
      break;
    case 2:
      value = static_cast<T>(random.below(32));
      break;
    default:
      value = kOdd[random.below(sizeof kOdd / sizeof kOdd[0])];
      break;
  }
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  constexpr std::size_t kSmallest = 64;
  if (size < kSmallest || random.below(8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::uint64_t changes = 1 + random.below(3);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(random.below(size / 8)) * 8;
    switch (random.below(4)) {
      case 0:
        change<std::uint64_t>(data + at, random);
        break;
      case 1:
        change<std::uint8_t>(data + at + random.below(8), random);
        break;
      default:
        change<std::uint32_t>(data + at + 4 * random.below(2), random);
        break;
    }
  }
  return size;
}
