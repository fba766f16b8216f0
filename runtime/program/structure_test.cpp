// Rule 2: what the bytes of a flatbuffer may not do. Each case spoils one word of a good buffer.

#include "runtime/program/structure.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "runtime/program/verify_support.h"
#include "runtime/program/wire.h"
#include "runtime/testing/flatbuffer_writer.h"

namespace executorch::runtime::testing {
namespace {

using format::FieldKind;
using format::FieldSpec;
using format::Presence;
using format::Refusal;
using format::StructureVerifier;
using format::Table;
using format::TableSpec;

constexpr FieldSpec kLeafFields[] = {{"number", FieldKind::kScalar, 8}};
constexpr TableSpec kLeaf{"Leaf", std::span(kLeafFields)};
constexpr TableSpec kBare{"Bare", {}};
constexpr const TableSpec* kLeafOf[] = {&kLeaf};
constexpr const TableSpec* kAlternatives[] = {&kBare, &kLeaf};
constexpr FieldSpec kRootFields[] = {
    {"name", FieldKind::kString, 1, Presence::kRequired},
    {"longs", FieldKind::kNumbers, 8},
    {"bools", FieldKind::kBools, 1},
    {"leaf", FieldKind::kTable, 0, Presence::kOptional, kLeafOf},
    {"leaves", FieldKind::kTables, 0, Presence::kOptional, kLeafOf},
    {"choice_type", FieldKind::kScalar, 1},
    {"choice", FieldKind::kUnion, 2, Presence::kOptional, kAlternatives},
    {"trace", FieldKind::kString, 1, Presence::kDebugOnly},
};
constexpr TableSpec kRoot{"Root", std::span(kRootFields)};
enum : unsigned { kName, kLongs, kBools, kLeafField, kLeaves, kChoiceType, kChoice, kTrace };

Node good_tree() {
  const Node leaf = Node().set(0, std::int64_t{7});
  return Node()
      .set(kName, "name")
      .set(kLongs, Field::numbers(std::vector<std::int64_t>{1, 2, 3}))
      .set(kBools, Field::numbers(Bytes{0, 1}))
      .set(kLeafField, Field::table(leaf))
      .set(kLeaves, Field::tables({leaf, leaf}))
      .set(kChoiceType, std::uint8_t{2})
      .set(kChoice, Field::table(leaf))
      .set(kTrace, "trace");
}

std::string check(const Bytes& buffer, bool deep = false, format::WalkLimits limits = {}) {
  const AlignedBytes copy(buffer);
  Refusal refusal;
  const bool good =
      StructureVerifier(copy.view(), deep, Error::InvalidProgram, refusal, limits).walk<kRoot>();
  EXPECT_EQ(good, !refusal.refused());
  EXPECT_EQ(refusal.error, good ? Error::Ok : Error::InvalidProgram);
  return refusal.text;
}

// Places in a buffer, found by reading it.
struct Places {
  explicit Places(const Bytes& buffer)
      : start(buffer.data()),
        root(buffer.data() + format::load_number<std::uint32_t>(buffer.data())) {}

  std::size_t at(const std::uint8_t* place) const {
    return static_cast<std::size_t>(place - start);
  }
  std::size_t table() const { return at(root.address()); }
  std::size_t vtable() const {
    return table() - static_cast<std::size_t>(format::load_number<std::int32_t>(root.address()));
  }
  std::size_t slot(unsigned id) const { return vtable() + 4 + 2 * std::size_t{id}; }
  std::size_t field(unsigned id) const { return at(root.field(id)); }
  /// What a reference field points at.
  std::size_t target(unsigned id) const {
    return field(id) + format::load_number<std::uint32_t>(root.field(id));
  }

  const std::uint8_t* start;
  Table root;
};

TEST(Structure, GoodBufferIsAccepted) {
  const Bytes buffer = write_flatbuffer(good_tree(), "TEST");
  EXPECT_EQ(check(buffer, false), "");
  EXPECT_EQ(check(buffer, true), "");
}

TEST(Structure, ViewsReadWhatWasWritten) {
  const Bytes buffer = write_flatbuffer(good_tree(), "TEST");
  const AlignedBytes copy(buffer);
  const Table root(copy.view().data() + format::load_number<std::uint32_t>(copy.view().data()));
  EXPECT_EQ(root.text(kName).view(), "name");
  const auto longs = root.numbers<std::int64_t>(kLongs);
  EXPECT_EQ(std::vector<std::int64_t>(longs.begin(), longs.end()),
            (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(root.tables<Table>(kLeaves).size(), 2U);
  EXPECT_EQ(root.tables<Table>(kLeaves)[1].number<std::int64_t>(0), 7);
  EXPECT_EQ(root.number<std::int32_t>(20, -5), -5) << "a field the writer did not know";
  EXPECT_FALSE(root.text(20));
}

TEST(Structure, OptionalFieldsMayBeAbsent) {
  EXPECT_EQ(
      check(write_flatbuffer(Node().set(kName, "").set(kChoiceType, std::uint8_t{1}), "TEST")), "");
}

TEST(Structure, FieldsOfNewerWritersArePassedOver) {
  Node tree = good_tree();
  tree.set(12, "unknown");
  EXPECT_EQ(check(write_flatbuffer(tree, "TEST")), "");
}

struct Spoilt {
  const char* name;
  std::function<void(Bytes&, const Places&)> spoil;
  const char* words;
};

class Rule2 : public ::testing::TestWithParam<Spoilt> {};

TEST_P(Rule2, IsRefused) {
  Bytes buffer = write_flatbuffer(good_tree(), "TEST");
  GetParam().spoil(buffer, Places(Bytes(buffer)));
  EXPECT_NE(check(buffer).find(GetParam().words), std::string::npos) << check(buffer);
}

template <typename T>
auto put(std::size_t (Places::*place)() const, T value) {
  return [=](Bytes& b, const Places& p) { put_number(b, (p.*place)(), value); };
}
template <typename T>
auto put_at(std::size_t (Places::*place)(unsigned) const, unsigned id, T value,
            std::size_t behind = 0) {
  return [=](Bytes& b, const Places& p) { put_number(b, (p.*place)(id) + behind, value); };
}

INSTANTIATE_TEST_SUITE_P(Structure, Rule2,
                         ::
                             testing::ValuesIn(std::
                                                   vector<Spoilt>{
                                                       {"RootInsideHead",
                                                        [](Bytes& b, const Places&) {
                                                          put_number(b, 0, std::uint32_t{4});
                                                        },
                                                        "root table"},
                                                       {"RootBehindEnd",
                                                        [](Bytes& b, const Places&) {
                                                          put_number(b, 0,
                                                                     static_cast<std::uint32_t>(
                                                                         b.size() - 3));
                                                        },
                                                        "root table"},
                                                       {"RootUnaligned",
                                                        [](Bytes& b, const Places& p) {
                                                          put_number(b, 0,
                                                                     static_cast<std::uint32_t>(
                                                                         p.table() + 2));
                                                        },
                                                        "table at"},
                                                       {"VtableBeforeStart",
                                                        put(&Places::table, std::int32_t{1 << 20}),
                                                        "vtable"},
                                                       {"VtableBehindEnd",
                                                        put(&Places::table,
                                                            std::int32_t{-(1 << 20)}),
                                                        "vtable"},
                                                       {"VtableOfLargestDistance",
                                                        put(&Places::table,
                                                            std::numeric_limits<
                                                                std::int32_t>::min()),
                                                        "vtable"},
                                                       {"VtableOdd",
                                                        [](Bytes& b, const Places& p) {
                                                          put_number(
                                                              b, p.table(),
                                                              static_cast<std::int32_t>(
                                                                  p.table() - p.vtable() + 1));
                                                        },
                                                        "vtable"},
                                                       {"VtableTooShort",
                                                        put(&Places::vtable, std::uint16_t{2}),
                                                        "vtable of"},
                                                       {"VtableSizeOdd",
                                                        put(&Places::vtable, std::uint16_t{7}),
                                                        "vtable of"},
                                                       {"VtableTooLong",
                                                        put(&Places::vtable, std::uint16_t{0xfffe}),
                                                        "vtable of"},
                                                       {"TableTooLong",
                                                        [](Bytes& b, const Places& p) {
                                                          put_number(b, p.vtable() + 2,
                                                                     std::uint16_t{0xffff});
                                                        },
                                                        "table of"},
                                                       {"TableShorterThanItsHead",
                                                        [](Bytes& b, const Places& p) {
                                                          put_number(b, p.vtable() + 2,
                                                                     std::uint16_t{2});
                                                        },
                                                        "table of"},
                                                       {"FieldBehindTable",
                                                        put_at(&Places::slot, kLongs,
                                                               std::uint16_t{0x100}),
                                                        "longs at"},
                                                       {"FieldOverTableHead",
                                                        put_at(&Places::slot, kLongs,
                                                               std::uint16_t{2}),
                                                        "longs at"},
                                                       {"FieldUnaligned",
                                                        put_at(&Places::slot, kLongs,
                                                               std::uint16_t{6}),
                                                        "longs at"},
                                                       {"RequiredFieldAbsent",
                                                        put_at(&Places::slot, kName,
                                                               std::uint16_t{0}),
                                                        "name is absent"},
                                                       {"OffsetZero",
                                                        put_at(&Places::field, kName,
                                                               std::uint32_t{0}),
                                                        "name points"},
                                                       {"OffsetBehindEnd",
                                                        put_at(&Places::field, kLeafField,
                                                               std::uint32_t{1 << 20}),
                                                        "leaf points"},
                                                       {"OffsetLargest",
                                                        put_at(&Places::field, kLeafField,
                                                               ~std::uint32_t{3}),
                                                        "leaf points"},
                                                       {"OffsetUnaligned",
                                                        put_at(&Places::field, kLeafField,
                                                               std::uint32_t{2}),
                                                        "leaf points"},
                                                       {"VectorTooLong",
                                                        put_at(&Places::target, kLongs,
                                                               std::uint32_t{1 << 10}),
                                                        "longs at"},
                                                       {"VectorOfLargestCount",
                                                        put_at(&Places::target, kLongs,
                                                               ~std::uint32_t{0}),
                                                        "longs at"},
                                                       {"VectorUnaligned",
                                                        [](Bytes& b, const Places& p) {
                                                          const auto distance =
                                                              format::load_number<std::uint32_t>(
                                                                  &b[p.field(kLongs)]);
                                                          put_number(b, p.field(kLongs),
                                                                     distance + 4);
                                                        },
                                                        "not aligned"},
                                                       {"StringNotTerminated",
                                                        put_at(&Places::target, kName,
                                                               std::uint32_t{3}),
                                                        "not terminated"},
                                                       {"StringTooLong",
                                                        put_at(&Places::target, kName,
                                                               std::uint32_t{1 << 16}),
                                                        "name at"},
                                                       {"BoolOfTwo",
                                                        put_at(&Places::target, kBools,
                                                               std::uint8_t{2}, 5),
                                                        "neither 0 nor 1"},
                                                       {"ElementOffsetBehindEnd",
                                                        put_at(&Places::target, kLeaves,
                                                               std::uint32_t{1 << 20}, 4),
                                                        "leaves points"},
                                                       {"ElementOffsetZero",
                                                        put_at(&Places::target, kLeaves,
                                                               std::uint32_t{0}, 8),
                                                        "leaves points"},
                                                       {"UnionOfUnknownKind",
                                                        put_at(&Places::field, kChoiceType,
                                                               std::uint8_t{3}),
                                                        "unknown"},
                                                       {"UnionOfNoKind",
                                                        put_at(&Places::field, kChoiceType,
                                                               std::uint8_t{0}),
                                                        "unknown"},
                                                       {"UnionWithoutMember",
                                                        put_at(&Places::slot, kChoice,
                                                               std::uint16_t{0}),
                                                        "choice is absent"},
                                                   }),
                         [](const auto& test) { return test.param.name; });

TEST(Structure, EveryTruncationIsRefusedOrHarmless) {
  const Bytes whole = write_flatbuffer(good_tree(), "TEST");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string why = check(part);
    // Only the trace, which nobody reads, and its padding may be missing.
    if (size + 12 < whole.size()) {
      EXPECT_NE(why, "") << size << " bytes of " << whole.size();
    }
  }
}

TEST(Structure, DebugFieldsMatterToADeepWalkOnly) {
  Bytes buffer = write_flatbuffer(good_tree(), "TEST");
  put_number(buffer, Places(Bytes(buffer)).field(kTrace), std::uint32_t{1 << 20});
  EXPECT_EQ(check(buffer, false), "");
  EXPECT_NE(check(buffer, true).find("trace points"), std::string::npos);
}

// A vector of many references to one table makes little data look like much.
TEST(Structure, SharedTablesAreCounted) {
  Node tree = good_tree();
  tree.set(kLeaves, Field::tables(std::vector<Node>(100, Node().set(0, std::int64_t{1}))));
  Bytes buffer = write_flatbuffer(tree, "TEST");
  const Bytes original = buffer;
  const Places places(original);
  const std::size_t first = places.target(kLeaves) + 4;
  const std::size_t leaf = first + format::load_number<std::uint32_t>(&buffer[first]);
  for (std::size_t i = 1; i < 100; ++i) {
    put_number(buffer, first + 4 * i, static_cast<std::uint32_t>(leaf - (first + 4 * i)));
  }
  EXPECT_EQ(check(buffer), "");
  EXPECT_NE(check(buffer, false, {.tables = 50}).find("too many tables"), std::string::npos);
}

// Tables that all share one vector.
constexpr FieldSpec kPartFields[] = {{"bytes", FieldKind::kNumbers, 1}};
constexpr TableSpec kPart{"Part", std::span(kPartFields)};
constexpr const TableSpec* kPartOf[] = {&kPart};
constexpr FieldSpec kAllFields[] = {{"parts", FieldKind::kTables, 0, Presence::kRequired, kPartOf}};
constexpr TableSpec kAll{"All", std::span(kAllFields)};

TEST(Structure, SharedVectorsAreCounted) {
  constexpr std::size_t kCount = 1000;
  const Node part = Node().set(0, Field::numbers(Bytes(1 << 16)));
  std::vector<Node> parts(kCount, Node().set(0, Field::numbers(Bytes{})));
  parts.back() = part;
  Bytes buffer = write_flatbuffer(Node().set(0, Field::tables(parts)), "TEST");
  const auto walk = [&buffer] {
    const AlignedBytes copy(buffer);
    Refusal refusal;
    StructureVerifier(copy.view(), false, Error::InvalidExternalData, refusal).walk<kAll>();
    return std::string(refusal.text);
  };
  EXPECT_EQ(walk(), "");
  // Every element becomes the last one.
  const Bytes original = buffer;
  const Places places(original);
  const std::size_t first = places.target(0) + 4;
  const std::size_t slot = first + 4 * (kCount - 1);
  const std::size_t last = slot + format::load_number<std::uint32_t>(&buffer[slot]);
  for (std::size_t at = first; at < slot; at += 4) {
    put_number(buffer, at, static_cast<std::uint32_t>(last - at));
  }
  EXPECT_NE(walk().find("shared too often"), std::string::npos);
}

}  // namespace
}  // namespace executorch::runtime::testing
