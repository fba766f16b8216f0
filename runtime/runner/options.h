// The command line of executor_runner.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace executorch::runner {

struct Options {
  std::string model_path;
  std::vector<std::string> data_paths;
  std::vector<std::string> inputs;  ///< raw little-endian files; empty: random
  std::string method = "forward";
  std::string output_prefix;  ///< outputs are written to <prefix><i>.bin when it is given
  std::uint64_t iterations = 1;
  std::uint64_t seed = 0;
  std::uint64_t elements = 10;  ///< how many of an output are printed
  bool map = false;
  bool help = false;
};

/// Reads the arguments. An empty text, or what is wrong with them.
std::string parse_options(int argc, char** argv, Options& options);

/// What --help prints.
extern const char* const kUsage;

}  // namespace executorch::runner
