#include "runtime/runner/options.h"

#include <charconv>
#include <string_view>

namespace executorch::runner {

const char* const kUsage =
    "executor_runner --model_path=FILE.pte [OPTION...]\n"
    "  --data_path=FILE[,FILE...]  data files (.ptd)\n"
    "  --method=NAME               method to run (forward)\n"
    "  --inputs=FILE[,FILE...]     raw little-endian bytes of each tensor input, in order;\n"
    "                              without it they are random\n"
    "  --seed=N                    of the random inputs (0)\n"
    "  --iterations=N              executions (1); --num_executions means the same\n"
    "  --output_file=PREFIX        writes each output to PREFIX<i>.bin\n"
    "  --elements=N                elements of an output that are printed (10)\n"
    "  --mmap                      maps the program instead of reading it\n";

namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string parse_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (!argument.starts_with("--")) return "unexpected argument " + std::string(argument);
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(2, equals - 2);
    std::string_view value;
    if (name == "help" || name == "mmap") {
      (name == "help" ? options.help : options.map) = true;
      continue;
    }
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    bool good = true;
    if (name == "model_path") {
      options.model_path = value;
    } else if (name == "data_path") {
      options.data_paths = split(value);
    } else if (name == "inputs") {
      options.inputs = split(value);
    } else if (name == "method") {
      options.method = value;
    } else if (name == "output_file") {
      options.output_prefix = value;
    } else if (name == "iterations" || name == "num_executions") {
      good = read_number(value, options.iterations) && options.iterations > 0;
    } else if (name == "seed") {
      good = read_number(value, options.seed);
    } else if (name == "elements") {
      good = read_number(value, options.elements);
    } else {
      return "unknown option --" + std::string(name);
    }
    if (!good) return "--" + std::string(name) + "=" + std::string(value) + " is no number for it";
  }
  if (!options.help && options.model_path.empty()) return "--model_path is needed";
  return {};
}

}  // namespace executorch::runner
