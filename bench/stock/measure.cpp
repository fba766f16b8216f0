// What a user waits for: measure MODEL.pte INPUT.bin... prints, in nanoseconds and KiB,
//   load_ns   opening the file and making "forward" ready, median
//   call_ns   one call of "forward", median
//   peak_kib  the most memory that the process had
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/runtime.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using Clock = std::chrono::steady_clock;

constexpr int kLoads = 200;
constexpr int kSamples = 200;
// A sample repeats the call until it lasts this long, so that the clock's own time doesn't count.
constexpr double kSampleNanoseconds = 20'000;

[[noreturn]] void fail(const char* what, Error error) {
  std::fprintf(stderr, "%s: 0x%x\n", what, static_cast<unsigned>(error));
  std::exit(1);
}

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double measure_load(const std::string& path) {
  std::vector<double> times;
  for (int i = 0; i < kLoads; ++i) {
    const auto start = Clock::now();
    Module module(path);
    const Error error = module.load_forward();
    times.push_back(nanoseconds_since(start));
    if (error != Error::Ok) {
      fail("loading", error);
    }
  }
  return median(times);
}

double measure_call(Module& module, const std::vector<EValue>& inputs) {
  const auto call = [&] {
    const auto outputs = module.forward(inputs);
    if (!outputs.ok()) {
      fail("forward", outputs.error());
    }
  };
  call();
  auto start = Clock::now();
  call();
  const int calls = 1 + static_cast<int>(kSampleNanoseconds / nanoseconds_since(start));
  std::vector<double> times;
  for (int sample = 0; sample < kSamples; ++sample) {
    start = Clock::now();
    for (int i = 0; i < calls; ++i) {
      call();
    }
    times.push_back(nanoseconds_since(start) / calls);
  }
  return median(times);
}

// getrusage() would count what the parent had before it became this program.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      return std::stol(line.substr(6));
    }
  }
  return -1;
}

std::vector<char> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: measure MODEL.pte INPUT.bin...\n");
    return 2;
  }
  executorch::runtime::runtime_init();
  const std::string path = argv[1];
  Module module(path);
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    fail("opening", meta.error());
  }
  std::vector<std::vector<char>> bytes;
  std::vector<executorch::extension::TensorPtr> tensors;
  std::vector<EValue> inputs;
  for (int i = 2; i < argc; ++i) {
    const auto info = meta->input_tensor_meta(static_cast<size_t>(i - 2));
    bytes.push_back(read(argv[i]));
    if (!info.ok() || bytes.back().size() != info->nbytes()) {
      fail("an input of another size", Error::InvalidArgument);
    }
    tensors.push_back(executorch::extension::from_blob(
        bytes.back().data(),
        std::vector<executorch::aten::SizesType>(info->sizes().begin(), info->sizes().end()),
        info->scalar_type()));
    inputs.push_back(tensors.back());
  }
  std::printf("load_ns %.0f\n", measure_load(path));
  std::printf("call_ns %.0f\n", measure_call(module, inputs));
  std::printf("peak_kib %ld\n", peak_kib());
  return 0;
}
