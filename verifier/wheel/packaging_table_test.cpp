// Holds every row of fixtures/tables/packaging.tsv: what the `packaging` library says.

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "verifier/wheel/requirement.h"
#include "verifier/wheel/tags.h"
#include "verifier/wheel/text.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {
namespace {

using Row = std::vector<std::string>;

/// Undoes "\xNN".
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size()) {
      out += static_cast<char>(std::stoi(std::string(text.substr(at + 2, 2)), nullptr, 16));
      at += 3;
    } else {
      out += text[at];
    }
  }
  return out;
}

const std::map<std::string, std::vector<Row>>& table() {
  static const auto rows = [] {
    std::map<std::string, std::vector<Row>> out;
    std::ifstream in(WHEELCHECK_TABLES "/packaging.tsv", std::ios::binary);
    std::string line;
    while (std::getline(in, line)) {
      if (line.front() == '#') continue;
      Row row;
      for (const std::string_view field : text::split(line, '\t')) row.push_back(unescape(field));
      const std::string kind = row.front();
      row.erase(row.begin());
      out[kind].push_back(std::move(row));
    }
    return out;
  }();
  return rows;
}

/// Calls `check` with every row of a kind. A table that lost its rows must not pass.
template <class Check>
void each(const std::string& kind, std::size_t at_least, std::size_t fields, const Check& check) {
  const auto found = table().find(kind);
  ASSERT_NE(found, table().end()) << "no rows of kind " << kind;
  EXPECT_GE(found->second.size(), at_least);
  for (const Row& row : found->second) {
    ASSERT_EQ(row.size(), fields) << kind << " " << row.front();
    SCOPED_TRACE(text::quoted(row[0], 1000) + (fields > 1 ? " " + text::quoted(row[1], 300) : ""));
    check(row);
  }
}

std::string flag(bool value) { return value ? "1" : "0"; }

std::string tag_list(const std::vector<Tag>& tags) {
  std::set<std::string> texts;
  for (const Tag& tag : tags) texts.insert(tag.str());
  std::string out;
  for (const std::string& tag : texts) out += (out.empty() ? "" : ",") + tag;
  return out;
}

TEST(PackagingTable, Versions) {
  each("version", 500, 6, [](const Row& row) {
    const auto version = Version::parse(row[0]);
    ASSERT_EQ(version.ok(), !row[1].empty());
    if (!version) return;
    EXPECT_EQ(version->str(), row[1]);
    EXPECT_EQ(version->public_part(), row[2]);
    EXPECT_EQ(version->local(), row[3]);
    EXPECT_EQ(flag(version->is_prerelease()), row[4]);
    EXPECT_EQ(flag(version->is_postrelease()), row[5]);
  });
}

TEST(PackagingTable, Order) {
  each("order", 500, 3, [](const Row& row) {
    const auto a = Version::parse(row[0]);
    const auto b = Version::parse(row[1]);
    ASSERT_TRUE(a && b);
    const auto sign = [](std::strong_ordering order) {
      return std::string(order < 0 ? "-1" : order > 0 ? "1" : "0");
    };
    EXPECT_EQ(sign(*a <=> *b), row[2]);
    EXPECT_EQ(sign(0 <=> (*b <=> *a)), row[2]);
    EXPECT_EQ(*a == *b, row[2] == "0");
  });
}

TEST(PackagingTable, Specifiers) {
  each("specifier", 300, 4, [](const Row& row) {
    const auto specifier = Specifier::parse(row[0]);
    ASSERT_EQ(flag(specifier.ok()), row[1]);
    if (!specifier) return;
    EXPECT_EQ(specifier->op(), row[2]);
    EXPECT_EQ(specifier->version(), row[3]);
  });
}

TEST(PackagingTable, Contains) {
  each("contains", 2000, 4, [](const Row& row) {
    const auto set = SpecifierSet::parse(row[0]);
    const auto version = Version::parse(row[1]);
    ASSERT_TRUE(set && version);
    EXPECT_EQ(flag(set->contains(*version)), row[2]);
    EXPECT_EQ(flag(set->contains(*version, false)), row[3]);
  });
}

TEST(PackagingTable, ContainsText) {
  each("contains_text", 100, 3, [](const Row& row) {
    const auto specifier = Specifier::parse(row[0]);
    ASSERT_TRUE(specifier);
    EXPECT_EQ(flag(specifier->contains_text(row[1])), row[2]);
  });
}

TEST(PackagingTable, SetsArePrintedAndCompared) {
  each("set", 100, 3, [](const Row& row) {
    const auto set = SpecifierSet::parse(row[0]);
    ASSERT_EQ(flag(set.ok()), row[1]);
    if (!set) return;
    EXPECT_EQ(set->str(), row[2]);
  });
  each("equal", 100, 3, [](const Row& row) {
    const auto a = SpecifierSet::parse(row[0]);
    const auto b = SpecifierSet::parse(row[1]);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(flag(*a == *b), row[2]);
  });
}

std::vector<MarkerEnvironment> environments() {
  std::vector<MarkerEnvironment> out;
  each("environment", 3, 13, [&](const Row& row) {
    MarkerEnvironment e;
    const std::array fields{&e.os_name,
                            &e.sys_platform,
                            &e.platform_system,
                            &e.platform_machine,
                            &e.platform_python_implementation,
                            &e.platform_release,
                            &e.platform_version,
                            &e.implementation_name,
                            &e.implementation_version,
                            &e.python_version,
                            &e.python_full_version,
                            &e.extra};
    for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = row[i + 1];
    out.push_back(e);
  });
  return out;
}

TEST(PackagingTable, Markers) {
  const auto all = environments();
  each("marker", 500, 4, [&](const Row& row) {
    const auto marker = Marker::parse(row[0]);
    ASSERT_EQ(flag(marker.ok()), row[1]);
    if (!marker) return;
    EXPECT_EQ(marker->str(), row[2]);
    std::string results;
    for (const MarkerEnvironment& environment : all) {
      const auto value = marker->try_evaluate(environment);
      results += value ? flag(*value) : "!";
      EXPECT_EQ(marker->evaluate(environment), value && *value);
    }
    EXPECT_EQ(results, row[3]);
  });
}

TEST(PackagingTable, Requirements) {
  each("requirement", 700, 7, [](const Row& row) {
    const auto requirement = Requirement::parse(row[0]);
    ASSERT_EQ(flag(requirement.ok()), row[1]);
    if (!requirement) return;
    const std::set<std::string> extras(requirement->extras.begin(), requirement->extras.end());
    std::string joined;
    for (const std::string& extra : extras) joined += (joined.empty() ? "" : ",") + extra;
    EXPECT_EQ(extras.size(), requirement->extras.size());
    EXPECT_EQ(requirement->text, row[0]);
    EXPECT_EQ(requirement->name, row[2]);
    EXPECT_EQ(joined, row[3]);
    EXPECT_EQ(requirement->specifiers.str(), row[4]);
    EXPECT_EQ(requirement->url, row[5]);
    EXPECT_EQ(requirement->marker ? requirement->marker->str() : "", row[6]);
  });
  each("name", 10, 2, [](const Row& row) { EXPECT_EQ(normalise_name(row[0]), row[1]); });
}

TEST(PackagingTable, TagsAndFileNames) {
  each("tag", 50, 3, [](const Row& row) {
    const auto tags = parse_tag(row[0]);
    ASSERT_EQ(flag(tags.ok()), row[1]);
    if (!tags) return;
    EXPECT_EQ(tag_list(*tags), row[2]);
  });
  each("file_name", 200, 6, [](const Row& row) {
    const auto name = parse_wheel_filename(row[0]);
    ASSERT_EQ(flag(name.ok()), row[1]);
    if (!name) return;
    EXPECT_EQ(name->normalised, row[2]);
    EXPECT_EQ(name->version ? name->version->str() : "", row[3]);
    EXPECT_EQ(name->build, row[4]);
    EXPECT_EQ(tag_list(name->tags()), row[5]);
  });
}

TEST(PackagingTable, IsWhatTheLibrarySaysToday) {
  const std::string python = WHEELCHECK_TEST_PYTHON;
  if (python.empty()) GTEST_SKIP() << "no Python with ci/requirements.txt (WHEELCHECK_PYTHON)";
  const std::string tables = WHEELCHECK_TABLES;
  const std::string command = "'" + python + "' '" + tables + "/generate_packaging.py' --check '" +
                              tables + "/packaging.tsv'";
  // NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe): a fixed command of the build's own paths.
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status)) << command;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "that Python has another version of packaging";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the table differs; write it anew with " << command;
}

}  // namespace
}  // namespace wheelcheck
