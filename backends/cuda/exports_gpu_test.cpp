// Real exports on a GPU: graphs, streams, threads, and what stays behind. Skipped without one.
#include <array>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/testing/on_gpu.h"
#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {
namespace {

using exports::Call;
using exports::Export;
using exports::export_folder;
using exports::read_export;
using exports::TensorFile;
using extension::Module;
using runtime::Error;
using runtime::EValue;
using ::testing::HasSubstr;

class ExportsOnGpu : public OnGpu {};

// Every call of an export, several times over.
std::vector<std::vector<Bytes>> run_all(const std::string& model, int rounds) {
  Export files = read_export(export_folder(model));
  Module module(files.program, files.data);
  std::vector<std::vector<Bytes>> all;
  for (Call& call : files.calls) {
    for (int round = 0; round < rounds; ++round) all.push_back(run(module, call));
  }
  return all;
}

class Graphs : public ExportsOnGpu, public ::testing::WithParamInterface<const char*> {};

TEST_P(Graphs, GiveTheSameBits) {
  const auto eager = run_all(GetParam(), 8);
  runtime::BackendOptions<1> options;
  ASSERT_EQ(options.set_option("enable_cuda_graph_for_method", "forward"), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", options.view()), Error::Ok);
  ::testing::internal::CaptureStderr();
  const auto recorded = run_all(GetParam(), 8);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::Not(HasSubstr("can't be recorded")));
  ASSERT_EQ(options.set_option("enable_cuda_graph_for_method", ""), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", options.view()), Error::Ok);
  ASSERT_EQ(eager.size(), recorded.size());
  for (std::size_t i = 0; i < eager.size(); ++i) {
    ASSERT_FALSE(eager[i].empty());
    EXPECT_EQ(eager[i], recorded[i]) << "run " << i;
  }
}

// With state, several outputs, sizes that change, a sorting shim, and quantised products.
INSTANTIATE_TEST_SUITE_P(Exports, Graphs,
                         ::testing::Values("1.5.1/add", "1.2.0/counter", "1.5.1/counter",
                                           "1.5.1/multi_out", "1.5.1/linear_dyn", "1.5.1/kv_cache",
                                           "1.5.1/llama_decode", "1.5.1/int4_tile",
                                           "1.5.1/int6_plain", "1.5.1/sort_big"),
                         [](const auto& model) { return exports::test_name(model.param); });

// A copy of a program that asks for the second device.
std::string for_second_device(const std::string& program, const std::string& path) {
  std::ifstream in(program, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  constexpr std::string_view kFirst = "cuda:0";
  std::size_t changed = 0;
  for (std::size_t at = bytes.find(kFirst); at != std::string::npos; at = bytes.find(kFirst, at)) {
    bytes[at + kFirst.size() - 1] = '1';
    ++changed;
  }
  EXPECT_GT(changed, 0u) << program;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

class TwoDevices : public ExportsOnGpu, public ::testing::WithParamInterface<const char*> {};

// Both at once, in turns: what one library keeps for a device must not serve the other. Memory that
// the program plans for the first device is on another one for the delegate.
TEST_P(TwoDevices, GiveTheSameBits) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) {
    GTEST_SKIP() << "there is no second GPU";
  }
  Export files = read_export(export_folder(GetParam()));
  const std::string second = for_second_device(
      files.program, ::testing::TempDir() + "/second_" + std::to_string(getpid()) + ".pte");
  {
    Module on_first(files.program, files.data);
    Module on_second(second, files.data);
    for (int round = 0; round < 3; ++round) {
      for (Call& call : files.calls) {
        const std::vector<Bytes> expected = run(on_first, call);
        ASSERT_FALSE(expected.empty());
        EXPECT_EQ(run(on_second, call), expected) << call.method << " in round " << round;
        int current = -1;
        EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
        EXPECT_EQ(current, 0) << "the thread's device is left as it was";
      }
    }
  }
  std::filesystem::remove(second);
}

// With kernels only, weights, state, libraries' products, shims, and sizes that change.
INSTANTIATE_TEST_SUITE_P(Exports, TwoDevices,
                         ::testing::Values("1.5.1/add", "1.5.1/linear", "1.5.1/counter",
                                           "1.5.1/kv_cache", "1.5.1/int4_tile", "1.5.1/int8_plain",
                                           "1.5.1/sort_big", "1.5.1/linear_dyn",
                                           "1.5.1/llama_decode"),
                         [](const auto& model) { return exports::test_name(model.param); });

std::size_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

std::size_t device_kib() {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return (total - free) / 1024;
}

TEST_F(ExportsOnGpu, CyclesLeaveNothingBehind) {
  const char* const wanted = std::getenv("CUDA_CYCLES");
  const int cycles = wanted == nullptr ? 400 : std::atoi(wanted);
  const std::string folder = ::testing::TempDir() + "/cycles_" + std::to_string(getpid());
  ASSERT_TRUE(std::filesystem::create_directory(folder));
  setenv("TMPDIR", folder.c_str(), 1);
  std::vector<Export> files;
  std::vector<std::vector<Bytes>> first;
  for (const char* model : {"1.5.1/add", "1.2.0/counter", "1.5.1/linear", "1.5.1/mlp_bf16"}) {
    files.push_back(read_export(export_folder(model)));
  }
  std::size_t host = 0;
  std::size_t device = 0;
  for (int i = 0; i < cycles; ++i) {
    Export& one = files[static_cast<std::size_t>(i) % files.size()];
    {
      Module module(one.program, one.data);
      const std::vector<Bytes> outputs = run(module, one.calls.front());
      ASSERT_FALSE(outputs.empty()) << "cycle " << i;
      if (first.size() < files.size()) first.push_back(outputs);
      ASSERT_EQ(outputs, first[static_cast<std::size_t>(i) % files.size()]) << "cycle " << i;
    }
    if (i == cycles / 4) {
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      host = resident_kib();
      device = device_kib();
    }
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto more_host = static_cast<long>(resident_kib()) - static_cast<long>(host);
  const auto more_device = static_cast<long>(device_kib()) - static_cast<long>(device);
  std::printf("%d cycles; since the first quarter: host memory %+ld KiB, device memory %+ld KiB\n",
              cycles, more_host, more_device);
  EXPECT_LT(more_host, 8 * 1024);
  EXPECT_LE(more_device, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  unsetenv("TMPDIR");
  std::filesystem::remove(folder);
}

// device_acts with its tensors on the device.
class DeviceActs {
 public:
  DeviceActs()
      : files_(read_export(export_folder("1.5.1/device_acts"))),
        module_(files_.program, files_.data) {
    for (void** place : {&in_, &out_, &late_}) {
      EXPECT_EQ(cudaMalloc(place, bytes()), cudaSuccess);
    }
    EXPECT_EQ(cudaMemcpy(in_, input().bytes.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemset(late_, 0, bytes()), cudaSuccess);
    EXPECT_EQ(module_.load_method("forward"), Error::Ok);
    EXPECT_EQ(module_.set_output("forward", tensor(out_)), Error::Ok);
  }
  ~DeviceActs() {
    for (void* place : {in_, out_, late_}) EXPECT_EQ(cudaFree(place), cudaSuccess);
  }
  DeviceActs(const DeviceActs&) = delete;
  DeviceActs& operator=(const DeviceActs&) = delete;

  const TensorFile& input() const { return files_.calls[0].inputs[0]; }
  const TensorFile& compiled() const { return files_.calls[0].compiled[0]; }
  std::size_t bytes() const { return input().bytes.size(); }
  extension::TensorPtr tensor(void* data) const {
    return extension::make_tensor_ptr(input().sizes, data, {}, {}, input().type,
                                      aten::Device(aten::DeviceType::CUDA));
  }
  bool execute(void* in) { return module_.execute("forward", EValue(tensor(in))).ok(); }
  Bytes output() const {
    Bytes result(bytes());
    EXPECT_EQ(cudaMemcpy(result.data(), out_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return result;
  }
  void* in() const { return in_; }
  void* out() const { return out_; }
  void* late() const { return late_; }

 private:
  Export files_;
  Module module_;
  void* in_ = nullptr;
  void* out_ = nullptr;
  void* late_ = nullptr;
};

struct StreamOfCaller {
  StreamOfCaller() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  ~StreamOfCaller() { EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess); }
  StreamOfCaller(const StreamOfCaller&) = delete;
  StreamOfCaller& operator=(const StreamOfCaller&) = delete;
  cudaStream_t stream = nullptr;
};

void* open_second_backend() { return dlopen(SECOND_BACKEND, RTLD_NOW | RTLD_LOCAL); }

TEST_F(ExportsOnGpu, AnotherBackendsLateWriteIsSeen) {
  void* const library = open_second_backend();
  ASSERT_NE(library, nullptr) << dlerror();
  auto* const write_late = reinterpret_cast<bool (*)(void*, const void*, int)>(
      dlsym(library, "second_backend_write_late"));
  ASSERT_NE(write_late, nullptr);
  DeviceActs model;
  ASSERT_TRUE(model.execute(model.in()));
  const StreamOfCaller own;
  ASSERT_EQ(cudaMemset(model.out(), 0, model.bytes()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  {
    const extension::cuda::CallerStreamGuard guard(own.stream);
    ASSERT_TRUE(write_late(model.late(), model.in(), static_cast<int>(model.bytes())));
    ASSERT_TRUE(model.execute(model.late()));
    EXPECT_EQ(cudaStreamQuery(own.stream), cudaErrorNotReady) << "nothing has waited";
    EXPECT_EQ(cudaStreamSynchronize(own.stream), cudaSuccess);
  }
  EXPECT_EQ(model.output(), model.compiled().bytes);
}

TEST_F(ExportsOnGpu, ThreadsWithStreamsOverlap) {
  struct Side {
    StreamOfCaller stream;
    DeviceActs model;
    std::array<cudaEvent_t, 2> events{};
  };
  std::array<Side, 2> sides;
  cudaEvent_t zero = nullptr;
  ASSERT_EQ(cudaEventCreate(&zero), cudaSuccess);
  for (Side& side : sides) {
    for (cudaEvent_t& event : side.events) ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    ASSERT_TRUE(side.model.execute(side.model.in()));
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(zero, sides[0].stream.stream), cudaSuccess);
  const auto work = [](Side& side) {
    const extension::cuda::CallerStreamGuard guard(side.stream.stream);
    EXPECT_EQ(cudaEventRecord(side.events[0], side.stream.stream), cudaSuccess);
    for (int i = 0; i < 2000; ++i) EXPECT_TRUE(side.model.execute(side.model.in()));
    EXPECT_EQ(cudaEventRecord(side.events[1], side.stream.stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(side.stream.stream), cudaSuccess);
  };
  std::thread other(work, std::ref(sides[0]));
  work(sides[1]);
  other.join();
  std::array<std::array<float, 2>, 2> times{};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      ASSERT_EQ(cudaEventElapsedTime(&times[i][k], zero, sides[i].events[k]), cudaSuccess);
      EXPECT_EQ(cudaEventDestroy(sides[i].events[k]), cudaSuccess);
    }
    EXPECT_EQ(sides[i].model.output(), sides[i].model.compiled().bytes);
  }
  EXPECT_EQ(cudaEventDestroy(zero), cudaSuccess);
  std::printf("stream 0 from %.2f to %.2f ms, stream 1 from %.2f to %.2f ms\n",
              static_cast<double>(times[0][0]), static_cast<double>(times[0][1]),
              static_cast<double>(times[1][0]), static_cast<double>(times[1][1]));
  EXPECT_LT(times[0][0], times[1][1]);
  EXPECT_LT(times[1][0], times[0][1]);
}

TEST_F(ExportsOnGpu, AMissingDataFileIsNamedAndTheNextModelRuns) {
  Export files = read_export(export_folder("1.5.1/linear"));
  {
    Module module(files.program);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(module.load_method("forward"), Error::NotFound);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("aoti_cuda_blob.ptd"));
  }
  Module module(files.program, files.data);
  const auto outputs = run(module, files.calls.front());
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0], files.calls.front().compiled[0].bytes);
}

// Runs in a process of its own: nothing works after it.
TEST(ExportsOnGpuDeathTest, ALostDeviceIsSaidByEveryLaterCall) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
  DeviceActs* const model = new DeviceActs();
  ASSERT_TRUE(model->execute(model->in()));
  void* const library = open_second_backend();
  ASSERT_NE(library, nullptr) << dlerror();
  reinterpret_cast<void (*)()>(dlsym(library, "second_backend_break_device"))();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  for (int i = 0; i < 2; ++i) {
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(model->execute(model->in()));
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, HasSubstr("cudaErrorIllegalAddress"));
    EXPECT_THAT(text, HasSubstr("cannot use the device any more"));
  }
  // Its destructor would only say so once more.
}

}  // namespace
}  // namespace executorch::backends::cuda
