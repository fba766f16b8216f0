#include "verifier/why/message.h"

#include <array>

#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\"'";
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

/// The file that a message starts with: what stands before the last ": " that belongs to somebody
/// else ("ImportError: ", "./prog: error while loading shared libraries: ").
std::string_view file_before(std::string_view text) {
  text = trimmed(text);
  while (text.ends_with(':')) text.remove_suffix(1);
  const std::size_t colon = text.rfind(": ");
  if (colon != text.npos) text.remove_prefix(colon + 2);
  return trimmed(text);
}

/// The line in which `mark` stands: messages are pasted with what came before.
std::string_view line_around(std::string_view text, std::size_t mark) {
  const std::size_t from = text.rfind('\n', mark);
  const std::size_t start = from == text.npos ? 0 : from + 1;
  return text.substr(start, text.find('\n', mark) - start);
}

std::string up_to(std::string_view text, std::string_view ends) {
  return std::string(trimmed(text.substr(0, text.find_first_of(ends))));
}

/// "... (required by FILE)", "(needed by FILE)"
std::string in_brackets(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == line.npos) return {};
  return up_to(line.substr(at + words.size()), ")");
}

struct Form {
  std::string_view mark;  ///< text that only this message has
  ComplaintKind kind;
};

// Those whose file stands before the mark. glibc 2.17 to 2.42.
constexpr std::array kForms = {
    Form{": cannot open shared object file", ComplaintKind::missing},
    Form{": invalid ELF header", ComplaintKind::not_elf},
    Form{": file too short", ComplaintKind::not_elf},
    Form{": cannot read file data", ComplaintKind::not_elf},
    Form{": ELF load command ", ComplaintKind::not_elf},
    Form{": object file has no ", ComplaintKind::not_elf},
    Form{": wrong ELF class", ComplaintKind::wrong_class},
    Form{": ELF file data encoding ", ComplaintKind::wrong_class},
    Form{": cannot enable executable stack", ComplaintKind::executable_stack},
    Form{": cannot allocate memory in static TLS", ComplaintKind::static_tls},
    Form{": cannot dynamically load", ComplaintKind::not_a_library},
    Form{": only ET_DYN and ET_EXEC can be loaded", ComplaintKind::not_a_library},
    Form{": failed to map segment", ComplaintKind::not_mapped},
    Form{": cannot map zero-fill pages", ComplaintKind::not_mapped},
    Form{": cannot change memory protections", ComplaintKind::not_mapped},
};

Complaint undefined_symbol(std::string_view line, std::size_t at, std::size_t mark) {
  Complaint complaint;
  complaint.kind = ComplaintKind::undefined_symbol;
  complaint.file = file_before(line.substr(0, at));
  const std::string_view rest = line.substr(at + mark);
  complaint.symbol = up_to(rest, ",( \t'\"");
  constexpr std::string_view kVersion = ", version ";
  const std::size_t version = rest.find(kVersion);
  if (version != rest.npos)
    complaint.version = up_to(rest.substr(version + kVersion.size()), " \t'\"");
  return complaint;
}

/// "LIB: version `V' not found (required by FILE)"
Complaint version_missing(std::string_view line, std::size_t at, std::size_t mark) {
  Complaint complaint;
  complaint.kind = ComplaintKind::version_missing;
  complaint.file = file_before(line.substr(0, at));
  complaint.version = up_to(line.substr(at + mark), "'");
  complaint.asker = in_brackets(line, "(required by ");
  return complaint;
}

std::optional<Complaint> musl(std::string_view line) {
  constexpr std::string_view kLoading = "Error loading shared library ";
  constexpr std::string_view kRelocating = "Error relocating ";
  constexpr std::string_view kMissing = ": symbol not found";
  if (const std::size_t at = line.find(kLoading); at != line.npos) {
    const std::string_view rest = line.substr(at + kLoading.size());
    Complaint complaint;
    complaint.file = up_to(rest, ":");
    complaint.asker = in_brackets(rest, "(needed by ");
    if (rest.find("Exec format error") != rest.npos) complaint.kind = ComplaintKind::not_elf;
    return complaint;
  }
  const std::size_t at = line.find(kRelocating);
  const std::size_t end = line.find(kMissing);
  if (at == line.npos || end == line.npos || end < at) return std::nullopt;
  const std::string_view middle =
      line.substr(at + kRelocating.size(), end - at - kRelocating.size());
  const std::size_t colon = middle.rfind(": ");
  if (colon == middle.npos) return std::nullopt;
  Complaint complaint;
  complaint.kind = ComplaintKind::undefined_symbol;
  complaint.file = trimmed(middle.substr(0, colon));
  complaint.symbol = trimmed(middle.substr(colon + 2));
  return complaint;
}

}  // namespace

std::string_view complaint_id(ComplaintKind kind) {
  constexpr std::array<std::string_view, 10> kIds = {
      "missing",    "undefined-symbol", "version-missing", "not-elf",       "wrong-class",
      "not-mapped", "executable-stack", "static-tls",      "not-a-library", "version-file"};
  return kIds.at(static_cast<std::size_t>(kind));
}

std::optional<Complaint> parse_complaint(std::string_view text) {
  const auto line_with = [&](std::string_view mark) -> std::string_view {
    const std::size_t at = text.find(mark);
    return at == text.npos ? std::string_view() : line_around(text, at);
  };
  for (const std::string_view mark : {"Error loading shared library ", "Error relocating "}) {
    const std::string_view line = line_with(mark);
    if (!line.empty()) return musl(line);
  }
  constexpr std::string_view kUndefined = ": undefined symbol: ";
  if (const auto line = line_with(kUndefined); !line.empty()) {
    return undefined_symbol(line, line.find(kUndefined), kUndefined.size());
  }
  constexpr std::string_view kVersion = ": version `";
  if (const auto line = line_with(kVersion); line.find("not found") != line.npos) {
    return version_missing(line, line.find(kVersion), kVersion.size());
  }
  if (text.find("_dl_check_map_versions") != text.npos) {
    Complaint complaint;
    complaint.kind = ComplaintKind::version_file;
    return complaint;
  }
  for (const Form& form : kForms) {
    const std::string_view line = line_with(form.mark);
    if (line.empty()) continue;
    Complaint complaint;
    complaint.kind = form.kind;
    complaint.file = file_before(line.substr(0, line.find(form.mark)));
    return complaint;
  }
  return std::nullopt;
}

}  // namespace wheelcheck
