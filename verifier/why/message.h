#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wheelcheck {

/// What a loader complains of.
enum class ComplaintKind {
  missing,           ///< cannot open shared object file: there is no such file
  undefined_symbol,  ///< nobody in the process defines it
  version_missing,   ///< a library lacks a version that another one needs
  not_elf,           ///< invalid ELF header, file too short
  wrong_class,       ///< 32 and 64 bit, or another processor
  not_mapped,        ///< failed to map segment from shared object
  executable_stack,  ///< cannot enable executable stack
  static_tls,        ///< cannot allocate memory in static TLS block
  not_a_library,     ///< cannot dynamically load a program
  version_file       ///< ld.so's assertion: a version is needed from a file that is not NEEDED
};
/// "missing", "undefined-symbol" ...
[[nodiscard]] std::string_view complaint_id(ComplaintKind kind);

/// One message of ld.so or ld-musl, as Python or a program shows it.
struct Complaint {
  ComplaintKind kind = ComplaintKind::missing;
  std::string file;     ///< what could not be loaded, or lacks something; may be a bare name
  std::string asker;    ///< who asked for it, where the message says so
  std::string symbol;   ///< undefined_symbol
  std::string version;  ///< undefined_symbol and version_missing
};

/// Reads a loader's message; text around it (the exception's name, the program's) is skipped.
/// Nothing: it is none that is known.
[[nodiscard]] std::optional<Complaint> parse_complaint(std::string_view text);

}  // namespace wheelcheck
