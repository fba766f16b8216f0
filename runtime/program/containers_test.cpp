#include "runtime/program/containers.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>

#include "runtime/program/verify_support.h"
#include "runtime/testing/program_writer.h"

namespace executorch::runtime::testing {
namespace {

using format::Extents;
using format::HeadStatus;
using format::Refusal;

constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kProgramSizeAt = 16;
constexpr std::size_t kBaseAt = 24;
constexpr std::size_t kDataSizeAt = 32;

ProgramSpec with_constant() {
  ProgramSpec spec;
  spec.plans = {add_plan()};
  spec.constants = {bytes_of<float>({1, 2, 3, 4})};
  return spec;
}

struct Head {
  Error error;
  Extents extents;
};

Head read_program(const Bytes& file) {
  Refusal refusal;
  Extents extents;
  format::read_program_head(std::span(file).first(std::min(file.size(), format::kHeadBytes)),
                            file.size(), extents, refusal);
  return {refusal.error, extents};
}

TEST(ProgramHead, FullHeaderGivesEveryExtent) {
  const Bytes file = write_program(with_constant());
  const Head head = read_program(file);
  ASSERT_EQ(head.error, Error::Ok);
  EXPECT_EQ(head.extents.segment_base % 128, 0U);
  EXPECT_EQ(head.extents.segment_base + 16, file.size());
  EXPECT_LE(head.extents.flatbuffer_size, head.extents.segment_base);
  EXPECT_EQ(head.extents.segment_limit, file.size());
}

TEST(ProgramHead, ShortHeaderHasNoTotal) {
  ProgramSpec spec = with_constant();
  spec.header = ExtendedHeader::kShort;
  Bytes file = write_program(spec);
  // These bytes belong to nobody in a file with the short header.
  put_number(file, kDataSizeAt, ~std::uint64_t{0});
  const Head head = read_program(file);
  ASSERT_EQ(head.error, Error::Ok);
  EXPECT_EQ(head.extents.segment_limit, file.size());
}

TEST(ProgramHead, LongerHeaderIsRead) {
  Bytes file = write_program(with_constant());
  put_number(file, kLengthAt, std::uint32_t{48});
  EXPECT_EQ(read_program(file).error, Error::Ok);
}

TEST(ProgramHead, WithoutHeaderTheFileIsTheFlatbuffer) {
  ProgramSpec spec;
  spec.plans = {add_plan()};
  spec.header = ExtendedHeader::kNone;
  const Bytes file = write_program(spec);
  const Head head = read_program(file);
  ASSERT_EQ(head.error, Error::Ok);
  EXPECT_EQ(head.extents.flatbuffer_size, file.size());
  EXPECT_EQ(head.extents.segment_base, 0U);
  EXPECT_EQ(verify(file).error, Error::Ok);
}

struct BadHead {
  const char* name;
  std::function<void(Bytes&)> spoil;
  Error error;
};

class Rule1 : public ::testing::TestWithParam<BadHead> {};

TEST_P(Rule1, IsRefused) {
  Bytes file = write_program(with_constant());
  GetParam().spoil(file);
  EXPECT_EQ(read_program(file).error, GetParam().error);
  EXPECT_EQ(verify(file).error, GetParam().error);
}

const BadHead kBadHeads[] = {
    {"Empty", [](Bytes& f) { f.clear(); }, Error::InvalidArgument},
    {"OneByteShort", [](Bytes& f) { f.resize(63); }, Error::InvalidArgument},
    {"OtherIdentifier", [](Bytes& f) { std::memcpy(&f[4], "FT12", 4); }, Error::InvalidProgram},
    {"OtherVersion", [](Bytes& f) { std::memcpy(&f[4], "ET13", 4); }, Error::InvalidProgram},
    {"HeaderTooShort", [](Bytes& f) { put_number(f, kLengthAt, std::uint32_t{23}); },
     Error::InvalidProgram},
    {"ProgramBehindEnd",
     [](Bytes& f) { put_number(f, kProgramSizeAt, std::uint64_t{f.size() + 1}); },
     Error::InvalidProgram},
    {"ProgramWithoutRoot", [](Bytes& f) { put_number(f, kProgramSizeAt, std::uint64_t{7}); },
     Error::InvalidProgram},
    {"BaseInsideProgram", [](Bytes& f) { put_number(f, kBaseAt, std::uint64_t{64}); },
     Error::InvalidProgram},
    {"BaseBehindEnd",
     [](Bytes& f) {
       put_number(f, kBaseAt, std::uint64_t{f.size() + 1});
       put_number(f, kDataSizeAt, std::uint64_t{0});
     },
     Error::InvalidProgram},
    {"DataBehindEnd", [](Bytes& f) { put_number(f, kDataSizeAt, std::uint64_t{17}); },
     Error::InvalidProgram},
    {"DataWraps", [](Bytes& f) { put_number(f, kDataSizeAt, ~std::uint64_t{0}); },
     Error::InvalidProgram},
    {"FileTruncated", [](Bytes& f) { f.pop_back(); }, Error::InvalidProgram},
};
INSTANTIATE_TEST_SUITE_P(ProgramHead, Rule1, ::testing::ValuesIn(kBadHeads),
                         [](const auto& test) { return test.param.name; });

TEST(ProbeHead, TellsVersionsApart) {
  Bytes file = write_program(with_constant());
  const auto probe = [&file] {
    return format::probe_program_head(std::span(file).first(format::kHeadBytes));
  };
  EXPECT_EQ(probe(), HeadStatus::kCompatible);
  std::memcpy(&file[4], "ET99", 4);
  EXPECT_EQ(probe(), HeadStatus::kOtherVersion);
  std::memcpy(&file[4], "ETxx", 4);
  EXPECT_EQ(probe(), HeadStatus::kNotPresent);
  EXPECT_EQ(format::probe_program_head(std::span(file).first(63)), HeadStatus::kTooShort);
}

}  // namespace
}  // namespace executorch::runtime::testing
