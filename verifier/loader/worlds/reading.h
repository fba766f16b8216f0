#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/worlds/child.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// What a real loader did, line by line:
///   want NAME by PATH   an object needed it, or code in it opened it, and no object had the name
///   try PATH            a file that was looked for, where the directory exists (glibc)
///   new PATH            an object was made of what was found
///   missing NAME        a need for which there is nothing
///   opened, failed NAME each dlopen, in order, and what a failing one stumbled over
///   stop                the process did not start
///   holds PATH          at the end: the objects, in order
///   scope PATH: PATH... of each object that was opened: its closure, in order (glibc)
struct ReadingOf {
  std::string directory;  ///< in which the process ran
  std::string program;    ///< path that it was started by
  bool host = false;      ///< the program opens others and says how that went
};
[[nodiscard]] Reading glibc_reading(const Written& written, const ReadingOf& what);
[[nodiscard]] Reading musl_reading(const Written& written, const ReadingOf& what);

/// The files that glibc said it tried, whatever came of it.
[[nodiscard]] std::vector<std::string> tried_files(const Written& written);

/// The loader itself and the kernel's object are left out of comparisons: worlds do not bring them.
[[nodiscard]] bool is_loader_itself(std::string_view path);

}  // namespace wheelcheck::worlds
