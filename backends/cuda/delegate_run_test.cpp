// Where inputs and outputs are, which stream is used, what waits, and what happens when CUDA fails.
// The libraries are those of testing/fake_model.cpp, CUDA is testing/fake_cuda.h.
#include <algorithm>
#include <array>
#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>
#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/testing/fake_program.h"

namespace executorch::backends::cuda {
namespace {

using extension::make_tensor_ptr;
using extension::TensorPtr;
using runtime::Error;
using testing::DeviceFloats;
using ::testing::ElementsAre;
using testing::FakeCuda;
using testing::FakeProgram;
using ::testing::HasSubstr;
using testing::Log;
using testing::ProgramOptions;

class Running : public ::testing::Test {
 protected:
  void SetUp() override { FakeCuda::instance().reset(); }
  void TearDown() override { EXPECT_EQ(fake().alive(), 0u); }
  static FakeCuda& fake() { return FakeCuda::instance(); }

  static TensorPtr device_tensor(float* data, std::vector<std::int32_t> sizes = {2, 2}) {
    return make_tensor_ptr(std::move(sizes), data, {}, {}, aten::ScalarType::Float,
                           aten::Device(aten::DeviceType::CUDA));
  }
  static ProgramOptions unplanned(const std::string& variant = "plain", std::size_t outputs = 1) {
    ProgramOptions options;
    options.variant = variant;
    options.outputs = outputs;
    options.planned = false;
    return options;
  }
};

TEST_F(Running, DeviceMemoryIsUsedWhereItIs) {
  FakeProgram program(unplanned());
  ASSERT_EQ(program.load(), Error::Ok);
  const DeviceFloats a({1, 2, 3, 4}), b({10, 20, 30, 40}), out({0, 0, 0, 0});
  const TensorPtr in_a = device_tensor(a.data()), in_b = device_tensor(b.data());
  ASSERT_EQ(program.module().set_output("forward", device_tensor(out.data())), Error::Ok);
  for (int i = 0; i < 3; ++i) {
    fake().calls.clear();
    ASSERT_TRUE(program.module().execute("forward", {in_a, in_b}).ok());
    EXPECT_THAT(out.values(), ElementsAre(11, 22, 33, 44));
    EXPECT_EQ(fake().count("cudaStreamSynchronize"), 0u) << "nothing goes to the host";
    EXPECT_EQ(fake().count("cudaEventSynchronize"), 0u);
    // From the second run on the library makes the output in its place.
    EXPECT_EQ(fake().count("cudaMemcpyAsync"), i == 0 ? 1u : 0u) << "run " << i;
    b.data()[0] += 1;
    a.data()[0] -= 1;
  }
}

TEST_F(Running, AnOutputInTheMemoryOfAnInputIsNotMadeThere) {
  FakeProgram program(unplanned());
  ASSERT_EQ(program.load(), Error::Ok);
  const DeviceFloats a({1, 2, 3, 4}), b({1, 1, 1, 1});
  ASSERT_EQ(program.module().set_output("forward", device_tensor(a.data())), Error::Ok);
  for (int i = 1; i < 4; ++i) {
    ASSERT_TRUE(program.module()
                    .execute("forward", {device_tensor(a.data()), device_tensor(b.data())})
                    .ok());
    const float n = static_cast<float>(i);
    EXPECT_THAT(a.values(), ElementsAre(1 + n, 2 + n, 3 + n, 4 + n));
  }
}

TEST_F(Running, AnOutputOnTheHostIsWaitedFor) {
  FakeProgram program(ProgramOptions{});
  ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
  fake().calls.clear();
  ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
  EXPECT_EQ(fake().count("cudaStreamSynchronize"), 1u);
}

TEST_F(Running, OutputsMayRepeatAndAliasInputs) {
  FakeProgram program(unplanned("outputs", 3));
  ASSERT_EQ(program.load(), Error::Ok);
  const DeviceFloats a({1, 2, 3, 4}), b({10, 20, 30, 40}), two({0, 0, 0, 0}), three({0, 0, 0, 0});
  extension::Module& module = program.module();
  // The first output goes where the second input is, of which the third is a view.
  ASSERT_EQ(module.set_output("forward", device_tensor(b.data()), 0), Error::Ok);
  ASSERT_EQ(module.set_output("forward", device_tensor(two.data()), 1), Error::Ok);
  ASSERT_EQ(module.set_output("forward", device_tensor(three.data()), 2), Error::Ok);
  ASSERT_TRUE(module.execute("forward", {device_tensor(a.data()), device_tensor(b.data())}).ok());
  EXPECT_THAT(b.values(), ElementsAre(11, 22, 33, 44));
  EXPECT_THAT(two.values(), ElementsAre(11, 22, 33, 44));
  EXPECT_THAT(three.values(), ElementsAre(10, 20, 30, 40));
  ASSERT_TRUE(module.execute("forward", {device_tensor(a.data()), device_tensor(b.data())}).ok());
  EXPECT_THAT(b.values(), ElementsAre(12, 24, 36, 48));
  EXPECT_THAT(two.values(), ElementsAre(12, 24, 36, 48));
  EXPECT_THAT(three.values(), ElementsAre(11, 22, 33, 44));
}

TEST_F(Running, SizesFollowTheInputs) {
  ProgramOptions options;
  options.dynamic = true;
  options.sizes = {4, 2};
  FakeProgram program(options);
  EXPECT_THAT(*program.run({1, 2, 3, 4}, {1, 1, 1, 1}), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(*program.run({1, 2}, {1, 1}), ElementsAre(2, 3));
  EXPECT_THAT(*program.run({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 1, 1, 1, 1, 1}),
              ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(*program.run({}, {}), ElementsAre());
}

TEST_F(Running, TheCallersStreamIsUsed) {
  FakeProgram program(ProgramOptions{});
  ASSERT_EQ(program.load(), Error::Ok);
  int place = 0;
  const auto stream = reinterpret_cast<cudaStream_t>(&place);
  for (const cudaStream_t wanted : {stream, cudaStream_t{}}) {
    const extension::cuda::CallerStreamGuard guard(wanted);
    fake().streams_used.clear();
    EXPECT_THAT(*program.run({1, 2, 3, 4}, {1, 1, 1, 1}), ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(fake().streams_used, ElementsAre(wanted));
  }
}

TEST_F(Running, RunsOnAnotherStreamAreOrdered) {
  FakeProgram program(ProgramOptions{});
  ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
  int place = 0;
  fake().calls.clear();
  {
    const extension::cuda::CallerStreamGuard guard(reinterpret_cast<cudaStream_t>(&place));
    ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
    EXPECT_EQ(fake().count("cudaStreamWaitEvent"), 1u);
    ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
    EXPECT_EQ(fake().count("cudaStreamWaitEvent"), 1u) << "the same stream";
  }
  ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
  EXPECT_EQ(fake().count("cudaStreamWaitEvent"), 2u);
}

TEST_F(Running, PinnedInputsHaveBeenReadWhenItReturns) {
  FakeProgram program(unplanned());
  ASSERT_EQ(program.load(), Error::Ok);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4 * sizeof(float)), cudaSuccess);
  auto* const a = static_cast<float*>(pinned);
  for (int i = 0; i < 4; ++i) a[i] = static_cast<float>(i);
  {
    const DeviceFloats b({1, 1, 1, 1}), out({0, 0, 0, 0});
    ASSERT_EQ(program.module().set_output("forward", device_tensor(out.data())), Error::Ok);
    fake().calls.clear();
    ASSERT_TRUE(program.module()
                    .execute("forward", {make_tensor_ptr({2, 2}, a), device_tensor(b.data())})
                    .ok());
    EXPECT_THAT(out.values(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(fake().count("cudaEventSynchronize"), 1u);
  }
  ASSERT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Running, AnOutputWithoutMemoryIsAnError) {
  FakeProgram program(unplanned());
  const auto result = program.run({1, 2, 3, 4}, {1, 1, 1, 1});
  EXPECT_EQ(result.error(), Error::InvalidArgument);
  FakeProgram next(ProgramOptions{});
  EXPECT_TRUE(next.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
}

TEST_F(Running, ALibraryThatFailsIsQuoted) {
  ProgramOptions options;
  options.variant = "fails";
  FakeProgram program(options);
  ASSERT_EQ(program.load(), Error::Ok);
  Log log;
  EXPECT_FALSE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
  EXPECT_THAT(log.text(), HasSubstr("the last shim that failed"));
}

TEST_F(Running, AnOutputOfAnotherTypeIsRefused) {
  ProgramOptions options;
  options.variant = "wrong_type";
  FakeProgram program(options);
  ASSERT_EQ(program.load(), Error::Ok);
  Log log;
  EXPECT_EQ(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).error(), Error::InvalidProgram);
  EXPECT_THAT(log.text(), HasSubstr("output 0 is of type 3"));
}

// Inputs in pinned memory may be gone, and another stream may follow, as soon as a run has failed.
TEST_F(Running, AFailedRunHasEndedWhenItReturns) {
  ProgramOptions options = unplanned("wrong_type");
  FakeProgram program(options);
  ASSERT_EQ(program.load(), Error::Ok);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4 * sizeof(float)), cudaSuccess);
  std::fill_n(static_cast<float*>(pinned), 4, 1.0f);
  const auto run = [&] {
    const DeviceFloats b({1, 1, 1, 1}), out({0, 0, 0, 0});
    EXPECT_EQ(program.module().set_output("forward", device_tensor(out.data())), Error::Ok);
    fake().calls.clear();
    const TensorPtr a = make_tensor_ptr({2, 2}, static_cast<float*>(pinned));
    return program.module().execute("forward", {a, device_tensor(b.data())}).error();
  };
  EXPECT_EQ(run(), Error::InvalidProgram);
  EXPECT_EQ(fake().count("cudaStreamSynchronize"), 1u);
  {
    // What is only recorded can't be waited for.
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    const extension::cuda::CallerStreamGuard guard(stream);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
    EXPECT_EQ(run(), Error::InvalidProgram);
    EXPECT_EQ(fake().count("cudaStreamSynchronize"), 0u);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
  ASSERT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Running, OutputsStayOnTheDeviceWhereThatIsAskedFor) {
  runtime::BackendOptions<1> on;
  ASSERT_EQ(on.set_option("skip_copy_output_to_cpu_for_method", "other, decode"), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", on.view()), Error::Ok);
  ProgramOptions options;
  options.method_name = "decode";
  options.library_key = "decode_so_blob";
  options.payload = testing::Bytes();
  {
    FakeProgram program(options);
    for (int i = 0; i < 3; ++i) {
      EXPECT_THAT(*program.run({1, 2, 3, 4}, {1, 1, 1, 1}), ElementsAre(2, 3, 4, 5));
      const auto output = program.module().get_output("forward");
      ASSERT_TRUE(output.ok());
      EXPECT_TRUE(fake().is_device(output->toTensor().const_data_ptr()));
    }
  }
  ASSERT_EQ(on.set_option("skip_copy_output_to_cpu_for_method", ""), Error::Ok);
  ASSERT_EQ(runtime::set_option("CudaBackend", on.view()), Error::Ok);
}

class GraphsOfAMethod : public Running {
 protected:
  void SetUp() override {
    Running::SetUp();
    use("forward");
  }
  void TearDown() override {
    use("");
    Running::TearDown();
  }
  static void use(const char* methods) {
    runtime::BackendOptions<1> options;
    ASSERT_EQ(options.set_option("enable_cuda_graph_for_method", methods), Error::Ok);
    ASSERT_EQ(runtime::set_option("CudaBackend", options.view()), Error::Ok);
  }
};

TEST_F(GraphsOfAMethod, GiveWhatRunsGive) {
  ProgramOptions options;
  options.variant = "constants";
  options.data = testing::fake_constants(100, 0);
  options.dynamic = true;
  options.sizes = {4, 2};
  FakeProgram program(options);
  for (int i = 0; i < 10; ++i) {
    const float n = static_cast<float>(i);
    fake().calls.clear();
    // The state counts the runs: each one has to happen once.
    if (i == 7) {
      EXPECT_THAT(*program.run({n, n}, {1, 2}), ElementsAre(101 + 2 * n, 102 + 2 * n))
          << "other sizes than were recorded";
    } else {
      EXPECT_THAT(*program.run({n, n, n, n}, {1, 2, 3, 4}),
                  ElementsAre(101 + 2 * n, 102 + 2 * n, 103 + 2 * n, 104 + 2 * n))
          << "run " << i;
    }
    EXPECT_EQ(fake().count("cudaGraphLaunch"), i >= 3 && i != 7 ? 1u : 0u) << "run " << i;
    EXPECT_EQ(fake().count("cudaStreamBeginCapture"), i == 3 ? 1u : 0u) << "run " << i;
  }
}

TEST_F(GraphsOfAMethod, RepeatAndAliasAndGoTheCallersWay) {
  FakeProgram program(unplanned("outputs", 3));
  ASSERT_EQ(program.load(), Error::Ok);
  const DeviceFloats a({1, 2, 3, 4}), b({10, 20, 30, 40});
  const DeviceFloats one({0, 0, 0, 0}), two({0, 0, 0, 0}), three({0, 0, 0, 0});
  const std::array<float*, 3> places = {one.data(), two.data(), three.data()};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(program.module().set_output("forward", device_tensor(places[i]), i), Error::Ok);
  }
  int place = 0;
  const auto stream = reinterpret_cast<cudaStream_t>(&place);
  for (int i = 0; i < 6; ++i) {
    const extension::cuda::CallerStreamGuard guard(stream);
    fake().streams_used.clear();
    ASSERT_TRUE(program.module()
                    .execute("forward", {device_tensor(a.data()), device_tensor(b.data())})
                    .ok());
    EXPECT_THAT(one.values(), ElementsAre(a.data()[0] + 10, 22, 33, 44));
    EXPECT_THAT(two.values(), ElementsAre(a.data()[0] + 10, 22, 33, 44));
    EXPECT_THAT(three.values(), ElementsAre(10, 20, 30, 40));
    EXPECT_TRUE(fake().streams_used.contains(stream));
    a.data()[0] += 1;
  }
  EXPECT_EQ(fake().count("cudaGraphLaunch"), 3u);
}

TEST_F(GraphsOfAMethod, WhatCanNotBeRecordedRunsWithout) {
  for (const char* call :
       {"cudaStreamEndCapture", "cudaGraphInstantiate", "cudaStreamBeginCapture"}) {
    FakeProgram program(ProgramOptions{});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(program.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
    // Which call it is, is seen from a program that does record.
    FakeProgram other(ProgramOptions{});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(other.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
    fake().reset();
    ASSERT_TRUE(other.run({1, 2, 3, 4}, {1, 1, 1, 1}).ok());
    const auto found = std::find(fake().calls.begin(), fake().calls.end(), call);
    ASSERT_NE(found, fake().calls.end()) << call;
    const auto index = found - fake().calls.begin();
    fake().reset();
    fake().fail_at = index;
    fake().failure = cudaErrorStreamCaptureUnsupported;
    Log log;
    EXPECT_THAT(*program.run({1, 2, 3, 4}, {1, 1, 1, 1}), ElementsAre(2, 3, 4, 5)) << call;
    EXPECT_THAT(log.text(), HasSubstr("runs without one")) << call;
    EXPECT_THAT(*program.run({1, 2, 3, 4}, {2, 2, 2, 2}), ElementsAre(3, 4, 5, 6)) << call;
    EXPECT_EQ(fake().count("cudaGraphLaunch"), 0u) << call;
  }
}

TEST_F(Running, CodeOfKernelsIsLoadedOnce) {
  const std::size_t before = fake().modules;
  for (int i = 0; i < 3; ++i) {
    FakeProgram program(unplanned("plain"));
    FakeProgram second(unplanned("plain"));
    ASSERT_EQ(program.load(), Error::Ok);
    ASSERT_EQ(second.load(), Error::Ok);
  }
  EXPECT_LE(fake().modules, before + 1);
}

// Whatever call of CUDA fails, it is an error that names CUDA's, or it was one that only gives
// something back; nothing is left behind, and the next program runs.
TEST_F(Running, AnyCallOfCudaMayFail) {
  ProgramOptions options;
  options.variant = "constants";
  options.data = testing::fake_constants(100, 0);
  const auto scenario = [&] {
    FakeProgram program(options);
    if (program.load() != Error::Ok) return std::vector<float>();
    const auto first = program.run({1, 2, 3, 4}, {1, 1, 1, 1});
    if (!first.ok()) return std::vector<float>();
    const auto second = program.run({1, 2, 3, 4}, {1, 1, 1, 1});
    return second.ok() ? *second : std::vector<float>();
  };
  const std::vector<float> expected = {103, 104, 105, 106};
  ASSERT_EQ(scenario(), expected);
  ASSERT_EQ(fake().alive(), 0u);
  fake().reset();
  ASSERT_EQ(scenario(), expected);
  const std::vector<std::string> calls = fake().calls;
  ASSERT_GT(calls.size(), 20u);
  std::size_t noticed = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    fake().reset();
    fake().fail_at = static_cast<std::int64_t>(i);
    fake().failure = cudaErrorIllegalAddress;
    Log log;
    const std::vector<float> result = scenario();
    const std::string text = log.text();
    const bool gives_back =
        calls[i].find("Free") != std::string::npos || calls[i].find("Destroy") != std::string::npos;
    if (result.empty()) {
      ++noticed;
      EXPECT_THAT(text, HasSubstr("cudaErrorIllegalAddress")) << calls[i] << ", call " << i;
    } else {
      EXPECT_EQ(result, expected) << calls[i] << ", call " << i;
    }
    // What could not be given back is what is left.
    EXPECT_TRUE(gives_back || fake().alive() == 0u) << calls[i] << ", call " << i;
    fake().device_memory.clear();
    fake().streams.clear();
    fake().graphs = 0;
    fake().events = 0;
  }
  EXPECT_GT(noticed, calls.size() / 2);
  fake().reset();
  EXPECT_EQ(scenario(), expected);
}

TEST_F(Running, TheAllocatorCopiesBothWays) {
  auto* const allocator = runtime::get_device_allocator(aten::DeviceType::CUDA);
  ASSERT_NE(allocator, nullptr);
  for (const bool on_callers_stream : {false, true}) {
    int place = 0;
    std::optional<extension::cuda::CallerStreamGuard> guard;
    if (on_callers_stream) guard.emplace(reinterpret_cast<cudaStream_t>(&place));
    const auto memory = allocator->allocate(16, 0, 16);
    ASSERT_TRUE(memory.ok());
    const std::vector<float> from = {1, 2, 3, 4};
    std::vector<float> to(4);
    EXPECT_EQ(allocator->copy_host_to_device(*memory, from.data(), 16, 0), Error::Ok);
    fake().calls.clear();
    EXPECT_EQ(allocator->copy_device_to_host(to.data(), *memory, 16, -1), Error::Ok);
    EXPECT_EQ(to, from);
    EXPECT_EQ(fake().count("cudaStreamSynchronize"), on_callers_stream ? 1u : 0u);
    allocator->deallocate(*memory, 0);
  }
}

TEST_F(Running, TheAllocatorRefusesWhatCannotBe) {
  auto* const allocator = runtime::get_device_allocator(aten::DeviceType::CUDA);
  float value = 0;
  EXPECT_EQ(allocator->copy_host_to_device(nullptr, &value, 4, 0), Error::InvalidArgument);
  EXPECT_EQ(allocator->copy_host_to_device(&value, nullptr, 4, 0), Error::InvalidArgument);
  EXPECT_EQ(allocator->copy_device_to_host(nullptr, &value, 4, 0), Error::InvalidArgument);
  EXPECT_EQ(allocator->copy_device_to_host(&value, nullptr, 4, -2), Error::InvalidArgument);
  EXPECT_EQ(allocator->copy_host_to_device(nullptr, nullptr, 0, 0), Error::Ok);
  EXPECT_EQ(allocator->allocate(16, -2, 16).error(), Error::InvalidArgument);
  EXPECT_EQ(allocator->allocate(16, 0, 24).error(), Error::InvalidArgument);
  EXPECT_EQ(allocator->allocate(16, 0, 512).error(), Error::NotSupported);
  EXPECT_EQ(allocator->allocate(16, 3, 16).error(), Error::NotFound);
  allocator->deallocate(nullptr, 0);
}

}  // namespace
}  // namespace executorch::backends::cuda
