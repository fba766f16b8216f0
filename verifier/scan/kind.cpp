#include "verifier/scan/kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "verifier/foreign/recognise.h"

namespace wheelcheck {

namespace {

// A NUL is looked for in more than control characters, which takes longer.
constexpr std::size_t kNulSample = 4096;
constexpr std::size_t kControlSample = 512;

/// Control characters but those of whitespace, bell, backspace and escape.
constexpr std::array<std::uint8_t, 256> kOdd = [] {
  std::array<std::uint8_t, 256> odd{};
  for (std::size_t c = 0; c < 0x20; ++c) odd[c] = c < 0x07 || (c > 0x0D && c != 0x1B) ? 1 : 0;
  odd[0x7F] = 1;
  return odd;
}();

/// No NUL, and next to no control characters. Any encoding that keeps ASCII is text.
bool looks_like_text(Bytes head) {
  const Bytes sample = head.first(std::min(head.size(), kNulSample));
  if (as_text(sample).find('\0') != std::string_view::npos) return false;
  const Bytes start = sample.first(std::min(sample.size(), kControlSample));
  std::size_t odd = 0;
  for (const std::byte byte : start) odd += kOdd[std::to_integer<std::size_t>(byte)];
  return odd * 100 <= start.size();
}

}  // namespace

ContentKind classify(Bytes head) {
  const std::string_view text = as_text(head);
  if (text.starts_with("\x7f"
                       "ELF")) {
    return ContentKind::elf;
  }
  switch (recognise_foreign(head)) {
    case ForeignFormat::mach_o:
    case ForeignFormat::mach_o_universal:
      return ContentKind::mach_o;
    case ForeignFormat::pe:
      return ContentKind::pe;
    case ForeignFormat::ar_archive:
      return ContentKind::ar_archive;
    case ForeignFormat::coff_import:
      return ContentKind::coff_import;
    case ForeignFormat::java_class:
      return ContentKind::other;
    case ForeignFormat::none:
      break;
  }
  if (text.starts_with("#!")) return ContentKind::script;
  return looks_like_text(head) ? ContentKind::text : ContentKind::other;
}

bool keeps_text(std::string_view path, std::string_view dist_info, bool keep_headers) {
  if (!dist_info.empty() && path.starts_with(dist_info) && path.size() > dist_info.size() &&
      path[dist_info.size()] == '/') {
    return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view end : {".cmake", ".pc", ".la"}) {
    if (name.ends_with(end)) return true;
  }
  for (const std::string_view end : {".h", ".hpp", ".cuh", ".inl"}) {
    if (keep_headers && name.ends_with(end)) return true;
  }
  return name == "version.py" || name == "_version.py";
}

}  // namespace wheelcheck
