#include <chrono>

#include "gtest/gtest.h"

#include "verifier/wheel/metadata.h"

namespace wheelcheck {
namespace {

const std::string kDigest = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
const std::string kHash = "sha256=" + kDigest;

/// The first problem of a single row, or "".
std::string problem(const std::string& text) {
  const Record record = parse_record(text);
  return record.problems.empty() ? "" : record.problems[0].what;
}

TEST(RecordFile, RowsAreReadAsCsv) {
  const Record r = parse_record("a/b.py," + kHash + ",12\r\n\"c,\"\"d\"\".py\"," + kHash +
                                ",0\nx-1.dist-info/RECORD,,\n");
  EXPECT_TRUE(r.problems.empty());
  ASSERT_EQ(r.rows.size(), 3u);
  EXPECT_EQ(r.rows[0].path, "a/b.py");
  EXPECT_EQ(r.rows[0].algorithm, "sha256");
  EXPECT_EQ(r.rows[0].digest, kDigest);
  EXPECT_EQ(r.rows[0].size, 12u);
  EXPECT_EQ(r.rows[1].path, "c,\"d\".py");
  EXPECT_EQ(r.rows[2].algorithm, "");
  EXPECT_FALSE(r.rows[2].size);
  EXPECT_EQ(r.rows[2].line, 3u);
}

TEST(RecordFile, AQuotedPathMayHoldALineEnd) {
  const Record r = parse_record("\"a\nb\",,\nc,,\n");
  ASSERT_EQ(r.rows.size(), 2u);
  EXPECT_EQ(r.rows[0].path, "a\nb");
  EXPECT_EQ(r.rows[1].line, 3u);
}

TEST(RecordFile, EveryDefectOfARowIsAProblemAndTheRowIsKept) {
  const std::pair<std::string, std::string> all[] = {
      {"a," + kHash, "2 fields"},
      {"a," + kHash + ",1,x", "4 fields"},
      {"a", "1 fields"},
      {"a,md5=abc,1", "too weak"},
      {"a,SHA1=abc,1", "too weak"},
      {"a,crc=abc,1", "unknown hash"},
      {"a," + kDigest + ",1", "no '='"},
      {"a,sha256=" + kDigest.substr(1) + ",1", "not a sha256 digest"},
      {"a,sha256=" + kDigest.substr(1) + "+,1", "not a sha256 digest"},
      {"a," + kHash + "=,1", "padded"},
      {"a,sha512=" + kDigest + ",1", "not a sha512 digest"},
      {"a," + kHash + ",x", "not a number"},
      {"a," + kHash + ",-1", "not a number"},
      {"a," + kHash + ",18446744073709551616", "not a number"},
      {"/a," + kHash + ",1", "absolute"},
      {"C:/a," + kHash + ",1", "absolute"},
      {"\\a," + kHash + ",1", "absolute"},
      {"a\\b," + kHash + ",1", "backslash"},
      {"a/../b," + kHash + ",1", "\"..\""},
      {"\xFF," + kHash + ",1", "not UTF-8"},
      {"\"a," + kHash + ",1", "not closed"},
  };
  for (const auto& [row, what] : all) {
    SCOPED_TRACE(row);
    EXPECT_NE(problem(row).find(what), std::string::npos) << problem(row);
    EXPECT_EQ(parse_record(row).rows.size(), 1u);
  }
  EXPECT_NE(problem("," + kHash + ",1").find("path is empty"), std::string::npos);
  EXPECT_NE(problem("a,,\n\nb,,\n").find("blank line"), std::string::npos);
  EXPECT_NE(problem("\xEF\xBB\xBF"
                    "a,,\n")
                .find("byte-order mark"),
            std::string::npos);
}

TEST(RecordFile, OnlyRowsThatDifferContradictEachOther) {
  EXPECT_EQ(problem("a," + kHash + ",1\na," + kHash + ",1\n"), "");
  const Record r = parse_record("a," + kHash + ",1\na," + kHash + ",2\n");
  EXPECT_EQ(r.rows.size(), 2u);
  ASSERT_EQ(r.problems.size(), 1u);
  EXPECT_EQ(r.problems[0].line, 2u);
  EXPECT_NE(r.problems[0].what.find("line 1"), std::string::npos);
}

TEST(RecordFile, HostileSizesStayWithinTheirBudget) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t size = 4'000'000;
  EXPECT_NE(problem(std::string(size, ',')).find("4000001 fields"), std::string::npos);
  EXPECT_NE(problem("\"" + std::string(size, '"')).find("quote"), std::string::npos);
  EXPECT_EQ(parse_record(std::string(size, '\n')).problems.size(), kMaxTextProblems + 1);
  EXPECT_LE(parse_record(std::string(size, 'a') + ",,").rows[0].path.size(), kMaxFieldLength);
  std::string many;
  for (std::size_t i = 0; i < kMaxRecordRows + 5; ++i) many += "a,,\n";
  const Record record = parse_record(many);
  EXPECT_EQ(record.rows.size(), kMaxRecordRows);
  EXPECT_NE(record.problems.back().what.find("too many rows"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(RecordDigest, IsTheHexOfThirtyTwoBytes) {
  EXPECT_EQ(record_digest_hex(kDigest),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(record_digest_hex(kDigest + "="), record_digest_hex(kDigest));
  EXPECT_EQ(record_digest_hex(std::string(43, 'A')), std::string(64, '0'));
  EXPECT_FALSE(record_digest_hex(kDigest.substr(1)));
  EXPECT_FALSE(record_digest_hex(kDigest.substr(0, 42) + "/"));
  EXPECT_FALSE(record_digest_hex(kDigest.substr(0, 42) + "V"));  // the last two bits are not zero
  EXPECT_FALSE(record_digest_hex(""));
}

}  // namespace
}  // namespace wheelcheck
