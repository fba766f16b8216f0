// executor_runner: runs a method of a program and prints what comes out, and how long it took.
// Exits with 0, with 1 when the program can't be run, with 2 for a wrong command line.

#include <chrono>
#include <cstdio>
#include <executorch/extension/module/module.h>
#include <fstream>

#include "runtime/runner/inputs.h"
#include "runtime/runner/options.h"
#include "runtime/runner/report.h"

namespace executorch::runner {
namespace {

using Clock = std::chrono::steady_clock;
using extension::Module;
using runtime::Error;
using runtime::EValue;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

int failed(const char* what, Error error) {
  std::fprintf(stderr, "executor_runner: %s: %s\n", what, runtime::to_string(error));
  return 1;
}

int failed(const std::string& what) {
  std::fprintf(stderr, "executor_runner: %s\n", what.c_str());
  return 1;
}

std::string write_outputs(const std::vector<EValue>& outputs, const std::string& prefix) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].isTensor() || !outputs[i].toTensor().device().is_cpu()) continue;
    const aten::Tensor& tensor = outputs[i].toTensor();
    const std::string path = prefix + std::to_string(i) + ".bin";
    std::ofstream file(path, std::ios::binary);
    file.write(tensor.const_data_ptr<char>(), static_cast<std::streamsize>(tensor.nbytes()));
    file.close();
    if (!file) return path + " can't be written";
  }
  return {};
}

int run(const Options& options) {
  const auto start = Clock::now();
  Module module(options.model_path, options.data_paths,
                options.map ? Module::LoadMode::Mmap : Module::LoadMode::File);
  const auto meta = module.method_meta(options.method);
  if (!meta.ok()) return failed("the method can't be found", meta.error());
  std::printf("%s\n", describe_backends(*meta).c_str());
  const Error loaded = module.load_method(options.method);
  if (loaded != Error::Ok) return failed("the method can't be loaded", loaded);
  std::printf("loaded in %.3f us\n", nanoseconds_since(start) / 1e3);

  Inputs inputs;
  const std::string wrong = make_inputs(*meta, options, inputs);
  if (!wrong.empty()) return failed(wrong);
  std::vector<double> times;
  std::vector<EValue> outputs;
  for (std::uint64_t i = 0; i < options.iterations; ++i) {
    // Each time: the place of an input may serve other values later in the run.
    for (std::size_t k = 0; k < inputs.values.size(); ++k) {
      const Error error = module.set_input(options.method, inputs.values[k], k);
      if (error != Error::Ok) return failed("an input can't be set", error);
    }
    const auto began = Clock::now();
    auto result = module.execute(options.method);
    times.push_back(nanoseconds_since(began));
    if (!result.ok()) return failed("the method failed", result.error());
    outputs = std::move(*result);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::printf("output %zu: %s\n", i, describe(outputs[i], options.elements).c_str());
  }
  std::printf("%s\n", describe_times(std::move(times)).c_str());
  if (options.output_prefix.empty()) return 0;
  const std::string unwritten = write_outputs(outputs, options.output_prefix);
  return unwritten.empty() ? 0 : failed(unwritten);
}

}  // namespace
}  // namespace executorch::runner

int main(int argc, char** argv) {
  executorch::runner::Options options;
  const std::string wrong = executorch::runner::parse_options(argc, argv, options);
  if (!wrong.empty()) {
    std::fprintf(stderr, "executor_runner: %s\n%s", wrong.c_str(), executorch::runner::kUsage);
    return 2;
  }
  if (options.help) {
    std::fputs(executorch::runner::kUsage, stdout);
    return 0;
  }
  return executorch::runner::run(options);
}
