#include "verifier/loader/worlds/compiled.h"

#include <fstream>
#include <sstream>

namespace wheelcheck::worlds {

namespace {

constexpr std::uint64_t kNodeflib = 0x800;
constexpr std::uint64_t kNoopen = 0x40;

/// From nothing.
Result<std::string> compile(Runner& runner, const std::string& compiler,
                            std::vector<std::string> options, const std::string& output) {
  options.insert(options.begin(), {"-x", "c", "/dev/null", "-x", "none"});
  return call_compiler(runner, compiler, std::move(options), output);
}

}  // namespace

Result<std::string> call_compiler(Runner& runner, const std::string& compiler,
                                  std::vector<std::string> options, const std::string& output) {
  options.insert(options.begin(), {compiler, "-shared", "-nostdlib", "-fPIC", "-o", output});
  auto written = runner.run({compiler, options, {"PATH=/usr/bin:/bin"}, {}, true});
  if (!written) return written.error();
  std::ifstream file(output, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  if (written->status != 0 || bytes.str().empty()) {
    return Error{output, "was not compiled:\n" + written->out, std::nullopt};
  }
  return std::move(bytes).str();
}

Result<std::string> compile_library(Runner& runner, const std::string& compiler,
                                    const WorldFile& file, const std::string& root,
                                    const std::string& folder) {
  std::vector<std::string> options = {"-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"};
  const auto linker = [&](const std::string& option, const std::string& value) {
    options.insert(options.end(), {"-Xlinker", option, "-Xlinker", at_root(value, root)});
  };
  for (const std::string& name : file.needed) {  // a stub with that name, to link against
    const std::string stub = folder + "/stub" + std::to_string(options.size()) + ".so";
    auto made =
        compile(runner, compiler, {"-Xlinker", "-soname", "-Xlinker", at_root(name, root)}, stub);
    if (!made) return made;
    options.push_back(stub);
  }
  if (file.soname) linker("-soname", *file.soname);
  const auto& path = file.rpath ? file.rpath : file.runpath;
  if (path) linker("-rpath", *path);
  options.emplace_back(file.rpath ? "-Wl,--disable-new-dtags" : "-Wl,--enable-new-dtags");
  if ((file.flags_1 & kNodeflib) != 0) options.emplace_back("-Wl,-z,nodefaultlib");
  if ((file.flags_1 & kNoopen) != 0) options.emplace_back("-Wl,-z,nodlopen");
  if (file.executable_stack) options.emplace_back("-Wl,-z,execstack");
  return compile(runner, compiler, std::move(options), folder + "/compiled.so");
}

}  // namespace wheelcheck::worlds
