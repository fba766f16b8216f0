// WC0xx: the zip file itself. The archive reader lists what is odd; here each oddity gets a level
// and a reason. What an installer or an index refuses, or reads in two ways, is an error.

#include <algorithm>
#include <array>
#include <map>

#include "rules/rule.h"
#include "rules/support.h"

namespace wheelcheck {
namespace {

template <ArchiveOddity oddity>
std::vector<Finding> judge_oddity(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const ArchiveProblem& problem : context.wheel.archive.problems) {
    if (problem.oddity != oddity) continue;
    findings.push_back(make_finding(
        row, problem.member, problem.member.empty() ? "archive" : problem.member, problem.detail));
  }
  return findings;
}

/// Oddities that a packer gives to every member or to none: one finding that counts them.
template <ArchiveOddity oddity>
std::vector<Finding> judge_counted_oddity(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const ArchiveProblem& problem : context.wheel.archive.problems) {
    if (problem.oddity != oddity) continue;
    if (findings.empty()) {
      findings.push_back(make_finding(row, problem.member, "archive", problem.detail));
    } else {
      ++findings.front().count;
    }
  }
  return findings;
}

/// Two names that differ by case are one file where the file system ignores case.
std::vector<Finding> judge_case_collision(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings = judge_oddity<ArchiveOddity::case_collision>(context, row);
  bool only_linux = context.wheel.file_name.has_value();
  if (context.wheel.file_name) {
    for (const std::string& platform : context.wheel.file_name->platforms) {
      const PlatformKind kind = parse_platform(platform).kind;
      only_linux &= kind == PlatformKind::linux || kind == PlatformKind::manylinux ||
                    kind == PlatformKind::musllinux;
    }
  }
  if (only_linux) {
    for (Finding& finding : findings) finding.level = Level::warning;
  }
  return findings;
}

/// What another oddity explains already is not a second error.
std::vector<Finding> judge_readers(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings = judge_oddity<ArchiveOddity::readers_disagree>(context, row);
  const auto& problems = context.wheel.archive.problems;
  const auto explains = [](const ArchiveProblem& problem, const std::string& member) {
    switch (problem.oddity) {
      case ArchiveOddity::disagreeing_count:
      case ArchiveOddity::ambiguous_end:
      case ArchiveOddity::duplicate_name:
      case ArchiveOddity::overlap:
      case ArchiveOddity::leading_data:
        return true;
      case ArchiveOddity::odd_extra_field:
        return problem.member == member;
      default:
        return false;
    }
  };
  for (Finding& finding : findings) {
    if (std::any_of(problems.begin(), problems.end(), [&](const ArchiveProblem& problem) {
          return explains(problem, finding.place);
        })) {
      finding.level = Level::note;
    }
  }
  return findings;
}

/// Installers keep only the execute bits, so other odd modes show how the wheel was packed, and
/// tools that do keep them spread them.
std::vector<Finding> judge_modes(const WheelContext& context, const CatalogueRow& row) {
  std::map<std::uint32_t, Finding> by_mode;
  for (const MemberFacts& member : context.wheel.members) {
    const std::uint32_t mode = member.entry.unix_mode();
    if (member.entry.is_directory() || member.entry.is_symlink() || mode == 0) continue;
    const bool special = (mode & 07000U) != 0;
    const bool world_writable = (mode & 0002U) != 0;
    if (!special && !world_writable) continue;
    const auto [at, added] = by_mode.try_emplace(mode & 07777U);
    if (!added) {
      ++at->second.count;
      continue;
    }
    std::array<char, 16> octal{};
    std::snprintf(octal.data(), octal.size(), "%04o", mode & 07777U);
    at->second = make_finding(row, member.entry.path, octal.data(),
                              std::string("mode ") + octal.data() +
                                  (special ? " has a set-user, set-group or sticky bit"
                                           : " lets everyone write the file"));
  }
  std::vector<Finding> findings;
  for (auto& [mode, finding] : by_mode) findings.push_back(std::move(finding));
  return findings;
}

using O = ArchiveOddity;
constexpr const char* kRepack = "Pack the wheel again with a current build tool.";

const Rule kRules[] = {
    {{"WC001", "duplicate-member", Level::error, "Two members have one name",
      "Which of the two is installed depends on the installer, so what was checked need not be "
      "what runs. Package indexes refuse such wheels.",
      "Find the step that adds the file twice, and pack the wheel again."},
     judge_oddity<O::duplicate_name>},
    {{"WC002", "case-collision", Level::error, "Two names differ only by case",
      "On macOS and Windows the second file overwrites the first.", "Rename one of the files."},
     judge_case_collision},
    {{"WC003", "local-header-mismatch", Level::error,
      "A member's local header contradicts the central directory",
      "Tools that stream read one header, tools that seek the other: they see different wheels. "
      "Package indexes and some installers refuse such wheels.",
      kRepack},
     judge_oddity<O::local_header_mismatch>},
    {{"WC004", "leading-data", Level::error, "Bytes stand before the first member",
      "Another file in front of the archive makes it two things at once; installers that check "
      "refuse it.",
      kRepack},
     judge_oddity<O::leading_data>},
    {{"WC005", "trailing-data", Level::error, "Bytes stand behind the archive",
      "A second end record may hide there. Package indexes and some installers refuse such wheels.",
      kRepack},
     judge_oddity<O::trailing_data>},
    {{"WC006", "archive-gap", Level::warning, "Bytes between members belong to nothing",
      "They are not listed, not hashed and not installed, and a tool that scans for headers may "
      "read them.",
      kRepack},
     judge_oddity<O::gap>},
    {{"WC007", "member-overlap", Level::error, "Two members share bytes",
      "Overlapping members are how archives are made that inflate without end.", kRepack},
     judge_oddity<O::overlap>},
    {{"WC008", "archive-comment", Level::warning, "The archive carries a comment",
      "Wheels have none; tools that look for the end record from behind may be misled by one.",
      kRepack},
     judge_oddity<O::archive_comment>},
    {{"WC009", "member-comment", Level::warning, "A member carries a comment",
      "Package indexes refuse wheels whose directory has comments.", kRepack},
     judge_counted_oddity<O::entry_comment>},
    {{"WC010", "data-descriptor", Level::warning, "Sizes follow a member's data",
      "The local header then states no size. Package indexes refuse such wheels.", kRepack},
     judge_counted_oddity<O::data_descriptor>},
    {{"WC011", "encrypted-member", Level::error, "A member is encrypted",
      "No installer can read it.", "Pack the wheel again without a password."},
     judge_oddity<O::encrypted>},
    {{"WC012", "unsupported-method", Level::error,
      "A member is compressed with a method that installers do not have",
      "Installers read stored and deflated members only.", "Pack the wheel again with deflate."},
     judge_oddity<O::unsupported_method>},
    {{"WC013", "absolute-path", Level::error, "A member's name is an absolute path",
      "Installers refuse it, or write where they should not.",
      "Name members relative to the root of the wheel."},
     judge_oddity<O::absolute_path>},
    {{"WC014", "parent-path", Level::error, "A member's name leads out of the wheel",
      "A component \"..\" writes outside of the installation; installers refuse it.",
      "Name members relative to the root of the wheel."},
     judge_oddity<O::parent_path>},
    {{"WC015", "backslash-path", Level::error, "A member's name contains a backslash",
      "Zip names use '/'. Elsewhere the backslash becomes part of a file name, and the directory "
      "is missing.",
      kRepack},
     judge_oddity<O::backslash_path>},
    {{"WC016", "odd-path", Level::error, "A member's name cannot be a file's name everywhere",
      "Control characters, empty or \".\" components and bytes that are not UTF-8 are read "
      "differently by different installers.",
      "Rename the file."},
     judge_oddity<O::odd_path>},
    {{"WC017", "symlink-member", Level::error, "A member is a symbolic link",
      "Wheels cannot hold links: installers write a text file with the target's name, so a "
      "library of that name cannot be loaded.",
      "Ship the file under the one name that is needed, its SONAME."},
     judge_oddity<O::symlink>},
    {{"WC018", "special-member", Level::error, "A member is a device, a pipe or a socket",
      "No installer creates one.", "Leave it out of the wheel."},
     judge_oddity<O::special_file>},
    {{"WC019", "directory-with-data", Level::warning, "A directory entry holds data",
      "Nothing installs it, and nothing checks it.", kRepack},
     judge_oddity<O::directory_with_data>},
    {{"WC020", "absurd-ratio", Level::error, "A member inflates by more than any real file does",
      "Such members are made to exhaust the machine that opens them.",
      "Pack the wheel again; if the file really is that empty, make it when it is needed."},
     judge_oddity<O::absurd_ratio>},
    {{"WC021", "size-lie", Level::error, "A member inflates to another size than is stated",
      "The archive is damaged or made to deceive; installers fail or install a cut file.", kRepack},
     judge_oddity<O::size_lie>},
    {{"WC022", "crc-mismatch", Level::error, "A member's checksum is wrong",
      "The archive is damaged: installers fail.", "Pack or fetch the wheel again."},
     judge_oddity<O::crc_mismatch>},
    {{"WC023", "stray-zip64", Level::error, "A zip64 field stands where nothing needs it",
      "Strict installers refuse such archives, since the field can contradict the header.",
      kRepack},
     judge_oddity<O::stray_zip64>},
    {{"WC024", "too-many-members", Level::error, "The archive has more members than can be read",
      "What was not read was not checked.", "Split the wheel."},
     judge_oddity<O::too_many_members>},
    {{"WC025", "disagreeing-count", Level::error,
      "The end record counts other members than the directory holds",
      "Tools that trust the one or the other see different wheels.", kRepack},
     judge_oddity<O::disagreeing_count>},
    {{"WC026", "odd-mode", Level::warning, "A file has permissions that no package needs",
      "Installers that keep permissions give the users of a machine a file that anyone may change.",
      "Pack files with mode 0644, programs with 0755."},
     judge_modes},
    {{"WC027", "ambiguous-end", Level::error, "Readers may take different bytes for the directory",
      "The archive ends in more than one way, so that two tools see two wheels.", kRepack},
     judge_oddity<O::ambiguous_end>},
    {{"WC028", "odd-extra-field", Level::error,
      "An extra field is damaged, repeated, or names another file",
      "Readers that honour the field see another name or size than those that do not; package "
      "indexes refuse such wheels.",
      kRepack},
     judge_oddity<O::odd_extra_field>},
    {{"WC029", "readers-disagree", Level::error, "A second zip reader sees another archive",
      "What one reader checks and the other installs need not be the same.", kRepack},
     judge_readers},
};

}  // namespace

std::span<const Rule> archive_rules() { return kRules; }

}  // namespace wheelcheck
