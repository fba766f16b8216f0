#include "verifier/why/subject.h"

#include <utility>

#include "verifier/loader/search_path.h"

namespace wheelcheck {

Result<std::unique_ptr<Subject>> Subject::read(const std::string& path, const Options& options) {
  std::unique_ptr<Subject> subject(new Subject());
  subject->path_ = path;
  ScanOptions scan = options.scan;
  scan.want_local_symbols = false;
  scan.scan_build_paths = false;
  auto wheel = scan_wheel(path, scan);
  if (!wheel) return wheel.error();
  subject->wheel_ = *std::move(wheel);
  for (const std::string& with : options.with) subject->given_.add(with, scan);
  subject->profile_ = subject->policy().choose_profile(subject->wheel_, options.profile);
  if (subject->profile_ == nullptr) return Error{path, "no profile is for it", {}};
  for (const MemberFacts& member : subject->wheel_.members) {
    if (!member.unread) continue;
    Error error = *member.unread;
    if (!error.where.starts_with(member.entry.path)) error.where = member.entry.path;
    subject->unread_.push_back(std::move(error));
  }
  for (const Error& error : subject->given_.errors()) subject->unread_.push_back(error);
  subject->lay_down();
  return subject;
}

void Subject::lay_down() {
  const std::vector<const WheelFacts*> given = given_.suiting(wheel_);
  tree_ = std::make_unique<InstallTree>(install(wheel_, given, policy(), *profile_));
}

const PlatformPolicy* Subject::platform() const { return strictest(policy().platforms, wheel_); }

std::string Subject::system() const {
  return platform() == nullptr ? "the platform" : platform()->name;
}

std::string Subject::display(std::string_view path) const {
  return InstallTree::display(normalise_path(path));
}

std::string Subject::display(std::size_t file) const { return display(tree_->files()[file].path); }

std::string Subject::installed(std::string_view path) const {
  return std::string(InstallTree::site_packages()) + "/" + std::string(path);
}

std::string Subject::editing_path(std::size_t file) const {
  const MemberFacts* member = tree_->files()[file].member;
  return member != nullptr ? member->entry.path : display(file);
}

std::optional<std::size_t> Subject::file_of(std::string_view editing_path) const {
  return tree_->file_of(editing_path);
}

ElfFacts* Subject::editable(std::size_t file) {
  const ElfFacts* wanted = tree_->files()[file].elf;
  for (MemberFacts& member : wheel_.members) {
    if (wanted != nullptr && member.elf.get() == wanted) return member.elf.get();
  }
  return nullptr;
}

bool Subject::require(const std::string& requirement) {
  auto parsed = Requirement::parse(requirement);
  if (!parsed) return false;
  if (!wheel_.metadata) wheel_.metadata.emplace();
  wheel_.metadata->requires_dist.push_back(*std::move(parsed));
  lay_down();
  return true;
}

std::vector<Requirement> Subject::requirements() const {
  return wheel_.metadata ? wheel_.metadata->requires_dist : std::vector<Requirement>();
}

void Subject::set_requirements(std::vector<Requirement> requirements) {
  if (!wheel_.metadata) return;
  wheel_.metadata->requires_dist = std::move(requirements);
  lay_down();
}

}  // namespace wheelcheck
