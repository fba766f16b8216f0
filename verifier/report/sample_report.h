#pragma once

#include "verifier/report/report.h"

namespace wheelcheck::testing {

inline constexpr CatalogueRow kNeeded{"WC101",
                                      "needed-not-found",
                                      Level::error,
                                      "A NEEDED library is found nowhere",
                                      "The loader refuses the file.",
                                      "Declare the package that has it."};
inline constexpr CatalogueRow kBuilderPath{
    "WC202",          "builder-path",        Level::warning,
    "A builder path", "It may exist there.", "Remove the entry."};
inline constexpr CatalogueRow kPathNote{"WC403",          "build-path-in-data", Level::note,
                                        "A path in data", "Nothing breaks.",    ""};

/// A wheel with one finding that has every field, one found in two places, and a note.
inline WheelReport sample_wheel() {
  WheelReport wheel;
  wheel.file = "dist/demo-1.0-py3-none-any.whl";
  wheel.profile = "generic";
  wheel.profile_because = "no other profile is for demo";
  wheel.stats.archive_bytes = 2048;
  wheel.stats.inflated_bytes = 3 << 20;
  wheel.stats.hashed_bytes = 512;
  wheel.stats.members = 1234;
  wheel.stats.elf_files = 2;
  wheel.stats.second_passes = 1;
  wheel.stats.second_pass_bytes = 1024;
  wheel.wall_seconds = 0.5;

  Finding needed;
  needed.rule = &kNeeded;
  needed.place = "demo/libx.so";
  needed.subject = "libcudart.so.12";
  needed.what = "libcudart.so.12";
  needed.needed_by = {"demo/liby.so"};
  needed.searched = {"$ORIGIN: demo: no such file", "the system libraries of manylinux_2_28"};
  needed.provided_by = {"nvidia-cuda-runtime-cu12, which the wheel does not require"};
  needed.fix = "require nvidia-cuda-runtime-cu12";

  Finding path;
  path.rule = &kBuilderPath;
  path.level = Level::warning;
  path.place = "demo/libx.so";
  path.subject = "/home/b/lib";
  path.what = "RUNPATH entry /home/b/lib stands behind a working one";
  Finding same_path = path;
  same_path.place = "demo/libz.so";

  Finding note;
  note.rule = &kPathNote;
  note.level = Level::note;
  note.what = "2 members hold paths of the build machine";
  note.count = 2;

  wheel.findings = {note, needed, path, same_path};
  return wheel;
}

}  // namespace wheelcheck::testing
