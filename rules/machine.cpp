// Native files against the tags: processor, system, C library and the age of its symbols.

#include <algorithm>
#include <map>
#include <set>

#include "rules/metadata_judges.h"
#include "rules/policy.h"
#include "rules/support.h"
#include "rules/system_symbols.h"

namespace wheelcheck {
namespace {

bool is_linux(const Platform& platform) {
  return platform.kind == PlatformKind::linux || platform.kind == PlatformKind::manylinux ||
         platform.kind == PlatformKind::musllinux;
}

/// Code for a graphics processor or for the kernel's own machine comes in ELF files too; no
/// process of the platform loads those.
bool is_for_another_kind_of_machine(const ElfFacts& elf) {
  constexpr std::uint16_t kCuda = 190;
  constexpr std::uint16_t kAmdGpu = 224;
  constexpr std::uint16_t kBpf = 247;
  return elf.machine == kCuda || elf.machine == kAmdGpu || elf.machine == kBpf;
}

bool same_arch(std::string_view machine, std::string_view arch) {
  // Tags tell 32-bit ARM by its version, ELF headers do not; the same for 32-bit x86.
  if (machine.starts_with("armv") && arch.starts_with("armv")) return true;
  if (machine == "i686" && (arch == "i386" || arch == "i586")) return true;
  return machine == arch;
}

std::string machine_text(const ElfFacts& elf) {
  const std::string_view arch = arch_of_machine(elf);
  if (!arch.empty()) return std::string(arch);
  return std::string(elf.is_64 ? "64" : "32") + "-bit " +
         (elf.endian == Endian::little ? "little" : "big") + "-endian machine " +
         std::to_string(elf.machine);
}

bool is_test_data(std::string_view path) {
  std::size_t start = 0;
  while (start < path.size()) {
    auto end = path.find('/', start);
    if (end == std::string_view::npos) return false;  // the file's own name says nothing
    const std::string_view part = path.substr(start, end - start);
    if (part == "test" || part == "tests" || part == "testdata" || part == "test_data" ||
        part == "testing" || part == "fixtures") {
      return true;
    }
    start = end + 1;
  }
  return false;
}

/// Something a loader maps for the wheel's own use: not firmware, not a static program for
/// another machine that is only copied there.
bool is_dynamic(const ElfFacts& elf) { return elf.loadable() && elf.has_dynamic; }

}  // namespace

std::vector<Finding> judge_elf_machine(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const std::vector<Platform> platforms = platforms_of(context.wheel);
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (!elf.loadable() || is_for_another_kind_of_machine(elf)) continue;
    std::vector<std::string> broken;
    for (const Platform& platform : platforms) {
      if (!is_linux(platform) || platform.arch.empty()) continue;
      if (!same_arch(arch_of_machine(elf), platform.arch)) broken.push_back(platform.text);
    }
    if (broken.empty()) continue;
    const bool mild = !is_dynamic(elf) || is_test_data(member->entry.path);
    findings.push_back(make_finding(
        row, mild ? Level::warning : Level::error, member->entry.path, machine_text(elf),
        "is for " + machine_text(elf) + ", the wheel for " + join(broken)));
  }
  return findings;
}

std::vector<Finding> judge_native_in_pure(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const std::vector<Platform> platforms = platforms_of(context.wheel);
  const bool any = std::any_of(platforms.begin(), platforms.end(), [](const Platform& platform) {
    return platform.kind == PlatformKind::any;
  });
  if (!any) return findings;
  // Files for several machines side by side are chosen at run time; that works, if not well.
  std::set<std::string> machines;
  for (const MemberFacts& member : context.wheel.members) {
    if (member.elf && is_dynamic(*member.elf)) machines.insert(machine_text(*member.elf));
    if (!member.foreign) continue;
    for (const ForeignImage& image : member.foreign->images) {
      machines.insert(image.format + image.machine);
    }
  }
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!is_dynamic(*member->elf) || is_for_another_kind_of_machine(*member->elf)) continue;
    const bool mild = machines.size() > 1 || is_test_data(member->entry.path);
    findings.push_back(make_finding(
        row, mild ? Level::warning : Level::error, member->entry.path, machine_text(*member->elf),
        "is native code for " + machine_text(*member->elf) + " in a wheel for any platform"));
  }
  return findings;
}

std::vector<Finding> judge_foreign_machine(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.foreign || member.foreign->images.empty()) continue;
    const std::string& format = member.foreign->images.front().format;
    std::set<std::string> machines;
    // Objects, archives and debug files are not loaded; "x86_64h" and "arm64e" are flavours.
    for (const ForeignImage& image : member.foreign->images) {
      if (image.kind != ForeignKind::shared_library && image.kind != ForeignKind::executable) {
        continue;
      }
      if (image.machine == "x86_64h") {
        machines.insert("x86_64");
      } else if (image.machine == "arm64e") {
        machines.insert("arm64");
      } else {
        machines.insert(image.machine);
      }
    }
    if (machines.empty()) continue;
    for (const Platform& platform : platforms_of(context.wheel)) {
      std::set<std::string> wanted;
      if (format == "Mach-O" && platform.kind == PlatformKind::macos) {
        if (platform.arch == "universal2") {
          wanted = {"x86_64", "arm64"};
        } else if (platform.arch == "intel" || platform.arch == "fat32" ||
                   platform.arch == "fat64" || platform.arch == "universal") {
          wanted = {"x86_64", "i386"};
        } else {
          wanted = {platform.arch};
        }
      } else if (format == "PE" && platform.kind == PlatformKind::windows) {
        wanted = {platform.arch};
        if (platform.arch == "win32") wanted.insert("i386");
      } else {
        continue;
      }
      std::vector<std::string> missing;
      for (const std::string& machine : wanted) {
        if (!machines.contains(machine)) missing.push_back(machine);
      }
      const bool none = missing.size() == wanted.size();
      // A universal wheel of which a file has one half works on one kind of machine.
      const bool half = platform.arch == "universal2" && !missing.empty();
      if (!none && !half) continue;
      const std::vector<std::string> held(machines.begin(), machines.end());
      findings.push_back(make_finding(row, none ? Level::error : Level::warning, member.entry.path,
                                      join(held),
                                      "is for " + join(held) + ", the wheel for " + platform.text));
    }
  }
  return findings;
}

std::vector<Finding> judge_foreign_system(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const std::vector<Platform> platforms = platforms_of(context.wheel);
  const auto all = [&](auto predicate) {
    return !platforms.empty() && std::all_of(platforms.begin(), platforms.end(), predicate);
  };
  const auto is_kind = [](PlatformKind kind) {
    return [kind](const Platform& platform) { return platform.kind == kind; };
  };
  std::map<std::string, Finding> by_format;
  for (const MemberFacts& member : context.wheel.members) {
    std::string format;
    if (member.elf && is_dynamic(*member.elf) && !is_for_another_kind_of_machine(*member.elf) &&
        (all(is_kind(PlatformKind::macos)) || all(is_kind(PlatformKind::windows)))) {
      format = "ELF";
    } else if (member.kind == ContentKind::mach_o &&
               (all(is_linux) || all(is_kind(PlatformKind::windows)))) {
      format = "Mach-O";
    } else if (member.kind == ContentKind::pe &&
               (all(is_linux) || all(is_kind(PlatformKind::macos)))) {
      format = "PE";
    }
    if (format.empty()) continue;
    const auto [at, added] = by_format.try_emplace(format);
    if (added) {
      at->second =
          make_finding(row, member.entry.path, format,
                       "is a " + format + " file in a wheel for " + platforms.front().text);
    } else {
      ++at->second.count;
    }
  }
  for (auto& [format, finding] : by_format) findings.push_back(std::move(finding));
  return findings;
}

std::vector<Finding> judge_foreign_paths(const WheelContext& context, const CatalogueRow& row) {
  // Directories that belong to the system are the same on every machine.
  const auto is_build_path = [](std::string_view path) {
    if (!path.starts_with('/')) return false;
    for (const std::string_view fixed :
         {"/usr/lib/", "/System/", "/DLC/", "/Library/Frameworks/"}) {
      if (path.starts_with(fixed)) return false;
    }
    return path != "/usr/lib";
  };
  std::vector<Finding> findings;
  for (const MemberFacts& member : context.wheel.members) {
    if (!member.foreign) continue;
    for (const ForeignImage& image : member.foreign->images) {
      if (image.format != "Mach-O") continue;
      const bool relative =
          std::any_of(image.rpaths.begin(), image.rpaths.end(),
                      [](std::string_view path) { return path.starts_with('@'); });
      for (const std::string& path : image.rpaths) {
        if (!is_build_path(path)) continue;
        findings.push_back(
            make_finding(row, relative ? Level::warning : Level::error, member.entry.path, path,
                         "LC_RPATH " + path + " is a directory of the machine that built it" +
                             (relative ? "; others beside it are relative" : "")));
      }
      for (const std::string& path : image.libraries) {
        const auto& weak = image.weak_libraries;
        const bool optional = std::find(weak.begin(), weak.end(), path) != weak.end();
        if (!is_build_path(path) || path == image.identity || optional) continue;
        findings.push_back(make_finding(row, member.entry.path, path,
                                        "loads " + path + ", a file of the machine that built it"));
      }
    }
  }
  return findings;
}

namespace {

/// Names that libraries of the wheel answer to: their versions are the wheel's own affair.
std::set<std::string, std::less<>> own_names(const WheelFacts& wheel) {
  std::set<std::string, std::less<>> names;
  for (const MemberFacts* member : elf_members(wheel)) {
    names.emplace(base_name(member->entry.path));
    if (member->elf->soname) names.insert(*member->elf->soname);
  }
  return names;
}

}  // namespace

std::vector<Finding> judge_symbol_versions(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  // The strictest of the tags is the promise: a compound tag makes each of them.
  const PlatformPolicy* policy = strictest(context.policy.platforms, context.wheel);
  const std::vector<Platform> platforms = platforms_of(context.wheel);
  const bool promised = std::any_of(
      platforms.begin(), platforms.end(),
      [](const Platform& platform) { return platform.kind == PlatformKind::manylinux; });
  if (policy == nullptr || !promised || policy->kind != PlatformKind::manylinux) return findings;
  const auto own = own_names(context.wheel);
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (!elf.loadable() || arch_of_machine(elf) != policy->arch) continue;
    // Newest first, so that the finding names what has to go first.
    std::vector<const ElfVersion*> newer;
    for (const ElfVersion& version : elf.versions) {
      if (version.defined || version.weak || own.contains(version.file)) continue;
      if (!policy->allows_version(version.name)) newer.push_back(&version);
    }
    if (newer.empty()) continue;
    std::stable_sort(newer.begin(), newer.end(), [](const ElfVersion* a, const ElfVersion* b) {
      return version_less(b->name, a->name);
    });
    std::vector<std::string> symbols;
    for (const ElfVersion* version : newer) {
      for (const ElfSymbol& symbol : elf.dynamic_symbols) {
        if (symbol.defined || elf.version_of(symbol) != version) continue;
        symbols.push_back(std::string(elf.name(symbol)) + "@" + version->name);
      }
      if (symbols.empty() || !symbols.back().ends_with("@" + version->name)) {
        symbols.push_back(version->name);
      }
    }
    const std::string oldest = oldest_system(newer.front()->name);
    findings.push_back(make_finding(
        row, member->entry.path, newer.front()->name,
        "needs " + newer.front()->name + " of " + newer.front()->file + ", newer than " +
            policy->name + " allows: " + join(symbols, ", ", 5) +
            (oldest.empty() ? "" : "; the oldest distribution that has it is " + oldest)));
  }
  return findings;
}

std::vector<Finding> judge_libc_mix(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  bool glibc = false;
  bool musl = false;
  for (const Platform& platform : platforms_of(context.wheel)) {
    glibc |= platform.kind == PlatformKind::manylinux;
    musl |= platform.kind == PlatformKind::musllinux;
  }
  if (glibc == musl) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    for (const std::string& name : member->elf->needed) {
      const bool of_glibc = name == "libc.so.6";
      const bool of_musl =
          name.starts_with("libc.musl-") || name.starts_with("ld-musl-") || name == "libc.so";
      if ((glibc && of_musl) || (musl && of_glibc)) {
        findings.push_back(make_finding(row, member->entry.path, name,
                                        "needs " + name + ", the C library of " +
                                            (of_glibc ? "glibc" : "musl") + " systems, in a " +
                                            (glibc ? "manylinux" : "musllinux") + " wheel"));
        break;
      }
    }
  }
  return findings;
}

}  // namespace wheelcheck
