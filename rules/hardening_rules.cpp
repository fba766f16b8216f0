// WC6xx: what loads here today and fails on other systems.

#include <algorithm>
#include <array>
#include <map>

#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/support.h"
#include "verifier/elf/layout.h"

namespace wheelcheck {
namespace {

constexpr std::uint32_t kLoad = 1;
constexpr std::uint16_t kX86 = 3;
constexpr std::uint16_t kX86_64 = 62;
constexpr std::uint16_t kPpc64 = 21;
constexpr std::uint16_t kAarch64 = 183;

std::vector<Finding> judge_stack(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (!elf.loadable() || elf.segments.empty()) continue;
    std::string what;
    if (elf.stack_flags) {
      if ((*elf.stack_flags & elf::kExecutable) == 0) continue;
      what = "asks for an executable stack";
    } else {
      // Without the header the kernel's default counts, which is executable on x86 only.
      if (elf.machine != kX86 && elf.machine != kX86_64) continue;
      what = "has no PT_GNU_STACK header, which on x86 means an executable stack";
    }
    // A program gets the stack that it asks for; a library that asks is refused.
    const bool library = is_library(elf);
    findings.push_back(make_finding(row, library ? Level::error : Level::warning,
                                    member->entry.path, "PT_GNU_STACK", std::move(what)));
  }
  return findings;
}

std::vector<Finding> judge_alignment(const WheelContext& context, const CatalogueRow& row) {
  constexpr std::uint64_t kLargestPage = 0x10000;
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (!elf.loadable() || (elf.machine != kAarch64 && elf.machine != kPpc64)) continue;
    std::uint64_t least = kLargestPage;
    for (const ElfSegment& segment : elf.segments) {
      if (segment.type == kLoad) least = std::min(least, std::max<std::uint64_t>(segment.align, 1));
    }
    if (least >= kLargestPage) continue;
    std::array<char, 32> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%llx", static_cast<unsigned long long>(least));
    findings.push_back(make_finding(row, member->entry.path, hex.data(),
                                    std::string("a LOAD segment is aligned to ") + hex.data() +
                                        "; systems of this processor have pages of up to 64 KiB"));
  }
  return findings;
}

std::vector<Finding> judge_textrel(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!member->elf->has_textrel || !member->elf->loadable()) continue;
    findings.push_back(
        make_finding(row, member->entry.path, "DT_TEXTREL", "has relocations in its code"));
  }
  return findings;
}

std::vector<Finding> judge_static_tls(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if ((elf.dt_flags & elf::kFlagStaticTls) == 0 || !is_library(elf)) continue;
    findings.push_back(
        make_finding(row, member->entry.path, "DF_STATIC_TLS",
                     "takes " + counted(elf.tls_size.value_or(0), "byte") +
                         " of its own from the static thread-local area, or reaches into it"));
  }
  return findings;
}

std::vector<Finding> judge_relr(const WheelContext& context, const CatalogueRow& row) {
  std::vector<Finding> findings;
  const auto platforms = platforms_of(context.wheel);
  const auto older = std::find_if(platforms.begin(), platforms.end(), [](const Platform& platform) {
    return platform.kind == PlatformKind::manylinux &&
           (platform.major < 2 || (platform.major == 2 && platform.minor < 36));
  });
  if (older == platforms.end()) return findings;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    if (!member->elf->has_relr || !member->elf->loadable()) continue;
    findings.push_back(make_finding(row, member->entry.path, "DT_RELR",
                                    "has relative relocations in the packed form (DT_RELR), which "
                                    "glibc reads since 2.36; the tag " +
                                        older->text + " promises an older one"));
  }
  return findings;
}

std::vector<Finding> judge_isa(const WheelContext& context, const CatalogueRow& row) {
  // A compiler's default marks all files alike: one finding a level, which counts them.
  std::map<int, Finding> by_level;
  for (const MemberFacts* member : elf_members(context.wheel)) {
    const ElfFacts& elf = *member->elf;
    if (elf.machine != kX86_64 || !elf.x86_isa_needed) continue;
    const std::uint32_t above = *elf.x86_isa_needed & ~1U;  // bit 0 is the baseline
    if (above == 0) continue;
    const int level = (above & 8U) != 0 ? 4 : (above & 4U) != 0 ? 3 : 2;
    const auto [at, added] = by_level.try_emplace(level);
    if (!added) {
      ++at->second.count;
      continue;
    }
    const std::string name = "x86-64-v" + std::to_string(level);
    at->second = make_finding(
        row, member->entry.path, name,
        "is marked as needing a processor of level " + name + ", the tag promises x86-64");
  }
  std::vector<Finding> findings;
  for (auto& [level, finding] : by_level) findings.push_back(std::move(finding));
  return findings;
}

const Rule kRules[] = {
    {{"WC601", "executable-stack", Level::error, "A library asks for an executable stack",
      "glibc 2.41 and later, and hardened kernels, refuse to load it.",
      "Mark assembler files with .note.GNU-stack, or link with -z noexecstack."},
     judge_stack},
    {{"WC602", "page-alignment", Level::error, "A file is aligned for small pages only",
      "Kernels with 64 KiB pages, common on this processor, cannot map it: \"ELF load command "
      "alignment not page-aligned\".",
      "Link with -z max-page-size=0x10000; repair tools must keep the alignment."},
     judge_alignment},
    {{"WC603", "text-relocations", Level::warning, "A file has relocations in its code",
      "Systems with memory protection refuse it, and its pages are not shared between processes.",
      "Compile everything in it with -fPIC."},
     judge_textrel},
    {{"WC604", "static-tls", Level::note, "A library uses the static thread-local area",
      "The area is small. When other libraries have filled it, loading this one late fails: "
      "\"cannot allocate memory in static TLS block\".",
      "Compile with -ftls-model=global-dynamic unless the library is always loaded at start."},
     judge_static_tls},
    {{"WC605", "relr-too-new", Level::error,
      "A file has packed relocations that the tag's C library cannot read",
      "Older loaders stop, or skip the relocations and the process crashes.",
      "Link with -z nopack-relative-relocs."},
     judge_relr},
    {{"WC606", "isa-level", Level::note, "A file is marked for newer processors than the tag's",
      "On older processors the loader refuses it, or it stops with an illegal instruction.",
      "Compile for the baseline and choose faster code at run time."},
     judge_isa},
};

}  // namespace

std::span<const Rule> hardening_rules() { return kRules; }

}  // namespace wheelcheck
