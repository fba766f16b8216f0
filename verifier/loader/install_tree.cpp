#include "verifier/loader/install_tree.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "verifier/core/string_map.h"

namespace wheelcheck {

namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_below(std::string_view path, std::string_view root) {
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

}  // namespace

std::string_view site_packages_below_prefix(SitePackagesLayout layout, Scheme scheme) {
  const bool apart = layout == SitePackagesLayout::split && scheme == Scheme::platlib;
  return apart ? "lib64/python3/site-packages" : "lib/python3/site-packages";
}

struct InstallTree::Impl {
  Description description;
  std::string purelib;
  std::string platlib;
  std::vector<TreePackage> packages;
  std::vector<TreeFile> files;
  PathTree paths;
  StringMap<std::vector<std::size_t>> by_name;
  std::vector<std::optional<std::size_t>> of_member;  ///< of the subject, as in WheelFacts::members
  std::vector<std::unique_ptr<ElfFacts>> table_facts;  ///< of declared libraries

  [[nodiscard]] const std::string& site_packages(Scheme scheme) const {
    return scheme == Scheme::purelib ? purelib : platlib;
  }

  [[nodiscard]] std::string installed_path(const InstallPath& install,
                                           std::string_view distribution) const {
    const std::string& root = description.prefix;
    switch (install.scheme) {
      case Scheme::purelib:
      case Scheme::platlib:
        return site_packages(install.scheme) + "/" + install.path;
      case Scheme::scripts:
        return root + "/bin/" + install.path;
      case Scheme::data:
        return root + "/" + install.path;
      case Scheme::headers:
        return root + "/include/site/python3/" + std::string(distribution) + "/" + install.path;
      case Scheme::unknown:
        break;
    }
    return {};
  }

  /// Nothing: a file stands where a directory has to be, or the other way round; the first stays.
  std::optional<std::size_t> add_file(TreeFile file) {
    const std::size_t index = files.size();
    if (!paths.add_file(file.path, index)) return std::nullopt;
    const std::string last(base_name(file.path));
    by_name[last].push_back(index);
    if (file.elf != nullptr && file.elf->soname && *file.elf->soname != last) {
      by_name[*file.elf->soname].push_back(index);
    }
    files.push_back(std::move(file));
    return index;
  }

  void add_plain(const PlainFile& plain, std::size_t package) {
    if (!plain.same_as.empty()) {
      const PathLookup first = paths.look_up(plain.same_as);
      if (first.kind == PathKind::file) paths.add_file(plain.path, first.file);
      return;
    }
    TreeFile file;
    file.path = plain.path;
    file.package = package;
    file.elf = plain.elf;
    add_file(std::move(file));
  }

  void add_wheel(const WheelFacts& wheel, std::size_t package) {
    const std::string distribution =
        wheel.metadata ? wheel.metadata->name
                       : (wheel.file_name ? wheel.file_name->distribution : std::string());
    files.reserve(files.size() + wheel.members.size());
    by_name.reserve(files.size() + wheel.members.size());
    paths.reserve(wheel.members.size());
    if (package == 0) of_member.resize(wheel.members.size());
    for (std::size_t i = 0; i < wheel.members.size(); ++i) {
      const MemberFacts& member = wheel.members[i];
      std::string path = installed_path(member.install, distribution);
      if (path.empty()) continue;
      if (member.entry.is_directory()) {
        // pip makes none of these, but a directory without files finds none
        paths.add_directory(path);
        continue;
      }
      TreeFile file;
      file.path = std::move(path);
      file.package = package;
      file.member = &member;
      file.elf = member.elf.get();
      file.scheme = member.install.scheme;
      file.unread = member.kind == ContentKind::elf && member.elf == nullptr;
      const auto index = add_file(std::move(file));
      if (package == 0) of_member[i] = index;
    }
  }

  void add_declared(const DeclaredPackage& declared, std::size_t package) {
    for (const DeclaredLibrary& library : declared.libraries) {
      auto facts = std::make_unique<ElfFacts>();
      facts->type = 3;  // a shared library
      facts->has_dynamic = true;
      facts->soname = library.soname;
      facts->needed = library.needed;
      if (!library.rpath.empty()) facts->rpath = library.rpath;
      if (!library.runpath.empty()) facts->runpath = library.runpath;
      TreeFile file;
      file.path = site_packages(library.scheme) + "/" + library.path;
      file.package = package;
      file.elf = facts.get();
      file.scheme = library.scheme;
      file.table = true;
      if (add_file(std::move(file))) table_facts.push_back(std::move(facts));
    }
  }

  void add_plain_things(const Description& what, std::size_t package) {
    for (const Link& link : what.links) paths.add_link(link.path, link.target);
    for (const std::string& directory : what.directories) paths.add_directory(directory);
    for (const PlainFile& plain : what.plain_files) add_plain(plain, package);
  }

  static TreePackage package_of(const WheelFacts& wheel, PackageKind kind) {
    TreePackage package;
    package.kind = kind;
    if (wheel.metadata) {
      package.distribution = normalise_name(wheel.metadata->name);
      package.version = wheel.metadata->version_text;
    } else if (wheel.file_name) {
      package.distribution = wheel.file_name->normalised;
      package.version = wheel.file_name->version_text;
    }
    return package;
  }
};

InstallTree::InstallTree(Description description) : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  impl.description = std::move(description);
  const Description& what = impl.description;
  const auto directory_of_scheme = [&what](Scheme scheme) {
    return what.prefix + "/" + std::string(site_packages_below_prefix(what.layout, scheme));
  };
  impl.purelib = directory_of_scheme(Scheme::purelib);
  impl.platlib = directory_of_scheme(Scheme::platlib);
  if (what.subject != nullptr) {
    impl.paths.add_directory(what.prefix + "/bin");
    impl.paths.add_directory(impl.purelib);
    impl.paths.add_directory(impl.platlib);
  }
  if (what.subject != nullptr) {
    impl.packages.push_back(Impl::package_of(*what.subject, PackageKind::subject));
    impl.add_wheel(*what.subject, 0);
  } else {
    impl.packages.emplace_back();
  }
  for (const Given& given : what.given) {
    TreePackage package = Impl::package_of(*given.wheel, PackageKind::given);
    package.chain = given.chain;
    package.extra = given.extra;
    package.required = given.required;
    package.host = given.host;
    package.preloads = given.preloads;
    impl.packages.push_back(std::move(package));
    impl.add_wheel(*given.wheel, impl.packages.size() - 1);
  }
  for (const DeclaredPackage& declared : what.declared) {
    TreePackage package;
    package.distribution = declared.distribution;
    package.version = declared.versions;
    package.kind = declared.kind;
    package.chain = declared.chain;
    package.extra = declared.extra;
    package.preloads = declared.preloads;
    package.required = declared.kind != PackageKind::host;
    package.host = declared.kind == PackageKind::host;
    impl.packages.push_back(std::move(package));
    impl.add_declared(declared, impl.packages.size() - 1);
  }
  impl.add_plain_things(what, 0);
}

InstallTree InstallTree::laid_out(SitePackagesLayout layout) const {
  Description description = impl_->description;
  description.layout = layout;
  return InstallTree(std::move(description));
}

void InstallTree::add_machine(const Description& of_machine) {
  TreePackage package;
  package.distribution = "this machine";
  package.kind = PackageKind::machine;
  package.required = false;
  impl_->packages.push_back(std::move(package));
  impl_->add_plain_things(of_machine, impl_->packages.size() - 1);
}

InstallTree::InstallTree(InstallTree&&) noexcept = default;
InstallTree& InstallTree::operator=(InstallTree&&) noexcept = default;
InstallTree::~InstallTree() = default;

LoaderKind InstallTree::loader() const { return impl_->description.loader; }
const WheelFacts& InstallTree::subject() const { return *impl_->description.subject; }
bool InstallTree::is_whole_system() const { return impl_->description.subject == nullptr; }
bool InstallTree::has_machine() const {
  return impl_->packages.back().kind == PackageKind::machine;
}
const std::vector<TreePackage>& InstallTree::packages() const { return impl_->packages; }
const std::vector<TreeFile>& InstallTree::files() const { return impl_->files; }

bool InstallTree::has_libraries_of_both_schemes() const {
  const auto has = [this](Scheme scheme) {
    return std::any_of(impl_->files.begin(), impl_->files.end(), [&](const TreeFile& file) {
      return file.elf != nullptr && file.scheme == scheme;
    });
  };
  return has(Scheme::purelib) && has(Scheme::platlib);
}

bool InstallTree::is_system_library(std::string_view name) const {
  return impl_->description.system_libraries.count(name) != 0;
}

PathLookup InstallTree::look_up(std::string_view path) const { return impl_->paths.look_up(path); }

std::vector<std::string> InstallTree::list(std::string_view directory) const {
  return impl_->paths.list(directory);
}

bool InstallTree::subject_owns(std::string_view path) const {
  return impl_->paths.any_file_below(
      path, [this](std::size_t file) { return impl_->files[file].package == 0; });
}

std::vector<std::size_t> InstallTree::named(std::string_view name) const {
  const auto found = impl_->by_name.find(base_name(name));
  return found == impl_->by_name.end() ? std::vector<std::size_t>() : found->second;
}

std::optional<std::size_t> InstallTree::file_of(std::string_view member) const {
  const WheelFacts* subject = impl_->description.subject;
  if (subject == nullptr) return std::nullopt;
  const auto found = subject->by_path.find(member);
  return found == subject->by_path.end() ? std::nullopt : impl_->of_member[found->second];
}

SitePackagesLayout InstallTree::layout() const { return impl_->description.layout; }
const std::string& InstallTree::prefix() const { return impl_->description.prefix; }
const std::string& InstallTree::site_packages(Scheme scheme) const {
  return impl_->site_packages(scheme);
}

std::vector<std::string> InstallTree::module_directories() const {
  if (layout() == SitePackagesLayout::joined) return {impl_->platlib};
  return {impl_->platlib, impl_->purelib};
}

std::optional<std::string_view> InstallTree::below_site_packages(std::string_view path) const {
  for (const std::string* root : {&impl_->purelib, &impl_->platlib}) {
    if (is_below(path, *root)) return path.substr(std::min(path.size(), root->size() + 1));
  }
  return std::nullopt;
}

bool InstallTree::is_fixed_way(std::string_view from, std::string_view to) const {
  const auto root_of = [this](std::string_view path) {
    return is_below(path, impl_->purelib) ? 1 : is_below(path, impl_->platlib) ? 2 : 0;
  };
  return root_of(from) == root_of(to);
}

std::string InstallTree::display(std::string_view path) const {
  if (const auto below = below_site_packages(path)) {
    if (layout() == SitePackagesLayout::joined) {
      return below->empty() ? "<site-packages>" : std::string(*below);
    }
    const char* const root = is_below(path, impl_->platlib) ? "<platlib>" : "<purelib>";
    return below->empty() ? root : root + ("/" + std::string(*below));
  }
  if (is_below(path, prefix())) return "<prefix>" + std::string(path.substr(prefix().size()));
  return std::string(path);
}

}  // namespace wheelcheck
