// Views, function references and buffers.
#include <array>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace executorch::runtime {
namespace {

using ::testing::ElementsAre;

TEST(SpanTest, ViewsWhatItWasMadeOf) {
  int numbers[] = {1, 2, 3};
  EXPECT_THAT(Span<int>(numbers), ElementsAre(1, 2, 3));
  EXPECT_THAT(Span<int>(numbers + 1, numbers + 3), ElementsAre(2, 3));
  EXPECT_THAT(Span<int>(numbers, size_t{2}), ElementsAre(1, 2));
  EXPECT_THAT(Span<int>(numbers[2]), ElementsAre(3));
  EXPECT_TRUE(Span<int>().empty());
  const Span<int> view(numbers);
  view[0] = 7;
  EXPECT_EQ(numbers[0], 7);
}

TEST(ArrayRefTest, ViewsAndCompares) {
  const std::array<int, 3> numbers = {1, 2, 3};
  const ArrayRef<int> all(numbers);
  EXPECT_THAT(all, ElementsAre(1, 2, 3));
  EXPECT_EQ(all.front(), 1);
  EXPECT_EQ(all.back(), 3);
  EXPECT_THAT(all.slice(1), ElementsAre(2, 3));
  EXPECT_THAT(all.slice(1, 1), ElementsAre(2));
  EXPECT_TRUE(all.slice(3).empty());
  EXPECT_TRUE(all == makeArrayRef(numbers));
  EXPECT_TRUE(all != all.slice(1));
}

TEST(ArrayRefTest, AccessOutsideEndsTheProcess) {
  const int numbers[] = {1, 2};
  const ArrayRef<int> view(numbers);
  EXPECT_DEATH((void)view.at(2), "index < length_");
  EXPECT_DEATH((void)view.slice(1, SIZE_MAX), "count");
  EXPECT_DEATH((void)ArrayRef<int>().front(), "index");
}

TEST(FunctionRefTest, CallsWhatItRefersTo) {
  int sum = 0;
  auto add = [&](int n) { return sum += n; };
  const FunctionRef<int(int)> reference = add;
  EXPECT_EQ(reference(3), 3);
  EXPECT_EQ(reference(4), 7);
  EXPECT_TRUE(static_cast<bool>(reference));
  EXPECT_FALSE(static_cast<bool>(FunctionRef<int(int)>()));
  EXPECT_FALSE(static_cast<bool>(FunctionRef<int(int)>(nullptr)));
}

struct Freed {
  std::vector<std::pair<void*, size_t>> pieces;
};

void record(void* context, void* data, size_t size) {
  static_cast<Freed*>(context)->pieces.emplace_back(data, size);
}

TEST(FreeableBufferTest, FreesOnce) {
  Freed freed;
  int data = 0;
  {
    FreeableBuffer buffer(&data, sizeof(data), record, &freed);
    EXPECT_EQ(buffer.data(), &data);
    EXPECT_EQ(buffer.size(), sizeof(data));
    buffer.Free();
    EXPECT_EQ(buffer.data(), nullptr);
    EXPECT_EQ(buffer.size(), 0u);
  }
  EXPECT_THAT(freed.pieces, ElementsAre(std::pair<void*, size_t>(&data, sizeof(data))));
}

TEST(FreeableBufferTest, AMovedFromBufferFreesNothing) {
  Freed freed;
  int data = 0;
  {
    FreeableBuffer first(&data, sizeof(data), record, &freed);
    const FreeableBuffer second(std::move(first));
    EXPECT_EQ(second.data(), &data);
  }
  EXPECT_EQ(freed.pieces.size(), 1u);
}

TEST(FreeableBufferTest, AHandleIsNoPointer) {
  static uint64_t freed = 0;
  {
    const FreeableBuffer buffer(uint64_t{42}, 8,
                                [](void*, uint64_t handle, size_t) { freed = handle; });
    EXPECT_EQ(*buffer.data_uint64_type(), 42u);
    EXPECT_EQ(buffer.data_safe().error(), Error::InvalidType);
    EXPECT_DEATH((void)buffer.data(), "handle");
  }
  EXPECT_EQ(freed, 42u);
  const FreeableBuffer pointer(&freed, sizeof(freed), nullptr);
  EXPECT_EQ(*pointer.data_safe(), &freed);
  EXPECT_EQ(pointer.data_uint64_type().error(), Error::InvalidType);
}

TEST(TagTest, NamesAreCutToFit) {
  char buffer[8];
  EXPECT_EQ(tag_to_string(Tag::ListDouble, buffer, sizeof(buffer)), sizeof("ListDouble"));
  EXPECT_STREQ(buffer, "ListDou");
  char enough[kTagNameBufferSize];
  EXPECT_EQ(tag_to_string(Tag::ListOptionalTensor, enough, sizeof(enough)), sizeof(enough));
  EXPECT_STREQ(enough, "ListOptionalTensor");
  EXPECT_STREQ(tag_to_string(static_cast<Tag>(99)), "Unknown");
}

}  // namespace
}  // namespace executorch::runtime
