// RECORD against the archive. No common installer compares hashes, so nobody else will.

#include <algorithm>
#include <unordered_set>

#include "rules/metadata_judges.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

std::string record_path(const WheelFacts& wheel) { return wheel.dist_info + "/RECORD"; }

/// RECORD cannot hash itself, and signatures are made after it.
bool is_outside_record(const WheelFacts& wheel, std::string_view path) {
  if (!path.starts_with(wheel.dist_info)) return false;
  path.remove_prefix(wheel.dist_info.size());
  return path == "/RECORD" || path == "/RECORD.jws" || path == "/RECORD.p7s";
}

/// For each row of RECORD the member of its path, or null. Most rules ask; there are thousands.
using MembersOfRows = std::vector<const MemberFacts*>;

const MembersOfRows& members_of_rows(const WheelContext& context) {
  return context.memo->get<MembersOfRows>([&] {
    MembersOfRows members;
    members.reserve(context.wheel.record->rows.size());
    for (const RecordRow& row : context.wheel.record->rows) {
      members.push_back(context.wheel.find(row.path));
    }
    return members;
  });
}

/// The names of all members in order.
using SortedPaths = std::vector<std::string_view>;

/// Whether members lie below a path. Asked for paths that are none of a member: hardly ever.
bool is_directory(const WheelContext& context, const std::string& path) {
  const auto& paths = context.memo->get<SortedPaths>([&] {
    SortedPaths sorted;
    for (const MemberFacts& member : context.wheel.members) sorted.push_back(member.entry.path);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  });
  const std::string below = path + "/";
  const auto after = std::lower_bound(paths.begin(), paths.end(), below);
  return after != paths.end() && after->starts_with(below);
}

}  // namespace

std::vector<Finding> judge_record_missing(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  std::unordered_set<std::string_view> listed;
  listed.reserve(wheel.record->rows.size());
  for (const RecordRow& record : wheel.record->rows) listed.insert(record.path);
  std::vector<Finding> findings;
  for (const MemberFacts& member : wheel.members) {
    const std::string& path = member.entry.path;
    if (member.entry.is_directory() || is_outside_record(wheel, path)) continue;
    if (listed.contains(path)) continue;
    findings.push_back(make_finding(row, path, path, "RECORD does not list it"));
  }
  return findings;
}

std::vector<Finding> judge_record_extra(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  const MembersOfRows& members = members_of_rows(context);
  std::vector<Finding> findings;
  std::unordered_set<std::string_view> seen;
  seen.reserve(wheel.record->rows.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RecordRow& record = wheel.record->rows[i];
    if (!seen.insert(record.path).second) {
      findings.push_back(make_finding(
          row, record_path(wheel), record.path,
          "line " + std::to_string(record.line) + " lists " + record.path + " a second time"));
      continue;
    }
    if (members[i] != nullptr || record.path.ends_with('/')) continue;
    if (is_outside_record(wheel, record.path)) continue;
    // A directory without its slash is judged as one.
    if (is_directory(context, record.path)) continue;
    findings.push_back(make_finding(row, record_path(wheel), record.path,
                                    "line " + std::to_string(record.line) + " lists " +
                                        record.path + ", which the wheel does not hold"));
  }
  return findings;
}

std::vector<Finding> judge_record_hash(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  const MembersOfRows& members = members_of_rows(context);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RecordRow& record = wheel.record->rows[i];
    const MemberFacts* member = members[i];
    if (record.algorithm != "sha256") continue;
    // Without a digest the content was not read to its end, which is judged as such.
    if (member == nullptr || member->sha256.empty()) continue;
    const auto expected = record_digest_hex(record.digest);
    if (!expected) {
      findings.push_back(make_finding(row, record_path(wheel), record.path,
                                      "line " + std::to_string(record.line) + ": \"" +
                                          record.digest + "\" is no SHA-256 digest"));
    } else if (*expected != member->sha256) {
      findings.push_back(
          make_finding(row, record.path, record.path,
                       "SHA-256 is " + member->sha256 + ", RECORD has " + *expected));
    }
  }
  return findings;
}

std::vector<Finding> judge_record_size(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  const MembersOfRows& members = members_of_rows(context);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RecordRow& record = wheel.record->rows[i];
    const MemberFacts* member = members[i];
    // A member that is not what the archive says has an error already; one that is no sound ELF
    // file has a size all the same.
    if (member == nullptr || !member->inflated_whole || !record.size) continue;
    if (*record.size == member->inflated_size) continue;
    findings.push_back(make_finding(row, record.path, record.path,
                                    "has " + counted(member->inflated_size, "byte") +
                                        ", RECORD has " + std::to_string(*record.size)));
  }
  return findings;
}

std::vector<Finding> judge_record_directory(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  const MembersOfRows& members = members_of_rows(context);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const RecordRow& record = wheel.record->rows[i];
    const bool directory =
        record.path.ends_with('/') || (members[i] == nullptr && is_directory(context, record.path));
    if (!directory) continue;
    findings.push_back(make_finding(
        row, record_path(wheel), record.path,
        "line " + std::to_string(record.line) + " lists the directory " + record.path));
  }
  return findings;
}

std::vector<Finding> judge_record_text(const WheelContext& context, const CatalogueRow& row) {
  const WheelFacts& wheel = context.wheel;
  if (!wheel.record) return {};
  std::vector<Finding> findings;
  const auto add = [&](std::uint32_t line, const std::string& subject, const std::string& what) {
    findings.push_back(make_finding(row, record_path(wheel), subject,
                                    "line " + std::to_string(line) + ": " + what));
  };
  // A member's name that the archive must not have is in RECORD too: one defect, one error.
  const auto is_known = [&](const TextProblem& problem) {
    const auto& oddities = wheel.archive.problems;
    return std::any_of(oddities.begin(), oddities.end(), [&](const ArchiveProblem& oddity) {
      const bool of_name = oddity.oddity == ArchiveOddity::absolute_path ||
                           oddity.oddity == ArchiveOddity::parent_path ||
                           oddity.oddity == ArchiveOddity::backslash_path ||
                           oddity.oddity == ArchiveOddity::odd_path;
      return of_name && !oddity.member.empty() &&
             problem.what.find("\"" + oddity.member + "\"") != std::string::npos;
    });
  };
  for (const TextProblem& problem : wheel.record->problems) {
    if (is_known(problem)) continue;
    add(problem.line, "line " + std::to_string(problem.line), problem.what);
  }
  for (const RecordRow& record : wheel.record->rows) {
    if (is_outside_record(wheel, record.path)) {
      if (record.path != record_path(wheel)) {
        add(record.line, record.path, record.path + " is a signature of RECORD and not part of it");
      }
      continue;
    }
    if (record.path.ends_with('/')) continue;
    if (record.algorithm.empty()) {
      add(record.line, record.path, record.path + " has no hash");
    } else if (record.algorithm != "sha256" && record.algorithm != "sha384" &&
               record.algorithm != "sha512") {
      add(record.line, record.path,
          record.path + " has a hash of kind " + record.algorithm + "; SHA-256 is the least");
    }
  }
  return findings;
}

}  // namespace wheelcheck
