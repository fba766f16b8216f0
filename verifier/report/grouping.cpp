#include "verifier/report/grouping.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace wheelcheck {
namespace {

/// Two of a kind are no crowd: told one by one they say more.
constexpr std::size_t kCrowd = 3;

bool same_but_for_place(const Finding& a, const Finding& b) {
  return std::tie(a.rule, a.level, a.subject, a.what, a.searched, a.provided_by, a.fix) ==
             std::tie(b.rule, b.level, b.subject, b.what, b.searched, b.provided_by, b.fix) &&
         others_needing(a) == others_needing(b);
}

/// `text` with each `subject` in it left out.
std::string without(std::string text, const std::string& subject) {
  if (subject.empty()) return text;
  for (std::size_t at = text.find(subject); at != std::string::npos; at = text.find(subject, at)) {
    text.replace(at, subject.size(), 1, '\0');
    ++at;
  }
  return text;
}

/// What findings of one cause have in common.
using Key =
    std::tuple<const CatalogueRow*, Level, std::string, std::vector<std::string>, std::string>;
Key cause_of(const Finding& finding) {
  return {finding.rule, finding.level, without(finding.what, finding.subject), providers(finding),
          without(finding.fix, finding.subject)};
}

}  // namespace

std::vector<std::string> others_needing(const Finding& finding) {
  std::vector<std::string> others = finding.needed_by;
  others.erase(std::remove(others.begin(), others.end(), finding.place), others.end());
  return others;
}

std::vector<std::string> providers(const Finding& finding) {
  std::vector<std::string> names;
  for (const std::string& line : finding.provided_by) {
    std::string name = line.substr(0, line.find(": "));
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

std::vector<Group> grouped(const std::vector<Finding>& findings) {
  std::vector<Group> groups;
  for (const Finding& finding : findings) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&finding](const Group& group) {
      return same_but_for_place(*group.first, finding);
    });
    if (same == groups.end()) {
      groups.push_back({&finding, {}, finding.count});
    } else {
      same->also_in.push_back(finding.place);
      same->count += finding.count;
    }
  }
  return groups;
}

std::vector<Cause> by_cause(std::vector<Group> groups) {
  std::map<Key, std::size_t> sizes;
  for (const Group& group : groups) ++sizes[cause_of(*group.first)];
  std::vector<Cause> causes;
  std::map<Key, std::size_t> known;
  for (Group& group : groups) {
    const Key key = cause_of(*group.first);
    const bool alone = group.first->level == Level::error || sizes[key] < kCrowd;
    const auto [at, added] = known.try_emplace(key, causes.size());
    if (alone || added) causes.emplace_back();
    causes[alone ? causes.size() - 1 : at->second].groups.push_back(std::move(group));
  }
  return causes;
}

std::vector<std::string> members_of(const Cause& cause) {
  struct Member {
    std::string subject;
    std::vector<std::string> places;
    std::uint64_t count = 0;
  };
  std::vector<Member> members;
  for (const Group& group : cause.groups) {
    const Finding& finding = *group.first;
    auto member = std::find_if(members.begin(), members.end(), [&](const Member& other) {
      return other.subject == finding.subject;
    });
    if (member == members.end()) member = members.insert(members.end(), {finding.subject, {}, 0});
    if (!finding.place.empty()) member->places.push_back(finding.place);
    member->places.insert(member->places.end(), group.also_in.begin(), group.also_in.end());
    member->count += group.count;
  }
  std::vector<std::string> lines;
  for (const Member& member : members) {
    std::string line = member.subject;
    if (!member.places.empty()) {
      line += (line.empty() ? "" : ": ") + member.places.front();
      if (member.places.size() > 1) {
        line += " and " + std::to_string(member.places.size() - 1) + " more";
      }
    } else if (member.count > 1) {
      line += " [" + std::to_string(member.count) + " times]";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace wheelcheck
