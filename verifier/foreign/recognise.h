#pragma once

#include "verifier/core/bytes.h"

namespace wheelcheck {

/// What a file claims to be, by its first bytes. Only Mach-O and PE are read (see foreign.h).
enum class ForeignFormat {
  none,              ///< nothing known here
  mach_o,            ///< one slice
  mach_o_universal,  ///< several slices, 32-bit or 64-bit table
  pe,                ///< "MZ" followed by a PE header, or by one that lies beyond `head`
  ar_archive,        ///< "!<arch>" or "!<thin>"
  coff_import,       ///< a short import stub of an import library
  java_class,        ///< shares its magic with universal Mach-O
};

/// Looks at the first bytes of a file; 64 suffice for all but PE, whose header lies where the
/// DOS header says: with a shorter `head`, a DOS program is taken for a PE, and reading it says so.
[[nodiscard]] ForeignFormat recognise_foreign(Bytes head);

}  // namespace wheelcheck
