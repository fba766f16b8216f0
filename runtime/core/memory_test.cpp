#include <cstdint>
#include <cstring>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/platform_memory_allocator.h>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

bool is_aligned(const void* pointer, size_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

TEST(MemoryAllocatorTest, PiecesFollowEachOtherAligned) {
  alignas(64) uint8_t memory[128];
  MemoryAllocator allocator(sizeof(memory), memory);
  EXPECT_EQ(allocator.allocate(3, 1), memory);
  void* const second = allocator.allocate(8, 32);
  EXPECT_EQ(second, memory + 32);
  EXPECT_EQ(allocator.used_size(), 40u);
  EXPECT_EQ(allocator.free_size(), 88u);
  allocator.reset();
  EXPECT_EQ(allocator.allocate(128, 1), memory);
}

TEST(MemoryAllocatorTest, WhatDoesNotFitIsNull) {
  alignas(16) uint8_t memory[32];
  MemoryAllocator allocator(sizeof(memory), memory);
  EXPECT_EQ(allocator.allocate(33, 1), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX, 16), nullptr);
  EXPECT_EQ(allocator.allocate(4, 3), nullptr);
  EXPECT_EQ(allocator.allocate(4, 0), nullptr);
  EXPECT_EQ(allocator.allocateList<uint64_t>(SIZE_MAX / 4), nullptr);
  ASSERT_NE(allocator.allocate(31, 1), nullptr);
  EXPECT_EQ(allocator.allocate(1, 16), nullptr);
  EXPECT_NE(allocator.allocate(1, 1), nullptr);
}

TEST(MemoryAllocatorTest, WithoutMemoryThereIsNone) {
  MemoryAllocator allocator(0, nullptr);
  EXPECT_EQ(allocator.allocate(1), nullptr);
  EXPECT_EQ(allocator.allocate(0), nullptr);
  EXPECT_DEATH(MemoryAllocator(1, nullptr), "null buffer");
}

TEST(MemoryAllocatorTest, ListsAndInstancesAreAlignedForTheirType) {
  alignas(16) uint8_t memory[64];
  MemoryAllocator allocator(sizeof(memory), memory);
  (void)allocator.allocate(1, 1);
  EXPECT_TRUE(is_aligned(allocator.allocateInstance<double>(), alignof(double)));
  EXPECT_TRUE(is_aligned(allocator.allocateList<uint32_t>(3), alignof(uint32_t)));
}

template <typename Allocator>
class UnlimitedAllocatorTest : public ::testing::Test {};
using Unlimited =
    ::testing::Types<extension::MallocMemoryAllocator, internal::PlatformMemoryAllocator>;
TYPED_TEST_SUITE(UnlimitedAllocatorTest, Unlimited);

TYPED_TEST(UnlimitedAllocatorTest, EveryPieceIsUsableAndAligned) {
  TypeParam allocator;
  for (const size_t alignment : {size_t{1}, size_t{8}, size_t{64}, size_t{4096}}) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}}) {
      void* const piece = allocator.allocate(size, alignment);
      ASSERT_NE(piece, nullptr) << size << " at " << alignment;
      EXPECT_TRUE(is_aligned(piece, alignment));
      std::memset(piece, 1, size);
    }
  }
  allocator.reset();
  EXPECT_NE(allocator.allocate(10), nullptr);
}

TYPED_TEST(UnlimitedAllocatorTest, PiecesDoNotOverlap) {
  TypeParam allocator;
  std::vector<std::pair<uint8_t*, size_t>> pieces;
  for (size_t i = 0; i < 500; ++i) {
    const size_t size = i * 37 % 700;
    auto* const piece = static_cast<uint8_t*>(allocator.allocate(size, size_t{1} << (i % 8)));
    ASSERT_NE(piece, nullptr);
    std::memset(piece, static_cast<int>(i % 251), size);
    pieces.emplace_back(piece, size);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = 0; j < pieces[i].second; ++j) {
      ASSERT_EQ(pieces[i].first[j], i % 251) << "piece " << i << ", byte " << j;
    }
  }
}

TYPED_TEST(UnlimitedAllocatorTest, ImpossibleRequestsAreNull) {
  TypeParam allocator;
  EXPECT_EQ(allocator.allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(allocator.allocate(SIZE_MAX - 8, 16), nullptr);
  EXPECT_EQ(allocator.allocate(16, 24), nullptr);
}

class HierarchicalAllocatorTest : public ::testing::Test {
 protected:
  uint8_t first_[16];
  uint8_t second_[32];
  Span<uint8_t> buffers_[2] = {first_, second_};
};

TEST_F(HierarchicalAllocatorTest, AddressesLieInTheBuffer) {
  HierarchicalAllocator allocator({buffers_, size_t{2}});
  EXPECT_EQ(*allocator.get_offset_address(1, 8, 24), second_ + 8);
  EXPECT_EQ(*allocator.get_offset_address(0, 16, 0), first_ + 16);
  EXPECT_TRUE(allocator.planned_buffer_devices().empty());
}

TEST_F(HierarchicalAllocatorTest, WhatLiesOutsideIsRefused) {
  HierarchicalAllocator allocator({buffers_, size_t{2}});
  EXPECT_EQ(allocator.get_offset_address(2, 0, 1).error(), Error::InvalidArgument);
  EXPECT_EQ(allocator.get_offset_address(0, 8, 9).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, 17, 0).error(), Error::MemoryAllocationFailed);
  EXPECT_EQ(allocator.get_offset_address(0, SIZE_MAX, 2).error(), Error::MemoryAllocationFailed);
}

TEST_F(HierarchicalAllocatorTest, DevicesGoWithBuffers) {
  const etensor::Device devices[] = {etensor::DeviceType::CPU, {etensor::DeviceType::CUDA, 1}};
  HierarchicalAllocator allocator({buffers_, size_t{2}}, devices);
  EXPECT_EQ(allocator.planned_buffer_devices()[1].index(), 1);
  EXPECT_DEATH(HierarchicalAllocator({buffers_, size_t{2}}, {devices, size_t{1}}), "1 devices");

  extension::MallocMemoryAllocator method_allocator;
  EXPECT_TRUE(MemoryManager(&method_allocator, &allocator).has_device_memory());
  EXPECT_FALSE(MemoryManager(&method_allocator).has_device_memory());
}

TEST_F(HierarchicalAllocatorTest, ACopyOfTheOldKindHasBuffersOfItsOwn) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  MemoryAllocator allocators[] = {{sizeof(first_), first_}, {sizeof(second_), second_}};
  auto original = std::make_unique<HierarchicalAllocator>(uint32_t{2}, allocators);
#pragma GCC diagnostic pop
  HierarchicalAllocator copy(*original);
  original.reset();
  EXPECT_EQ(*copy.get_offset_address(1, 4, 4), second_ + 4);
}

TEST(MemoryManagerTest, TheMethodsMemoryIsNotTemporary) {
  extension::MallocMemoryAllocator allocator;
  EXPECT_DEATH(MemoryManager(&allocator, nullptr, &allocator), "can't be both");
}

}  // namespace
}  // namespace executorch::runtime
