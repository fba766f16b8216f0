// Rule 13: tensor files. What is refused, and what the maps of one and of several files yield.

#include "runtime/program/flat_tensor.h"

#include <cstring>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "runtime/testing/memory_loader.h"
#include "runtime/testing/tensor_file_writer.h"

namespace executorch::runtime::testing {
namespace {

using extension::FlatTensorDataMap;
using extension::FlatTensorHeader;
using extension::merged_data_map::MergedDataMap;

TensorFileSpec two_entries() {
  return {.entries = {{"weight", bytes_of<float>({1, 2, 3, 4, 5, 6}),
                       TensorFileLayout{.sizes = {2, 3}, .dim_order = Bytes{1, 0}}},
                      {"blob", bytes_of<char>({'x', 'y', 'z'})}}};
}

struct Case {
  const char* name;
  /// Changes the description, or the bytes.
  std::function<void(TensorFileSpec&)> spec;
  std::function<void(Bytes&)> bytes;
  const char* words;
  Error error = Error::InvalidExternalData;
};

Case tree(const char* name, const std::function<void(Node&)>& edit, const char* words) {
  return {name, [=](TensorFileSpec& s) { s.edit = edit; }, [](Bytes&) {}, words};
}
template <typename T>
Case number(const char* name, std::size_t at, T value, const char* words) {
  return {name, [](TensorFileSpec&) {}, [=](Bytes& b) { put_number(b, at, value); }, words};
}

class Rule13 : public ::testing::TestWithParam<Case> {};

TEST_P(Rule13, IsRefused) {
  TensorFileSpec spec = two_entries();
  GetParam().spec(spec);
  Bytes file = write_tensor_file(spec);
  GetParam().bytes(file);

  const AlignedBytes copy(file);
  format::Refusal refusal;
  format::Extents extents;
  const auto head = copy.view().first(std::min(file.size(), format::kHeadBytes));
  const bool good =
      format::read_tensor_file_head(head, file.size(), extents, refusal) &&
      format::verify_tensor_file(copy.view().first(extents.flatbuffer_size), extents, refusal);
  EXPECT_FALSE(good);
  EXPECT_EQ(refusal.error, GetParam().error);
  EXPECT_NE(std::string(refusal.text).find(GetParam().words), std::string::npos) << refusal.text;

  MemoryLoader loader(file);
  EXPECT_EQ(FlatTensorDataMap::load(&loader).error(), GetParam().error);
}

constexpr std::size_t kLengthAt = 12, kStartAt = 16, kSizeAt = 24, kBaseAt = 32, kTotalAt = 40;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

INSTANTIATE_TEST_SUITE_P(
    FlatTensor, Rule13,
    ::testing::ValuesIn(std::vector<Case>{
        {"TooShort", [](TensorFileSpec&) {}, [](Bytes& b) { b.resize(63); }, "too short",
         Error::InvalidArgument},
        number("OtherIdentifier", 4, std::uint8_t{'X'}, "no FT01"),
        number("NoHeader", 8, std::uint8_t{0}, "no FT01 with FH01"),
        number("HeaderTooShort", kLengthAt, std::uint32_t{39}, "header of 39"),
        number("TablesWrap", kStartAt, kAll, "bytes of tables at"),
        number("TablesBehindBase", kSizeAt, std::uint64_t{1} << 20, "bytes of tables at"),
        number("TablesEmpty", kSizeAt, std::uint64_t{0}, "table"),
        number("BaseWraps", kBaseAt, kAll, "bytes of tables at"),
        number("BaseInTables", kBaseAt, std::uint64_t{64}, "bytes of tables at"),
        number("DataBehindEnd", kTotalAt, std::uint64_t{1} << 20, "in a file of"),
        number("DataTooSmall", kTotalAt, std::uint64_t{130}, "segment 1: 3 bytes at 128 of 130"),
        {"Truncated", [](TensorFileSpec&) {}, [](Bytes& b) { b.pop_back(); }, "in a file of"},
        number("RootBehindEnd", 0, ~std::uint32_t{0}, "root table"),
        tree("NoSegments", [](Node& f) { f.erase(1); }, "segments is absent"),
        tree("NoNamedData", [](Node& f) { f.erase(2); }, "named_data is absent"),
        tree("NoKey", [](Node& f) { f.child(2).erase(0); }, "key is absent"),
        tree("SegmentUnknown", [](Node& f) { f.child(2).set(1, std::uint32_t{2}); },
             "segment 2 of 2"),
        tree("SegmentTooLong", [](Node& f) { f.child(1, 1).set(1, std::uint64_t{4}); },
             "segment 1: 4 bytes at 128 of 131"),
        tree("SegmentOffsetWraps", [](Node& f) { f.child(1, 1).set(0, kAll); }, "segment 1"),
        tree("SegmentSizeWraps", [](Node& f) { f.child(1, 1).set(1, kAll); }, "segment 1"),
        tree("NoSizes", [](Node& f) { f.child(2).child(2).erase(1); }, "sizes is absent"),
        tree("NoDimOrder", [](Node& f) { f.child(2).child(2).erase(2); }, "dim_order is absent"),
        tree("TypeUnknown", [](Node& f) { f.child(2).child(2).set(0, std::int8_t{77}); },
             "element type 77"),
        tree("NotAPermutation",
             [](Node& f) { f.child(2).child(2).set(2, Field::numbers(Bytes{1, 1})); },
             "not a permutation"),
        tree("LengthsDiffer",
             [](Node& f) { f.child(2).child(2).set(2, Field::numbers(Bytes{0})); }, "2 sizes"),
        tree("SizeNegative",
             [](Node& f) {
               f.child(2).child(2).set(1, Field::numbers(std::vector<std::int32_t>{-2, 3}));
             },
             "size -2"),
        tree("TensorLargerThanSegment",
             [](Node& f) {
               f.child(2).child(2).set(1, Field::numbers(std::vector<std::int32_t>{3, 3}));
             },
             "a tensor in a segment of 24"),
        tree("TensorUnaligned", [](Node& f) { f.child(1).set(0, std::uint64_t{1}); },
             "not aligned"),
    }),
    [](const auto& test) { return test.param.name; });

TEST(FlatTensorDataMap, YieldsTensorsAndBlobs) {
  MemoryLoader loader(write_tensor_file(two_entries()));
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(*map->get_num_keys(), 2U);
  EXPECT_STREQ(*map->get_key(0), "weight");
  EXPECT_STREQ(*map->get_key(1), "blob");
  EXPECT_EQ(map->get_key(2).error(), Error::InvalidArgument);

  const auto layout = map->get_tensor_layout("weight");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->nbytes(), 24U);
  EXPECT_EQ(layout->sizes()[1], 3);
  EXPECT_EQ(layout->dim_order()[0], 1);
  EXPECT_EQ(map->get_tensor_layout("blob").error(), Error::NotFound);
  EXPECT_EQ(map->get_tensor_layout("other").error(), Error::NotFound);

  const Result<FreeableBuffer> data = map->get_data("weight");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->size(), 24U);
  EXPECT_EQ(static_cast<const float*>(data->data())[5], 6.0F);
  EXPECT_EQ(loader.loads.back().info.segment_type, DataLoader::SegmentInfo::Type::External);
  EXPECT_EQ(std::memcmp(map->get_data("blob")->data(), "xyz", 3), 0);
  EXPECT_EQ(map->get_data("weigh").error(), Error::NotFound);
}

TEST(FlatTensorDataMap, LoadsIntoABufferOfTheTensorsSizeOnly) {
  MemoryLoader loader(write_tensor_file(two_entries()));
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  for (const bool direct : {true, false}) {
    loader.can_load_into = direct;
    float place[7] = {};
    EXPECT_EQ(map->load_data_into("weight", place, 24), Error::Ok);
    EXPECT_EQ(place[5], 6.0F);
    EXPECT_EQ(place[6], 0.0F);
    EXPECT_EQ(map->load_data_into("weight", place, 20), Error::InvalidExternalData);
    EXPECT_EQ(map->load_data_into("weight", place, 28), Error::InvalidExternalData);
    EXPECT_EQ(map->load_data_into("blob", place, 3), Error::NotFound);
    EXPECT_EQ(map->load_data_into("other", place, 3), Error::NotFound);
  }
}

TEST(FlatTensorDataMap, EmptyTensorHasNoData) {
  TensorFileSpec spec = two_entries();
  spec.entries.push_back({"empty", {}, TensorFileLayout{.sizes = {0, 4}}});
  MemoryLoader loader(write_tensor_file(spec));
  Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&loader);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->get_tensor_layout("empty")->nbytes(), 0U);
  EXPECT_EQ(map->get_data("empty")->size(), 0U);
  EXPECT_EQ(map->load_data_into("empty", nullptr, 0), Error::Ok);
}

TEST(FlatTensorDataMap, LoaderThatFailsIsReported) {
  MemoryLoader loader(write_tensor_file(two_entries()));
  EXPECT_EQ(FlatTensorDataMap::load(nullptr).error(), Error::InvalidArgument);
  loader.fail_after = 1;
  EXPECT_EQ(FlatTensorDataMap::load(&loader).error(), Error::AccessFailed);
}

TEST(FlatTensorHeader, IsParsed) {
  Bytes file = write_tensor_file(two_entries());
  const auto header = FlatTensorHeader::Parse(file.data(), FlatTensorHeader::kNumHeadBytes);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->flatbuffer_offset, 48U);
  EXPECT_EQ(header->segment_base_offset % 128, 0U);
  EXPECT_EQ(header->segment_data_size, 131U);
  EXPECT_EQ(FlatTensorHeader::Parse(file.data(), 63).error(), Error::InvalidArgument);
  file[8] = 0;
  EXPECT_EQ(FlatTensorHeader::Parse(file.data(), file.size()).error(), Error::NotFound);
}

class Merged : public ::testing::Test {
 protected:
  const NamedDataMap* open(const std::vector<TensorFileEntry>& entries) {
    loaders_.push_back(std::make_unique<MemoryLoader>(write_tensor_file({.entries = entries})));
    Result<FlatTensorDataMap> map = FlatTensorDataMap::load(loaders_.back().get());
    if (!map.ok()) return nullptr;
    maps_.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
    return maps_.back().get();
  }
  static Result<MergedDataMap> merge(std::vector<const NamedDataMap*> maps) {
    return MergedDataMap::load({maps.data(), maps.size()});
  }

 private:
  std::vector<std::unique_ptr<MemoryLoader>> loaders_;
  std::vector<std::unique_ptr<FlatTensorDataMap>> maps_;
};

TEST_F(Merged, FindsDataInEachFile) {
  const auto* first = open({{"a", bytes_of<float>({1}), TensorFileLayout{.sizes = {1}}}});
  const auto* none = open({});
  const auto* second = open({{"b", bytes_of<float>({2, 3}), TensorFileLayout{.sizes = {2}}},
                             {"c", bytes_of<char>({'c'})}});
  Result<MergedDataMap> merged = merge({first, nullptr, none, second});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 3U);
  EXPECT_STREQ(*merged->get_key(0), "a");
  EXPECT_STREQ(*merged->get_key(2), "c");
  EXPECT_EQ(merged->get_key(3).error(), Error::InvalidArgument);
  EXPECT_EQ(merged->get_tensor_layout("b")->nbytes(), 8U);
  EXPECT_EQ(merged->get_tensor_layout("d").error(), Error::NotFound);
  EXPECT_EQ(static_cast<const float*>(merged->get_data("b")->data())[1], 3.0F);
  EXPECT_EQ(merged->get_data("d").error(), Error::NotFound);
  float place = 0;
  EXPECT_EQ(merged->load_data_into("a", &place, sizeof place), Error::Ok);
  EXPECT_EQ(place, 1.0F);
  EXPECT_EQ(merged->load_data_into("d", &place, sizeof place), Error::NotFound);
}

TEST_F(Merged, DuplicateKeyIsRefused) {
  const auto* first = open({{"a", bytes_of<float>({1}), TensorFileLayout{.sizes = {1}}}});
  const auto* second = open({{"b"}, {"a", bytes_of<char>({'a'})}});
  EXPECT_EQ(merge({first, second}).error(), Error::InvalidArgument);
}

TEST_F(Merged, NothingToMergeIsRefused) {
  const auto* none = open({});
  EXPECT_EQ(merge({}).error(), Error::InvalidArgument);
  EXPECT_EQ(merge({none, nullptr}).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::runtime::testing
