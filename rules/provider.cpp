#include "rules/provider.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "rules/support.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

using Json = nlohmann::json;

DeclaredLibrary library_of(const Json& entry) {
  DeclaredLibrary library;
  library.path = entry.at("path").get<std::string>();
  if (entry.value("purelib", false)) library.scheme = Scheme::purelib;
  library.soname = entry.value("soname", std::string(base_name_of(library.path)));
  library.needed = words_of(entry.value("needed", std::string()));
  library.rpath = entry.value("rpath", std::string());
  library.runpath = entry.value("runpath", std::string());
  return library;
}

Result<ProviderRow> row_of(const Json& entry) {
  ProviderRow row;
  row.distribution = entry.at("distribution").get<std::string>();
  row.cuda = entry.at("cuda").get<std::string>();
  row.preloads = entry.at("preloads").get<bool>();
  auto versions = SpecifierSet::parse(entry.at("versions").get<std::string>());
  if (!versions) return std::move(versions).error();
  row.versions = *std::move(versions);
  for (const Json& text : entry.at("requires")) {
    auto requirement = Requirement::parse(text.get<std::string>());
    if (!requirement) return std::move(requirement).error();
    row.requires_dist.push_back(*std::move(requirement));
  }
  for (const Json& library : entry.at("libraries")) row.libraries.push_back(library_of(library));
  return row;
}

/// Versions near the bounds of a set of clauses: where two sets have versions in common, one of
/// these is usually among them.
void add_candidates(const SpecifierSet& specifiers, std::vector<Version>& candidates) {
  for (const Specifier& clause : specifiers.clauses()) {
    std::string text = clause.version();
    if (text.ends_with(".*")) text.resize(text.size() - 2);
    const std::size_t local = text.find('+');
    if (local != std::string::npos) text.resize(local);
    for (const std::string_view more : {"", ".1", ".99999"}) {
      auto version = Version::parse(text + std::string(more));
      if (version) candidates.push_back(*std::move(version));
    }
  }
}

bool have_version_in_common(const SpecifierSet& left, const SpecifierSet& right) {
  if (left.clauses().empty() || right.clauses().empty()) return true;
  std::vector<Version> candidates;
  add_candidates(left, candidates);
  add_candidates(right, candidates);
  return std::any_of(candidates.begin(), candidates.end(), [&](const Version& version) {
    return left.contains(version) && right.contains(version);
  });
}

}  // namespace

Result<ProviderTable> ProviderTable::parse(std::string_view json) {
  ProviderTable table;
  try {  // the library's way to say what is wrong; its exceptions end here
    const Json document = Json::parse(json);
    for (const Json& entry : document.at("rows")) {
      auto row = row_of(entry);
      if (!row) return std::move(row).error();
      table.rows_.push_back(*std::move(row));
    }
  } catch (const Json::exception& problem) {
    return Error{"providers.json", problem.what(), std::nullopt};
  }
  // The file lists newer rows of one distribution first; that order is kept.
  std::stable_sort(table.rows_.begin(), table.rows_.end(),
                   [](const ProviderRow& left, const ProviderRow& right) {
                     return left.distribution < right.distribution;
                   });
  for (std::size_t i = 0; i < table.rows_.size(); ++i) {
    auto& range = table.by_name_.try_emplace(table.rows_[i].distribution, i, i).first->second;
    range.second = i + 1;
  }
  return table;
}

std::span<const ProviderRow> ProviderTable::rows(std::string_view distribution) const {
  const auto found = by_name_.find(distribution);
  if (found == by_name_.end()) return {};
  return std::span(rows_).subspan(found->second.first, found->second.second - found->second.first);
}

const ProviderRow* ProviderTable::choose(const Requirement& requirement) const {
  for (const ProviderRow& row : rows(requirement.normalised)) {
    if (have_version_in_common(requirement.specifiers, row.versions)) return &row;
  }
  return nullptr;
}

std::vector<const ProviderRow*> ProviderTable::shippers(std::string_view library) const {
  std::vector<const ProviderRow*> found;
  for (const ProviderRow& row : rows_) {
    const bool ships = std::any_of(
        row.libraries.begin(), row.libraries.end(), [&](const DeclaredLibrary& shipped) {
          return shipped.soname == library || base_name_of(shipped.path) == library;
        });
    if (ships) found.push_back(&row);
  }
  return found;
}

std::vector<const ProviderRow*> ProviderTable::in_directory(std::string_view directory) const {
  std::vector<const ProviderRow*> found;
  for (const ProviderRow& row : rows_) {
    const bool ships = std::any_of(
        row.libraries.begin(), row.libraries.end(),
        [&](const DeclaredLibrary& shipped) { return directory_of(shipped.path) == directory; });
    if (ships) found.push_back(&row);
  }
  return found;
}

}  // namespace wheelcheck
