#include "verifier/check/surroundings.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "verifier/loader/host_machine.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

constexpr std::uint16_t kX8664 = 62;

/// One element of LD_LIBRARY_PATH. What lies in a folder of the given environment is in the tree.
std::string as_laid_down(std::string element, const SitePackagesFolder& folder,
                         SitePackagesLayout layout) {
  std::error_code code;
  const std::string real = std::filesystem::canonical(folder.path, code).string();
  for (const std::string& name : {folder.path, real}) {
    const bool inside = !code && !name.empty() && element.starts_with(name) &&
                        (element.size() == name.size() || element[name.size()] == '/');
    if (!inside) continue;
    const std::string_view below = site_packages_below_prefix(layout, folder.scheme);
    return std::string(InstallTree::kPrefix) + "/" + std::string(below) +
           element.substr(name.size());
  }
  return element;
}

/// The whole of it.
std::string as_laid_down(const std::string& path, const std::vector<SitePackagesFolder>& folders,
                         SitePackagesLayout layout) {
  if (folders.empty()) return path;
  std::string out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find_first_of(":;", at), path.size());
    std::string element = path.substr(at, end - at);
    for (const SitePackagesFolder& folder : folders) {
      element = as_laid_down(std::move(element), folder, layout);
    }
    out += element;
    if (end < path.size()) out += path[end];
    at = end + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> Surroundings::told() const {
  std::vector<std::string> lines;
  if (host) lines.emplace_back("the libraries of this machine (--host)");
  if (!site_packages.empty()) {
    std::string folders;
    for (const SitePackagesFolder& folder : site_packages) {
      folders += (folders.empty() ? "" : " and ") + folder.path;
    }
    lines.push_back("only what is installed in " + folders + " beside (--site-packages)");
  }
  if (layout && site_packages.empty()) {  // else the folders say it
    const bool split = layout == SitePackagesLayout::split;
    lines.push_back(std::string("purelib and platlib in ") +
                    (split ? "two directories" : "one directory") + " (--site-packages-layout)");
  }
  if (!ld_library_path.empty()) {
    lines.push_back("LD_LIBRARY_PATH=" + ld_library_path + " (--ld-library-path)");
  }
  for (const std::string& name : preload) lines.push_back(name + " loaded before (--preload)");
  if (glibc) {
    lines.push_back("the rules of glibc " + std::to_string(glibc->major) + "." +
                    std::to_string(glibc->minor) + " (--glibc)");
  }
  return lines;
}

Result<Machine> Surroundings::machine() const {
  Machine machine;
  if (host) {
    auto here = host_machine();
    if (!here) return here.error();
    machine = *std::move(here);
  }
  if (glibc) machine.glibc = *glibc;
  machine.ld_library_path = as_laid_down(ld_library_path, site_packages, taken_layout());
  return machine;
}

Result<MachineFiles> lay_machine_beside(InstallTree& tree, const Machine& machine,
                                        const Surroundings& surroundings,
                                        const std::string& subject) {
  if (tree.loader() == LoaderKind::none) return MachineFiles{};
  if (surroundings.host) {
    const bool fits =
        tree.loader() == LoaderKind::glibc &&
        std::none_of(tree.files().begin(), tree.files().end(), [](const TreeFile& file) {
          return file.package == 0 && file.elf != nullptr && file.elf->loadable() &&
                 file.elf->machine != kX8664;
        });
    if (!fits) {
      return Error{subject, "is not for glibc on x86-64, which is all that --host knows", {}};
    }
  } else if (surroundings.ld_library_path.empty()) {
    return MachineFiles{};
  }
  MachineFiles files = read_machine_files(tree, machine);
  tree.add_machine(files.description);
  return files;
}

std::vector<std::size_t> preloaded_by(const InstallTree& tree, const std::string& name,
                                      const std::vector<std::size_t>& called,
                                      const std::vector<std::string>& directories) {
  const auto loadable = [&](std::size_t file) {
    const ElfFacts* elf = tree.files()[file].elf;
    return elf != nullptr && elf->loadable() && role_of(tree.files()[file]) != ObjectRole::program;
  };
  if (!called.empty() && loadable(called.front())) return {called.front()};
  std::string package = name;
  std::replace(package.begin(), package.end(), '-', '_');
  const auto is_folder = [&](std::string_view path) {  // of the package
    return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
      return path == directory + "/" + package;
    });
  };
  const auto is_inside = [&](std::string_view path) {
    return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
      return path.starts_with(directory + "/" + package + "/");
    });
  };
  std::vector<std::size_t> extensions;
  std::vector<std::size_t> libraries;
  for (std::size_t file = 0; file < tree.files().size(); ++file) {
    if (!loadable(file)) continue;
    const std::string& path = tree.files()[file].path;
    const TreePackage& owner = tree.packages()[tree.files()[file].package];
    if (!is_inside(path) && owner.distribution != name) continue;
    libraries.push_back(file);
    if (is_folder(directory_of(path)) && role_of(tree.files()[file]) == ObjectRole::extension) {
      extensions.push_back(file);
    }
  }
  return extensions.empty() ? libraries : extensions;
}

Result<std::vector<std::size_t>> preloads_of(const InstallTree& tree,
                                             const std::vector<std::string>& names,
                                             const std::string& subject) {
  std::vector<std::size_t> preloads;
  const std::vector<std::string> directories = tree.module_directories();
  for (const std::string& name : names) {
    std::vector<std::size_t> called;
    for (const std::string& directory : directories) {
      const PathLookup there = tree.look_up(directory + "/" + name);
      if (there.kind == PathKind::file) called.push_back(there.file);
    }
    if (called.empty()) called = tree.named(base_name_of(name));
    const std::vector<std::size_t> files = preloaded_by(tree, name, called, directories);
    if (files.empty()) {
      return Error{subject, "there is nothing to preload called " + name, {}};
    }
    preloads.insert(preloads.end(), files.begin(), files.end());
  }
  return preloads;
}

std::optional<GlibcVersion> parse_glibc(std::string_view text) {
  GlibcVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return version;
}

}  // namespace wheelcheck
