// The wheel laid down a second time, as on systems that have a directory for each scheme.
#include "rules/split_judges.h"

#include <algorithm>
#include <optional>

#include "rules/need_judge.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {

namespace {

bool is_found(const Need& need) {
  return need.verdict == Verdict::own_path || need.verdict == Verdict::inherited ||
         need.verdict == Verdict::system;
}

/// Whether a path below site-packages enters no top-level directory but that of `from` or `to`,
/// and never leaves site-packages on the way.
bool keeps_to(std::string_view path, std::string_view from, std::string_view to) {
  const auto top = [](std::string_view below) { return below.substr(0, below.find('/')); };
  std::size_t depth = 0;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (depth == 0) return false;
      --depth;
      continue;
    }
    if (depth == 0 && part != top(from) && part != top(to)) return false;
    ++depth;
  }
  return true;
}

/// Whether the other layout can lose what this one finds. It can't where the file whose tag leads
/// to a library is of its scheme, and so are the directories on the way: they move together. To
/// tell takes a part of what laying down everything again would.
bool may_lose(const Context& context) {
  const InstallTree& tree = context.tree;
  const auto moves_together = [&](const Need& need) {
    if (need.verdict != Verdict::own_path) return false;
    const TreeFile& carrier = tree.files()[need.winner.carrier];
    const TreeFile& holder = tree.files()[*need.file];
    const auto way = tree.below_site_packages(need.winner.path);
    const auto from = tree.below_site_packages(carrier.path);
    const auto to = tree.below_site_packages(holder.path);
    return way && from && to && carrier.scheme != Scheme::unknown &&
           carrier.scheme == holder.scheme && keeps_to(*way, *from, *to);
  };
  for (const ObjectResolution& object : context.resolution.objects) {
    if (tree.files()[object.file].member == nullptr) continue;
    for (const Need& need : object.needs) {
      if (need.file && is_found(need) && !moves_together(need)) return true;
    }
  }
  return false;
}

/// The NEEDED of one file that are found in one layout and not in the other.
struct Lost {
  std::size_t file = 0;  ///< in the joined tree
  const Need* joined = nullptr;
  const Need* split = nullptr;
};

std::vector<Lost> lost_needs(const Context& context, const InstallTree& split,
                             const Resolution& resolution) {
  std::vector<Lost> lost;
  for (const ObjectResolution& object : context.resolution.objects) {
    const MemberFacts* member = context.tree.files()[object.file].member;
    const auto there = member != nullptr ? split.file_of(member->entry.path) : std::nullopt;
    const ObjectResolution* other = there ? resolution.find(*there) : nullptr;
    if (other == nullptr || other->needs.size() != object.needs.size()) continue;
    for (std::size_t i = 0; i < object.needs.size(); ++i) {
      const Need& need = object.needs[i];
      if (need.file && is_found(need) && !is_found(other->needs[i])) {
        lost.push_back({object.file, &need, &other->needs[i]});
      }
    }
  }
  return lost;
}

/// Where a file of the joined tree lies in the other one.
std::optional<std::size_t> counterpart(const InstallTree& joined, const InstallTree& split,
                                       std::size_t file) {
  const TreeFile& known = joined.files()[file];
  for (const std::size_t candidate : split.named(base_name(known.path))) {
    const TreeFile& other = split.files()[candidate];
    if (other.package == known.package && other.member == known.member &&
        split.below_site_packages(other.path) == joined.below_site_packages(known.path)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::string_view scheme_of(const TreeFile& file) {
  return file.scheme == Scheme::purelib ? "purelib" : "platlib";
}

constexpr const char* kOnlyThere = "found only where purelib and platlib are one directory";

Finding finding_for(const Context& context, const CatalogueRow& row, const InstallTree& split,
                    const Lost& lost) {
  const TreeFile& asker = context.tree.files()[lost.file];
  const std::size_t holder = *lost.joined->file;
  const bool own = context.tree.files()[holder].package == 0;
  const Level level = own && !may_fail_by_design(context, lost.file) ? Level::warning : Level::note;
  const std::string& name = lost.joined->name;
  Finding finding = make_finding(row, level, asker.member->entry.path, name,
                                 "NEEDED " + name + " is " + kOnlyThere);
  finding.needed_by = {finding.place};
  finding.searched = describe_search(split, *lost.split);
  finding.fix = across_schemes();
  const auto from = split.file_of(asker.member->entry.path);
  const auto to = counterpart(context.tree, split, holder);
  if (!from || !to) return finding;
  finding.provided_by = {describe_holder(split, *to)};
  const std::string_view one = scheme_of(split.files()[*from]);
  const std::string_view other = scheme_of(split.files()[*to]);
  if (one == other) return finding;
  finding.what +=
      ": it goes to " + std::string(other) + ", the file that needs it to " + std::string(one);
  return finding;
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

void fold_into(Finding& first, Finding& more) {
  ++first.count;
  first.needed_by.push_back(std::move(more.needed_by.front()));
  if (first.place != more.place) first.place.clear();
  for (std::string& line : more.provided_by) add_once(first.provided_by, std::move(line));
}

}  // namespace

std::string across_schemes() {
  return "install both by one scheme, or open the library by its path from Python before: no "
         "search path leads from purelib to platlib wherever they are installed";
}

std::vector<Finding> judge_split_layout(const Context& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const InstallTree& tree = context.tree;
  if (context.layout_is_told || tree.has_machine() || tree.loader() == LoaderKind::none ||
      !tree.has_libraries_of_both_schemes() || !may_lose(context)) {
    return findings;
  }
  const InstallTree split = tree.laid_out(SitePackagesLayout::split);
  LoaderOptions options;
  add_openings(options, split, context.policy.openings);
  const Resolution resolution = resolve(split, options);
  if (resolution.over_budget) return findings;
  std::optional<Finding> others;  // what other packages have is told once
  std::vector<std::string> distributions;
  for (const Lost& lost : lost_needs(context, split, resolution)) {
    Finding finding = finding_for(context, row, split, lost);
    const std::size_t package = tree.files()[*lost.joined->file].package;
    if (package == 0) {
      findings.push_back(std::move(finding));
      continue;
    }
    add_once(distributions, tree.packages()[package].distribution);
    finding.needed_by = {finding.place + ": " + finding.subject};
    finding.searched.clear();  // differs from file to file, and leads nowhere
    if (others) {
      fold_into(*others, finding);
    } else {
      others = std::move(finding);
    }
  }
  if (!others) return findings;
  if (others->count > 1) {
    others->subject = join(distributions, ", ", distributions.size());
    others->what = std::to_string(others->count) + " NEEDED entries are " + kOnlyThere +
                   ": they come with " + join(distributions);
  }
  findings.push_back(*std::move(others));
  return findings;
}

}  // namespace wheelcheck
