#include "verifier/why/subject.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "verifier/loader/closure.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace fs = std::filesystem;

Result<std::unique_ptr<Subject>> Subject::read(const std::string& path, const Options& options) {
  std::unique_ptr<Subject> subject(new Subject());
  subject->path_ = path;
  subject->surroundings_ = options.surroundings;
  auto machine = options.surroundings.machine();
  if (!machine) return machine.error();
  subject->loader_.machine = *std::move(machine);
  Options all = options;
  all.scan.want_local_symbols = false;
  all.scan.scan_build_paths = false;
  if (options.cache) subject->given_ = GivenPackages(FactsCache::of_user());
  for (const std::string& with : all.with) subject->given_.add(with, all.scan);
  const std::vector<SitePackagesFolder>& installed = options.surroundings.site_packages;
  for (const SitePackagesFolder& folder : installed) {
    subject->given_.add(folder.path, installed, all.scan);
  }
  for (const Error& error : subject->given_.errors()) subject->unread_.push_back(error);
  std::error_code code;
  const bool folder = fs::is_directory(path, code);
  if (auto error = folder ? subject->read_folder() : subject->read_wheel(all)) return *error;
  if (auto error = subject->lay_down()) return *error;
  if (subject->tree_->loader() == LoaderKind::none) {
    return Error{path, "no loader is known for its platform, so nothing can be said of it", {}};
  }
  subject->find_roots();
  return subject;
}

std::optional<Error> Subject::read_wheel(const Options& options) {
  auto wheel = scan_wheel(path_, options.scan);
  if (!wheel) return wheel.error();
  wheel_ = *std::move(wheel);
  platform_ = strictest(policy().platforms, wheel_);
  profile_ = policy().choose_profile(wheel_, options.profile);
  if (profile_ == nullptr) return Error{path_, "no profile is for it", {}};
  for (const MemberFacts& member : wheel_.members) {
    if (!member.unread) continue;
    Error error = *member.unread;
    if (!error.where.starts_with(member.entry.path)) error.where = member.entry.path;
    unread_.push_back(std::move(error));
  }
  return std::nullopt;
}

std::optional<Error> Subject::read_folder() {
  std::error_code code;
  folder_ = fs::canonical(path_, code).string();
  if (code) return Error{path_, code.message(), {}};
  // The kind of loader is that of the files, of which nothing is known before.
  for (const LoaderKind kind : {LoaderKind::glibc, LoaderKind::musl}) {
    auto read = read_environment(folder_, kind, loader_.machine, true);
    if (!read) return read.error();
    environment_ = *std::move(read);
    const bool for_musl =
        std::any_of(environment_.facts.begin(), environment_.facts.end(), [](const auto& elf) {
          return std::any_of(elf->needed.begin(), elf->needed.end(), [](const std::string& name) {
            return name.starts_with("libc.musl-") || name == "libc.so";
          });
        });
    if (!for_musl) break;
  }
  if (environment_.facts.empty()) return Error{path_, "holds no ELF file", {}};
  for (const Error& error : environment_.unread) unread_.push_back(error);
  Platform platform;
  platform.kind = environment_.description.loader == LoaderKind::musl ? PlatformKind::musllinux
                                                                      : PlatformKind::linux;
  platform.arch = arch_of_machine(*environment_.facts.front());
  for (const PlatformPolicy& one : policy().platforms.all()) {  // the newest of its kind
    const bool musl = one.kind == PlatformKind::musllinux;
    if (one.arch != platform.arch || musl != (platform.kind == PlatformKind::musllinux)) continue;
    if (platform_ == nullptr ||
        std::pair(platform_->major, platform_->minor) < std::pair(one.major, one.minor)) {
      platform_ = &one;
    }
  }
  return std::nullopt;
}

void Subject::add_plain(std::string_view path, const ElfFacts* elf,
                        InstallTree::Description& to) const {
  to.plain_files.push_back({installed({Scheme::platlib, std::string(path)}), elf, {}});
}

void Subject::lay_down_folder() {
  InstallTree::Description description = environment_.description;
  if (platform_ != nullptr) description.system_libraries = platform_->libraries;
  for (const WheelFacts* wheel : given_.suiting(wheel_)) {
    for (const MemberFacts& member : wheel->members) {
      const Scheme scheme = member.install.scheme;
      if (scheme != Scheme::purelib && scheme != Scheme::platlib) continue;
      if (!member.entry.is_directory()) {
        add_plain(member.install.path, member.elf.get(), description);
      }
    }
  }
  for (const auto& [path, elf] : added_files_) add_plain(path, elf, description);
  tree_ = std::make_unique<InstallTree>(std::move(description));
}

std::optional<Error> Subject::lay_down() {
  if (is_folder()) {
    lay_down_folder();
  } else {
    const std::vector<const WheelFacts*> given = given_.suiting(wheel_);
    tree_ = std::make_unique<InstallTree>(install(wheel_, given, policy(), *profile_,
                                                  !surroundings_.site_packages.empty(),
                                                  surroundings_.taken_layout()));
    auto beside = lay_machine_beside(*tree_, loader_.machine, surroundings_, path_);
    if (!beside) return beside.error();
    machine_files_ = *std::move(beside);
  }
  const std::vector<std::string> directories = module_directories();
  loader_.preloads.clear();
  for (const std::string& preload : surroundings_.preload) {
    const std::vector<std::size_t> files =
        preloaded_by(*tree_, preload, called(preload), directories);
    if (files.empty()) return Error{path_, "there is nothing to preload called " + preload, {}};
    loader_.preloads.insert(loader_.preloads.end(), files.begin(), files.end());
  }
  return std::nullopt;
}

void Subject::find_roots() {
  LoaderOptions options = loader_;
  add_openings(options, *tree_, policy().openings, module_directories(),
               [this](std::size_t file) { return owns(file); });
  const Resolution resolution = resolve(*tree_, options);
  over_budget_ = resolution.over_budget;
  for (const bool extensions : {true, false}) {
    for (const ObjectResolution& object : resolution.objects) {
      const bool is_extension = object.role == ObjectRole::extension;
      if (!object.is_root || is_extension != extensions || !owns(object.file)) continue;
      roots_.push_back(tree_->files()[object.file].path);
    }
  }
}

std::string Subject::system() const {
  if (loader_.machine.has_system_directories) return "this machine";
  return platform_ == nullptr ? "the platform" : platform_->name;
}

bool Subject::owns(std::size_t file) const {
  const TreeFile& there = tree_->files()[file];
  return there.package == 0 && (!is_folder() || there.path.starts_with(folder_ + "/"));
}

std::string Subject::display(std::string_view path) const {
  const std::string normal = normalise_path(path);
  if (!is_folder()) return tree_->display(normal);
  const bool inside = normal.starts_with(folder_ + "/");
  return inside ? normal.substr(folder_.size() + 1) : normal;
}

std::string Subject::display(std::size_t file) const { return display(tree_->files()[file].path); }

std::string Subject::installed(const InstallPath& path) const {
  return (is_folder() ? folder_ : tree_->site_packages(path.scheme)) + "/" + path.path;
}

std::vector<std::string> Subject::module_directories() const {
  return is_folder() ? std::vector{folder_} : tree_->module_directories();
}

std::string Subject::editing_path(std::size_t file) const {
  const MemberFacts* member = tree_->files()[file].member;
  return member != nullptr ? member->entry.path : display(file);
}

std::optional<std::size_t> Subject::file_of(std::string_view editing_path) const {
  if (!is_folder()) return tree_->file_of(editing_path);
  const PathLookup there = tree_->look_up(folder_ + "/" + std::string(editing_path));
  return there.kind == PathKind::file ? std::optional(there.file) : std::nullopt;
}

std::vector<std::size_t> Subject::called(const std::string& name) const {
  if (const auto member = file_of(name)) return {*member};
  std::vector<std::size_t> files;
  std::vector<std::size_t> same_end;
  const std::string_view base = base_name_of(name);
  for (const std::size_t file : tree_->named(base)) {
    if (tree_->files()[file].elf == nullptr && !tree_->files()[file].unread &&
        (!owns(file) || base_name_of(tree_->files()[file].path) != base)) {
      continue;
    }
    files.push_back(file);
    // An installed file's whole path ends like the one that is meant.
    const auto below = tree_->below_site_packages(tree_->files()[file].path);
    const std::string path = below ? std::string(*below) : display(file);
    if (name.size() > base.size() && ("/" + name).ends_with("/" + path)) {
      same_end.push_back(file);
    }
  }
  if (!same_end.empty()) files = same_end;
  std::stable_partition(files.begin(), files.end(), [&](std::size_t file) { return owns(file); });
  return files;
}

ElfFacts* Subject::editable(std::size_t file) {
  const ElfFacts* wanted = tree_->files()[file].elf;
  if (wanted == nullptr || !owns(file)) return nullptr;
  for (MemberFacts& member : wheel_.members) {
    if (member.elf.get() == wanted) return member.elf.get();
  }
  for (const auto& elf : environment_.facts) {
    if (elf.get() == wanted) return elf.get();
  }
  return nullptr;
}

bool Subject::require(const std::string& requirement) {
  auto parsed = Requirement::parse(requirement);
  if (!parsed) return false;
  if (!is_folder()) {
    if (!wheel_.metadata) wheel_.metadata.emplace();
    wheel_.metadata->requires_dist.push_back(*std::move(parsed));
    return !lay_down();
  }
  const ProviderRow* row = policy().providers.choose(*parsed);
  if (row == nullptr) return false;
  for (const DeclaredLibrary& library : row->libraries) {
    auto elf = std::make_unique<ElfFacts>();
    elf->type = 3;  // a shared library
    elf->machine = environment_.facts.front()->machine;
    elf->has_dynamic = true;
    elf->stack_flags = 6;  // not executable
    elf->soname = library.soname;
    elf->needed = library.needed;
    if (!library.rpath.empty()) elf->rpath = library.rpath;
    if (!library.runpath.empty()) elf->runpath = library.runpath;
    added_files_.emplace_back(library.path, elf.get());
    added_.push_back(std::move(elf));
  }
  return !lay_down();
}

std::vector<Requirement> Subject::requirements() const {
  return wheel_.metadata ? wheel_.metadata->requires_dist : std::vector<Requirement>();
}

void Subject::set_requirements(std::vector<Requirement> requirements) {
  added_files_.clear();
  if (wheel_.metadata) wheel_.metadata->requires_dist = std::move(requirements);
  if (auto error = lay_down()) unread_.push_back(*std::move(error));
  added_.clear();
}

}  // namespace wheelcheck
