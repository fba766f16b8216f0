#include "verifier/why/message.h"

#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

/// "missing libx.so", "undefined-symbol /a/b.so sym V", "version-missing /lib/libc.so.6 V by /a.so"
std::string read(const std::string& text) {
  const auto complaint = parse_complaint(text);
  if (!complaint) return "none";
  std::string said = std::string(complaint_id(complaint->kind)) + " " + complaint->file;
  for (const std::string* more : {&complaint->symbol, &complaint->version}) {
    if (!more->empty()) said += " " + *more;
  }
  if (!complaint->asker.empty()) said += " by " + complaint->asker;
  return said;
}

TEST(Message, TheFileStandsBehindWhateverShowsTheMessage) {
  const std::string tail = ": cannot open shared object file: No such file or directory";
  EXPECT_EQ(read("ImportError: libcudart.so.13" + tail), "missing libcudart.so.13");
  EXPECT_EQ(read("OSError: libx.so" + tail), "missing libx.so");
  EXPECT_EQ(read("./prog: error while loading shared libraries: libx.so.1" + tail),
            "missing libx.so.1");
  EXPECT_EQ(read("libx.so" + tail), "missing libx.so");
  EXPECT_EQ(read("Traceback (most recent call last):\n  File \"a.py\", line 1\nImportError: "
                 "/a b/libx.so" +
                 tail + "\n"),
            "missing /a b/libx.so");
}

TEST(Message, SymbolsAndVersionsAreTaken) {
  EXPECT_EQ(read("ImportError: /a/x.so: undefined symbol: _ZN3c105ErrorE"),
            "undefined-symbol /a/x.so _ZN3c105ErrorE");
  EXPECT_EQ(read("/a/x.so: undefined symbol: f, version V_2 (fatal)"),
            "undefined-symbol /a/x.so f V_2");
  EXPECT_EQ(read("prog: symbol lookup error: /a/x.so: undefined symbol: g"),
            "undefined-symbol /a/x.so g");
  EXPECT_EQ(read("ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found "
                 "(required by /a/x.so)"),
            "version-missing /lib/x86_64-linux-gnu/libc.so.6 GLIBC_2.38 by /a/x.so");
}

TEST(Message, DamageIsToldByItsKind) {
  EXPECT_EQ(read("OSError: /a/l.so: invalid ELF header"), "not-elf /a/l.so");
  EXPECT_EQ(read("OSError: /a/l.so: file too short"), "not-elf /a/l.so");
  EXPECT_EQ(read("ImportError: /a/l.so: wrong ELF class: ELFCLASS32"), "wrong-class /a/l.so");
  EXPECT_EQ(read("ImportError: /a/l.so: failed to map segment from shared object"),
            "not-mapped /a/l.so");
  EXPECT_EQ(read("ImportError: l.so: cannot enable executable stack as shared object requires: "
                 "Invalid argument"),
            "executable-stack l.so");
  EXPECT_EQ(read("OSError: /a/l.so: cannot allocate memory in static TLS block"),
            "static-tls /a/l.so");
  EXPECT_EQ(read("OSError: p: cannot dynamically load position-independent executable"),
            "not-a-library p");
  EXPECT_EQ(read("Inconsistency detected by ld.so: dl-version.c: 205: _dl_check_map_versions: "
                 "Assertion `needed != NULL' failed!"),
            "version-file ");
}

TEST(Message, MuslSaysItDifferently) {
  EXPECT_EQ(read("ImportError: Error loading shared library liby.so: No such file or directory "
                 "(needed by /a/x.so)"),
            "missing liby.so by /a/x.so");
  EXPECT_EQ(read("ImportError: Error relocating /a/x.so: f: symbol not found"),
            "undefined-symbol /a/x.so f");
}

TEST(Message, WhatIsNoMessageIsNone) {
  EXPECT_EQ(read("libx.so"), "none");
  EXPECT_EQ(read("pkg/lib/libx.so.1"), "none");
  EXPECT_EQ(read(""), "none");
  EXPECT_EQ(read("ModuleNotFoundError: No module named 'x'"), "none");
}

}  // namespace
}  // namespace wheelcheck
