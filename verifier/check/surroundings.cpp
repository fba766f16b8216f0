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

/// LD_LIBRARY_PATH with what lies in the given environment at the place where it lies in the tree.
std::string as_laid_down(const std::string& path, const std::string& site_packages) {
  if (site_packages.empty()) return path;
  std::error_code code;
  const std::string real = std::filesystem::canonical(site_packages, code).string();
  std::string out;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find_first_of(":;", at), path.size());
    std::string element = path.substr(at, end - at);
    for (const std::string& folder : {site_packages, real}) {
      const bool inside = !code && !folder.empty() && element.starts_with(folder) &&
                          (element.size() == folder.size() || element[folder.size()] == '/');
      if (!inside) continue;
      element.replace(0, folder.size(), InstallTree::site_packages());
      break;
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
    lines.push_back("only what is installed in " + site_packages + " beside (--site-packages)");
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
  machine.ld_library_path = as_laid_down(ld_library_path, site_packages);
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
                                      std::string_view site_packages) {
  const auto loadable = [&](std::size_t file) {
    const ElfFacts* elf = tree.files()[file].elf;
    return elf != nullptr && elf->loadable() && role_of(tree.files()[file]) != ObjectRole::program;
  };
  if (!called.empty() && loadable(called.front())) return {called.front()};
  std::string package = name;
  std::replace(package.begin(), package.end(), '-', '_');
  const std::string folder = std::string(site_packages) + "/" + package;
  std::vector<std::size_t> extensions;
  std::vector<std::size_t> libraries;
  for (std::size_t file = 0; file < tree.files().size(); ++file) {
    if (!loadable(file)) continue;
    const std::string& path = tree.files()[file].path;
    const TreePackage& owner = tree.packages()[tree.files()[file].package];
    if (!path.starts_with(folder + "/") && owner.distribution != name) continue;
    libraries.push_back(file);
    const bool directly = directory_of(path) == folder;
    if (directly && role_of(tree.files()[file]) == ObjectRole::extension) {
      extensions.push_back(file);
    }
  }
  return extensions.empty() ? libraries : extensions;
}

Result<std::vector<std::size_t>> preloads_of(const InstallTree& tree,
                                             const std::vector<std::string>& names,
                                             const std::string& subject) {
  std::vector<std::size_t> preloads;
  const std::string_view site = InstallTree::site_packages();
  for (const std::string& name : names) {
    const PathLookup there = tree.look_up(std::string(site) + "/" + name);
    const std::vector<std::size_t> called = there.kind == PathKind::file
                                                ? std::vector<std::size_t>{there.file}
                                                : tree.named(base_name_of(name));
    const std::vector<std::size_t> files = preloaded_by(tree, name, called, site);
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
