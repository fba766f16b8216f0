#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <map>

#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

// A "CUDA" of host memory that counts what it hands out.
class FakeAllocator final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index, size_t) override {
    if (nbytes > kCapacity) {
      return Error::MemoryAllocationFailed;
    }
    void* const memory = ::operator new(nbytes);
    live[memory] = index;
    return memory;
  }
  void deallocate(void* ptr, etensor::DeviceIndex index) override {
    EXPECT_EQ(live.at(ptr), index);
    live.erase(ptr);
    ::operator delete(ptr);
  }
  Error copy_host_to_device(void*, const void*, size_t, etensor::DeviceIndex) override {
    return Error::Ok;
  }
  Error copy_device_to_host(void*, const void*, size_t, etensor::DeviceIndex) override {
    return Error::Ok;
  }
  etensor::DeviceType device_type() const override { return etensor::DeviceType::CUDA; }

  static constexpr size_t kCapacity = 1000;
  std::map<void*, etensor::DeviceIndex> live;
};

FakeAllocator& fake() {
  static FakeAllocator allocator;
  static const bool registered = (register_device_allocator(&allocator), true);
  (void)registered;
  return allocator;
}

TEST(DeviceAllocatorTest, IsFoundByItsKind) {
  EXPECT_EQ(get_device_allocator(etensor::DeviceType::CPU), nullptr);
  EXPECT_EQ(get_device_allocator(static_cast<etensor::DeviceType>(7)), nullptr);
  EXPECT_EQ(get_device_allocator(static_cast<etensor::DeviceType>(-1)), nullptr);
  FakeAllocator& allocator = fake();
  EXPECT_EQ(get_device_allocator(etensor::DeviceType::CUDA), &allocator);
}

TEST(DeviceAllocatorTest, ASecondOfItsKindEndsTheProcess) {
  FakeAllocator& allocator = fake();
  EXPECT_DEATH(register_device_allocator(&allocator), "already has an allocator");
  EXPECT_DEATH(register_device_allocator(nullptr), "null device allocator");
}

TEST(DeviceMemoryBufferTest, GivesItsMemoryBackOnItsDevice) {
  FakeAllocator& allocator = fake();
  {
    auto first = DeviceMemoryBuffer::create(100, etensor::DeviceType::CUDA, 3);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->size(), 100u);
    EXPECT_EQ(first->as_span().size(), 100u);
    EXPECT_EQ(allocator.live.at(first->data()), 3);

    DeviceMemoryBuffer second = std::move(*first);
    EXPECT_EQ(first->data(), nullptr);
    auto third = DeviceMemoryBuffer::create(10, etensor::DeviceType::CUDA);
    ASSERT_TRUE(third.ok());
    EXPECT_EQ(allocator.live.size(), 2u);
    second = std::move(*third);
    EXPECT_EQ(allocator.live.size(), 1u);
  }
  EXPECT_TRUE(allocator.live.empty());
}

TEST(DeviceMemoryBufferTest, SaysWhyThereIsNone) {
  fake();
  EXPECT_EQ(DeviceMemoryBuffer::create(10, etensor::DeviceType::CPU).error(), Error::NotFound);
  EXPECT_EQ(
      DeviceMemoryBuffer::create(FakeAllocator::kCapacity + 1, etensor::DeviceType::CUDA).error(),
      Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace executorch::runtime
