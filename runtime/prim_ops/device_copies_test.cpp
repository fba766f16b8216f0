// Copies to and from a device, with an allocator that plays one.

#include <cstring>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>
#include <vector>

namespace executorch::runtime::prim_ops {
namespace {

using aten::DeviceType;
using aten::ScalarType;
using aten::Tensor;
using aten::TensorImpl;

// "Device memory" is host memory with every bit turned around, so that a plain copy is noticed.
class TurnedAllocator : public runtime::DeviceAllocator {
 public:
  runtime::Result<void*> allocate(size_t, aten::DeviceIndex, size_t) override {
    return Error::NotSupported;
  }
  void deallocate(void*, aten::DeviceIndex) override {}
  Error copy_host_to_device(void* to, const void* from, size_t bytes,
                            aten::DeviceIndex index) override {
    return turn(to, from, bytes, index);
  }
  Error copy_device_to_host(void* to, const void* from, size_t bytes,
                            aten::DeviceIndex index) override {
    return turn(to, from, bytes, index);
  }
  DeviceType device_type() const override { return DeviceType::CUDA; }

  Error result = Error::Ok;
  int copies = 0;
  int last_index = -1;

 private:
  Error turn(void* to, const void* from, size_t bytes, aten::DeviceIndex index) {
    ++copies;
    last_index = index;
    if (result != Error::Ok) return result;
    for (size_t i = 0; i < bytes; ++i) {
      static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(~static_cast<const uint8_t*>(from)[i]);
    }
    return Error::Ok;
  }
};

struct Held {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> order;
  std::vector<int32_t> strides;
  std::vector<float> data;
  TensorImpl impl;

  Held(int32_t rows, std::vector<float> values, DeviceType device, aten::DeviceIndex index = 0,
       ScalarType type = ScalarType::Float,
       aten::TensorShapeDynamism dynamism = aten::TensorShapeDynamism::STATIC)
      : sizes{rows, 2},
        order{0, 1},
        strides{2, 1},
        data(std::move(values)),
        impl(type, 2, sizes.data(), data.data(), order.data(), strides.data(), dynamism, device,
             index) {}
};

Error copy(const char* name, Held& from, Held& to) {
  const auto function = runtime::get_op_function_from_registry(name);
  if (!function.ok()) return function.error();
  EValue in{Tensor(&from.impl)};
  EValue out{Tensor(&to.impl)};
  EValue* values[] = {&in, &out, &out};
  runtime::KernelRuntimeContext context;
  (*function)(context, runtime::Span<EValue*>(values, 3));
  return context.failure_state();
}

constexpr const char* kToDevice = "et_copy::_h2d_copy.out";
constexpr const char* kToHost = "et_copy::_d2h_copy.out";

TurnedAllocator& allocator() {
  // One for the program: a device type can be registered only once.
  static TurnedAllocator instance;
  if (runtime::get_device_allocator(DeviceType::CUDA) == nullptr) {
    runtime::register_device_allocator(&instance);
  }
  instance.result = Error::Ok;
  instance.copies = 0;
  return instance;
}

// First in this file, since the others register an allocator and none can be taken back.
TEST(DeviceCopy, AWithoutAllocatorSaysNotFound) {
  ASSERT_EQ(runtime::get_device_allocator(DeviceType::CUDA), nullptr);
  Held host(1, {1, 2}, DeviceType::CPU);
  Held device(1, {0, 0}, DeviceType::CUDA);
  EXPECT_EQ(copy(kToDevice, host, device), Error::NotFound);
  EXPECT_EQ(copy(kToHost, device, host), Error::NotFound);
}

TEST(DeviceCopy, GoesThroughTheAllocatorOfTheDevice) {
  TurnedAllocator& turned = allocator();
  Held host(2, {1, 2, 3, 4}, DeviceType::CPU);
  Held device(2, {0, 0, 0, 0}, DeviceType::CUDA, 3);
  ASSERT_EQ(copy(kToDevice, host, device), Error::Ok);
  EXPECT_EQ(turned.last_index, 3);
  EXPECT_NE(device.data, host.data);
  Held back(2, {0, 0, 0, 0}, DeviceType::CPU);
  ASSERT_EQ(copy(kToHost, device, back), Error::Ok);
  EXPECT_EQ(back.data, host.data);
  EXPECT_EQ(turned.copies, 2);
}

TEST(DeviceCopy, ResizesADynamicOutput) {
  allocator();
  Held host(1, {1, 2}, DeviceType::CPU);
  Held device(2, {0, 0, 0, 0}, DeviceType::CUDA, 0, ScalarType::Float,
              aten::TensorShapeDynamism::DYNAMIC_BOUND);
  ASSERT_EQ(copy(kToDevice, host, device), Error::Ok);
  EXPECT_EQ(Tensor(&device.impl).size(0), 1);
}

TEST(DeviceCopy, OfNothingNeedsNoCopy) {
  TurnedAllocator& turned = allocator();
  Held host(0, {}, DeviceType::CPU);
  Held device(0, {}, DeviceType::CUDA);
  EXPECT_EQ(copy(kToDevice, host, device), Error::Ok);
  EXPECT_EQ(copy(kToHost, device, host), Error::Ok);
  EXPECT_EQ(turned.copies, 0);
}

TEST(DeviceCopy, RefusesTheWrongPlace) {
  TurnedAllocator& turned = allocator();
  Held host(1, {1, 2}, DeviceType::CPU);
  Held other(1, {0, 0}, DeviceType::CPU);
  Held device(1, {0, 0}, DeviceType::CUDA);
  EXPECT_EQ(copy(kToDevice, host, other), Error::InvalidArgument);
  EXPECT_EQ(copy(kToDevice, device, device), Error::InvalidArgument);
  EXPECT_EQ(copy(kToHost, host, other), Error::InvalidArgument);
  EXPECT_EQ(copy(kToHost, device, device), Error::InvalidArgument);
  EXPECT_EQ(turned.copies, 0);
}

TEST(DeviceCopy, RefusesAnotherTypeOrShape) {
  allocator();
  Held host(1, {1, 2}, DeviceType::CPU);
  Held wrong_type(1, {0, 0}, DeviceType::CUDA, 0, ScalarType::Int);
  Held wrong_shape(2, {0, 0, 0, 0}, DeviceType::CUDA);
  EXPECT_EQ(copy(kToDevice, host, wrong_type), Error::InvalidArgument);
  EXPECT_EQ(copy(kToDevice, host, wrong_shape), Error::InvalidArgument);
}

TEST(DeviceCopy, DimensionsOfExtentOneMayStandAnywhere) {
  allocator();
  Held host(1, {1, 2}, DeviceType::CPU);
  Held device(1, {0, 0}, DeviceType::CUDA);
  device.order = {1, 0};
  EXPECT_EQ(copy(kToDevice, host, device), Error::Ok);
  Held square(2, {1, 2, 3, 4}, DeviceType::CPU);
  Held turned(2, {0, 0, 0, 0}, DeviceType::CUDA);
  turned.order = {1, 0};
  EXPECT_EQ(copy(kToDevice, square, turned), Error::InvalidArgument);
}

TEST(DeviceCopy, RefusesArgumentsThatAreNoTensors) {
  allocator();
  EValue number(static_cast<int64_t>(3));
  EValue* values[] = {&number, &number, &number};
  for (const char* name : {kToDevice, kToHost}) {
    KernelRuntimeContext context;
    (*get_op_function_from_registry(name))(context, Span<EValue*>(values, 3));
    EXPECT_EQ(context.failure_state(), Error::InvalidType);
    KernelRuntimeContext other;
    (*get_op_function_from_registry(name))(other, Span<EValue*>(values, 2));
    EXPECT_EQ(other.failure_state(), Error::InvalidProgram);
  }
}

TEST(DeviceCopy, RefusesTensorsWithoutMemory) {
  TurnedAllocator& turned = allocator();
  Held host(1, {1, 2}, DeviceType::CPU);
  Held device(1, {0, 0}, DeviceType::CUDA);
  for (Held* const without : {&host, &device}) {
    void* const data = without->impl.mutable_data();
    without->impl.set_data(nullptr);
    EXPECT_EQ(copy(kToDevice, host, device), Error::InvalidArgument);
    EXPECT_EQ(copy(kToHost, device, host), Error::InvalidArgument);
    without->impl.set_data(data);
  }
  EXPECT_EQ(turned.copies, 0);
}

TEST(DeviceCopy, AFailedCopyIsInternal) {
  allocator().result = Error::AccessFailed;
  Held host(1, {1, 2}, DeviceType::CPU);
  Held device(1, {0, 0}, DeviceType::CUDA);
  EXPECT_EQ(copy(kToDevice, host, device), Error::Internal);
  EXPECT_EQ(copy(kToHost, device, host), Error::Internal);
}

}  // namespace
}  // namespace executorch::runtime::prim_ops
