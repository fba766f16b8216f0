// Outputs in other strides than the program's, on a GPU. Skipped without one.
#include <array>
#include <cuda_runtime_api.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "backends/cuda/outputs.h"
#include "backends/cuda/stream.h"
#include "backends/cuda/symbols.h"
#include "backends/cuda/testing/on_gpu.h"

namespace executorch::backends::cuda {
namespace {

using runtime::etensor::ScalarType;
using runtime::etensor::Tensor;
using runtime::etensor::TensorImpl;
using ::testing::ElementsAreArray;

class OutputsOnGpu : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(make_imports_visible(), Error::Ok);
    ASSERT_EQ(Stream::create(&stream_), Error::Ok);
    ASSERT_EQ(cudaMalloc(&device_, kBytes), cudaSuccess);
  }
  void TearDown() override {
    if (device_ != nullptr) {
      EXPECT_EQ(cudaFree(device_), cudaSuccess);
    }
  }

  // 0 ... 5 as a tensor of 2 x 3 that lies column by column, written to a program's tensor of that
  // size.
  std::vector<float> written(void* memory, std::vector<std::int32_t> strides,
                             std::vector<std::uint8_t> order) {
    const CurrentStream current(stream_->get(), 0);
    const std::array<std::int64_t, 2> sizes = {2, 3};
    const std::array<std::int64_t, 2> columns = {1, 2};
    RunOutputs outputs;
    AtenTensorHandle* const handle = outputs.reset(1);
    EXPECT_EQ(shims().empty_strided(2, sizes.data(), columns.data(), 6, 1, 0, handle), 0);
    TensorFacts facts;
    EXPECT_EQ(facts_of(*handle, &facts), Error::Ok);
    const std::array<float, 6> values = {0, 3, 1, 4, 2, 5};
    EXPECT_EQ(cudaMemcpy(facts.data, values.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
    std::array<std::int32_t, 2> program_sizes = {2, 3};
    TensorImpl impl(ScalarType::Float, 2, program_sizes.data(), memory, order.data(),
                    strides.data());
    Tensor tensor(&impl);
    Tensor* const tensors[] = {&tensor};
    Place place = Place::kHost;
    EXPECT_EQ(place_of(memory, 0, &place), Error::Ok);
    OutputWriter writer(stream_->get(), 0, {&place, 1});
    EXPECT_EQ(writer.write(outputs, {tensors, 1}), Error::Ok);
    EXPECT_EQ(writer.finish(), Error::Ok);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<float> result(6);
    EXPECT_EQ(cudaMemcpy(result.data(), memory, kBytes, cudaMemcpyDefault), cudaSuccess);
    return result;
  }

  static constexpr std::size_t kBytes = 6 * sizeof(float);
  std::shared_ptr<Stream> stream_;
  void* device_ = nullptr;
};

constexpr float kRows[] = {0, 1, 2, 3, 4, 5};
constexpr float kColumns[] = {0, 3, 1, 4, 2, 5};

TEST_F(OutputsOnGpu, OtherStridesAreReorderedOnTheDevice) {
  EXPECT_THAT(written(device_, {3, 1}, {0, 1}), ElementsAreArray(kRows));
}

TEST_F(OutputsOnGpu, OtherStridesAreReorderedOnTheWayToTheHost) {
  std::array<float, 6> host{};
  EXPECT_THAT(written(host.data(), {3, 1}, {0, 1}), ElementsAreArray(kRows));
}

TEST_F(OutputsOnGpu, TheSameStridesAreCopied) {
  EXPECT_THAT(written(device_, {1, 2}, {1, 0}), ElementsAreArray(kColumns));
  std::array<float, 6> host{};
  EXPECT_THAT(written(host.data(), {1, 2}, {1, 0}), ElementsAreArray(kColumns));
}

}  // namespace
}  // namespace executorch::backends::cuda
