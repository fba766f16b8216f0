#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "verifier/report/escape.h"
#include "verifier/report/facts_document.h"

namespace wheelcheck {
namespace {

// In the order of ContentKind.
constexpr std::array kKinds = {"directory",   "elf",    "mach_o", "pe",   "ar_archive",
                               "coff_import", "script", "text",   "other"};
static_assert(kKinds.size() == static_cast<std::size_t>(ContentKind::other) + 1);

const char* kind_name(ContentKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

void add_texts(Document& document, const char* key, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  document[key] = Document::array();
  for (const std::string& line : lines) document[key].push_back(valid_utf8(line));
}

void add_text(Document& document, const char* key, const std::string& text) {
  if (!text.empty()) document[key] = valid_utf8(text);
}

void add_problems(Document& document, const std::vector<TextProblem>& problems) {
  std::vector<std::string> lines;
  for (const TextProblem& problem : problems) {
    lines.push_back("line " + std::to_string(problem.line) + ": " + problem.what);
  }
  add_texts(document, "problems", lines);
}

std::vector<std::string> tag_texts(const std::vector<Tag>& tags) {
  std::vector<std::string> texts;
  for (const Tag& tag : tags) texts.push_back(tag.str());
  return texts;
}

Document name_document(const WheelFileName& name) {
  Document document{{"distribution", valid_utf8(name.distribution)},
                    {"version", valid_utf8(name.version_text)}};
  add_text(document, "build", name.build);
  add_texts(document, "tags", tag_texts(name.tags()));
  return document;
}

Document metadata_document(const Metadata& metadata) {
  Document document{{"name", valid_utf8(metadata.name)},
                    {"version", valid_utf8(metadata.version_text)}};
  add_text(document, "metadata_version", metadata.metadata_version);
  add_text(document, "requires_python", metadata.requires_python);
  std::vector<std::string> requirements;
  for (const Requirement& requirement : metadata.requires_dist) {
    requirements.push_back(requirement.text);
  }
  add_texts(document, "requires", requirements);
  add_texts(document, "extras", metadata.provides_extra);
  add_problems(document, metadata.problems);
  return document;
}

Document wheel_file_document(const WheelFile& wheel) {
  Document document = Document::object();
  add_text(document, "wheel_version", wheel.wheel_version);
  add_text(document, "generator", wheel.generator);
  if (wheel.root_is_purelib) document["root_is_purelib"] = *wheel.root_is_purelib;
  add_texts(document, "tags", tag_texts(wheel.tags));
  add_text(document, "build", wheel.build);
  add_problems(document, wheel.problems);
  return document;
}

Document archive_document(const WheelFacts& wheel) {
  Document document{{"file_bytes", wheel.archive.file_size},
                    {"members", wheel.members.size()},
                    {"inflated_bytes", wheel.stats.inflated_bytes}};
  std::array<std::uint64_t, kKinds.size()> counts{};
  for (const MemberFacts& member : wheel.members)
    ++counts.at(static_cast<std::size_t>(member.kind));
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts.at(kind) != 0) document["by_kind"][kKinds.at(kind)] = counts.at(kind);
  }
  std::vector<std::string> oddities;
  for (const ArchiveProblem& problem : wheel.archive.problems) {
    oddities.push_back(problem.member + (problem.member.empty() ? "" : ": ") + problem.detail);
  }
  add_texts(document, "oddities", oddities);
  return document;
}

bool worth_listing(const MemberFacts& member) {
  return member.unread || member.elf || member.foreign || (member.fatbin && member.fatbin->any());
}

}  // namespace

Document fatbin_document(const FatbinFacts& fatbin) {
  Document document{{"containers", fatbin.containers}};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < fatbin.entries.size(); ++i) {
    const DeviceCode& code = fatbin.entries[i];
    std::string line;
    switch (code.kind) {
      case DeviceCodeKind::ptx:
        line = "compute_" + std::to_string(code.arch);
        break;
      case DeviceCodeKind::cubin:
        line = "sm_" + std::to_string(code.arch);
        break;
      case DeviceCodeKind::other:
        line = "kind " + std::to_string(code.raw_kind) + " for " + std::to_string(code.arch);
        break;
    }
    if (code.variant != '\0') line += code.variant;
    if (i < fatbin.counts.size()) line += " x" + std::to_string(fatbin.counts[i]);
    if (!code.toolkit.empty()) line += " toolkit " + code.toolkit;
    if (code.compressed) line += " compressed";
    lines.push_back(line);
  }
  add_texts(document, "code", lines);
  add_texts(document, "unknown", fatbin.unknown);
  return document;
}

Document foreign_document(const ForeignFacts& foreign) {
  Document images = Document::array();
  for (const ForeignImage& image : foreign.images) {
    Document document{{"format", valid_utf8(image.format)}, {"machine", valid_utf8(image.machine)}};
    add_text(document, "identity", image.identity);
    add_texts(document, "libraries", image.libraries);
    add_texts(document, "rpaths", image.rpaths);
    add_text(document, "minimum_os", image.minimum_os);
    images.push_back(std::move(document));
  }
  return images;
}

Document member_document(const MemberFacts& member, Depth depth) {
  Document document{{"place", valid_utf8(member.entry.path)},
                    {"kind", kind_name(member.kind)},
                    {"bytes", member.inflated_size}};
  add_text(document, "sha256", member.sha256);
  if (member.unread) document["unread"] = valid_utf8(member.unread->message());
  if (member.elf) document["elf"] = elf_document(*member.elf, depth);
  if (member.fatbin && member.fatbin->any()) {
    document["device_code"] = fatbin_document(*member.fatbin);
  }
  if (member.foreign) document["images"] = foreign_document(*member.foreign);
  return document;
}

Document wheel_document(const WheelFacts& wheel) {
  Document document{{"file", valid_utf8(wheel.path)}};
  if (wheel.file_name) document["file_name"] = name_document(*wheel.file_name);
  if (wheel.file_name_error) {
    document["file_name_error"] = valid_utf8(wheel.file_name_error->message());
  }
  add_text(document, "dist_info", wheel.dist_info);
  if (wheel.metadata) document["metadata"] = metadata_document(*wheel.metadata);
  if (wheel.wheel) document["wheel"] = wheel_file_document(*wheel.wheel);
  add_texts(document, "top_level", wheel.top_level);
  document["archive"] = archive_document(wheel);
  document["libraries_and_programs"] = Document::array();
  for (const MemberFacts& member : wheel.members) {
    if (!worth_listing(member)) continue;
    document["libraries_and_programs"].push_back(member_document(member, Depth::brief));
  }
  return document;
}

}  // namespace wheelcheck
