#include "verifier/scan/kind.h"

#include <algorithm>
#include <cstddef>

#include "verifier/foreign/recognise.h"

namespace wheelcheck {

namespace {

constexpr std::size_t kTextSample = 4096;

/// No NUL, and next to no control characters. Any encoding that keeps ASCII is text.
bool looks_like_text(Bytes head) {
  const Bytes sample = head.first(std::min(head.size(), kTextSample));
  std::size_t odd = 0;
  for (const std::byte byte : sample) {
    const auto c = std::to_integer<unsigned>(byte);
    if (c == 0) return false;
    const bool usual = c >= 0x20 || (c >= 0x07 && c <= 0x0D) || c == 0x1B;
    if (!usual || c == 0x7F) ++odd;
  }
  return odd * 100 <= sample.size();
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

bool keeps_text(std::string_view path, std::string_view dist_info) {
  if (!dist_info.empty() && path.starts_with(dist_info) && path.size() > dist_info.size() &&
      path[dist_info.size()] == '/') {
    return true;
  }
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view end : {".cmake", ".pc", ".la"}) {
    if (name.ends_with(end)) return true;
  }
  return name == "version.py" || name == "_version.py";
}

}  // namespace wheelcheck
