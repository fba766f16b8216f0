// WC3xx: who defines what, and which file a name leads to.

#include "rules/symbol_judges.h"

namespace wheelcheck {
namespace {

const Rule kRules[] = {
    {{"WC301", "symbol-duplicate", Level::error, "A shared symbol has more than one definer",
      "State that must exist once exists twice. Which copy serves depends on the order in which "
      "libraries are loaded, so programs work or fail by the order of their imports.",
      "Link the definition into its owner only, and let every other library need the owner."},
     judge_symbol_duplicates},
    {{"WC302", "symbol-wrong-owner", Level::error,
      "A shared symbol is defined by another file than its owner",
      "Whoever links or loads the owner gets a library without the state that it stands for.",
      "Move the definition into the owner, in the directory that the layout names."},
     judge_symbol_owner},
    {{"WC303", "symbol-group-incomplete", Level::error, "A group of symbols is there only in part",
      "Programs load and fail at the first call of a missing symbol. Most often the build left out "
      "some sources without an error.",
      "Build and link all the sources of the group, or none."},
     judge_symbol_complete},
    {{"WC304", "symbol-weak-owner", Level::error, "A shared symbol is only defined weakly",
      "A weak definition does not own the symbol: any other library may take its place.",
      "Define it in one source file, outside of headers and templates."},
     judge_symbol_weak},
    {{"WC305", "symbol-not-exported", Level::error,
      "The owner of a group of symbols exports none of them",
      "The library is there, yet nothing can bind to it. Often the default visibility became "
      "hidden.",
      "Export the symbols: visibility \"default\" on their declarations, and in the version "
      "script."},
     judge_symbol_exported},
    {{"WC306", "symbol-hidden-duplicate", Level::error,
      "A file holds a hidden copy of a shared symbol",
      "The copy has state of its own that no other library sees; a check of exported symbols "
      "passes it.",
      "Do not link the static library that holds the definition into this file; need the owner."},
     judge_hidden_duplicates},
    {{"WC307", "symbol-import-missing", Level::error,
      "A file does not import what it must share with others",
      "It either works without the shared state or has a copy of it inside.",
      "Link it against the owner of the symbol instead of a static copy."},
     judge_import_proofs},
    {{"WC308", "hidden-state-trace", Level::error,
      "A file shows thread-local storage where it should import a thread-local state",
      "Stripping removes the names of a hidden copy, not its storage: the caller's choice of a "
      "stream does not reach the code that uses the copy.",
      "Link it against the owner of the state instead of a static copy."},
     judge_tls_traces},
    {{"WC309", "library-copies", Level::error, "One library is there under several names",
      "Wheels hold no links, so a chain of links becomes copies. When two of the names are loaded, "
      "the library and its state exist twice.",
      "Ship the library once, under its SONAME."},
     judge_library_copies},
    {{"WC310", "soname-collision", Level::warning, "Different libraries have one SONAME",
      "The loader takes a library that is already loaded for any later need of its SONAME, so the "
      "second is never loaded.",
      "Give each library a SONAME of its own."},
     judge_soname_collision},
    {{"WC311", "version-file-not-needed", Level::error,
      "Symbol versions are wanted from a file that is not in NEEDED",
      "The loader stops with an assertion when nothing else has loaded that file. Tools that "
      "rename "
      "a NEEDED entry and forget the version table leave this behind.",
      "Rename both with one current tool, or link again."},
     judge_version_files},
    {{"WC312", "system-library-bundled", Level::warning,
      "The wheel ships a library that every system of its tag has",
      "One process may then hold two C++ runtimes, which hand each other objects that the other "
      "cannot free; or the wheel's copy is taken first and is too old for other packages.",
      "Leave it out: repair tools do so by themselves, and the tag promises the system's."},
     judge_bundled_system},
    {{"WC313", "symbol-without-library", Level::error,
      "A symbol is used, and the library that has it is not needed",
      "The symbol is bound on newer systems, where the C library has it. On the older ones that "
      "the "
      "tag promises the load or the first call fails with \"undefined symbol\".",
      "Link with -lrt on a system of the tag, so that librt.so.1 is in NEEDED."},
     judge_symbol_without_library},
    {{"WC314", "symbol-undefined", Level::error,
      "A symbol is used that nothing defines which is loaded with the file",
      "Loading the file fails with \"undefined symbol\". Where it works, something that happened "
      "to "
      "be opened before has the symbol.",
      "Link with the library that defines it, so that it is in NEEDED, or with the sources that "
      "are "
      "missing."},
     judge_symbol_undefined},
    {{"WC315", "symbol-version-missing", Level::error,
      "A version of a library is needed that the library does not define",
      "The loader refuses the file: \"version not found\". It was linked against another build of "
      "the library than the one that is there.",
      "Link against the library that is shipped, or ship the one that was linked against."},
     judge_symbol_version_missing},
    {{"WC316", "symbol-too-new", Level::error,
      "A symbol is used that the systems of the tag do not have",
      "The reference names no version, so that nothing warns: on the older systems that the tag "
      "promises, loading the file fails with \"undefined symbol\".",
      "Build on the system that the tag stands for, or give the wheel a newer tag."},
     judge_symbol_too_new},
    {{"WC321", "required-edge-missing", Level::error,
      "A NEEDED that the layout asks for is missing",
      "The library is shipped, but nothing loads it, so what it registers is missing.",
      "Link with --no-as-needed around that library."},
     judge_required_edges},
    {{"WC322", "forbidden-edge", Level::error, "A NEEDED that the layout forbids is there",
      "The file drags in a library that must not be loaded with it.",
      "Leave the library out of its link line."},
     judge_forbidden_edges},
    {{"WC323", "forbidden-import", Level::error, "A file wants symbols that it must do without",
      "Whoever loads the file without their owner gets \"undefined symbol\".",
      "Move the code that uses them into the file that is meant for it."},
     judge_forbidden_imports},
};

}  // namespace

std::span<const Rule> symbol_rules() { return kRules; }

}  // namespace wheelcheck
