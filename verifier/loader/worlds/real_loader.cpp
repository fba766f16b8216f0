#include "verifier/loader/worlds/real_loader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "verifier/loader/environment.h"
#include "verifier/loader/search_path.h"
#include "verifier/loader/worlds/loader_files.h"
#include "verifier/loader/worlds/reading.h"
#include "verifier/loader/worlds/stamp.h"
#include "verifier/loader/worlds/symbol_check.h"

namespace wheelcheck::worlds {

namespace {

Result<std::string> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) {
    return Error{path, std::string("cannot be read: ") + std::strerror(errno), std::nullopt};
  }
  return std::move(text).str();
}

Result<bool> write_whole(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  if (!file) return Error{path, "cannot be written", std::nullopt};
  return true;
}

std::string text_between(const std::string& text, std::string_view before, char behind) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "of unknown version";
  const std::size_t start = at + before.size();
  return text.substr(start, text.find(behind, start) - start);
}

}  // namespace

RealLoader::RealLoader(Setup setup) : setup_(std::move(setup)) { root_ = setup_.folder + "/w"; }

Result<std::unique_ptr<RealLoader>> RealLoader::make(Setup setup) {
  std::unique_ptr<RealLoader> loader(new RealLoader(std::move(setup)));
  const Setup& given = loader->setup_;
  auto host = read_whole(given.host);
  if (!host) return host.error();
  auto caller = read_whole(given.caller);
  if (!caller) return caller.error();
  loader->templates_ = {*std::move(host), *std::move(caller)};
  std::error_code problem;
  std::filesystem::create_directories(given.folder, problem);
  if (problem) return Error{given.folder, problem.message(), std::nullopt};
  auto ready = given.kind == LoaderKind::musl ? loader->prepare_musl() : loader->prepare_glibc();
  if (!ready) return ready.error();
  auto started_by = with_interpreter(std::move(loader->templates_.host), loader->loader_);
  if (!started_by) return started_by.error();
  loader->templates_.host = *std::move(started_by);
  return loader;
}

Result<bool> RealLoader::prepare_musl() {
  loader_ = setup_.loader;
  auto written = runner_.run({loader_, {loader_}, {}, setup_.folder, true});
  if (!written) return written.error();
  version_ = "musl " + text_between(written->out, "Version ", '\n');
  machine_.working_directory = setup_.as_built ? "/" : root_;
  machine_.has_system_directories = true;
  if (!setup_.as_built) return true;
  if (auto config = read_whole("/etc/ld-musl-x86_64.path")) search_config_ = *std::move(config);
  const std::string path = search_config_.value_or("/lib:/usr/local/lib:/usr/lib");
  Machine plain;
  plain.ld_library_path = path;
  for (const PathElement& element : split_library_path(LoaderKind::musl, {}, plain)) {
    if (!element.ignored) machine_.system.directories.push_back(element.path);
  }
  return true;
}

Result<bool> RealLoader::prepare_glibc() {
  if (setup_.libc.empty()) setup_.libc = own_libc();
  auto code = read_whole(setup_.loader);
  if (!code) return code.error();
  if (setup_.as_built) return prepare_as_built(*code);
  const auto make_directory = [&](std::size_t index, const PathShape& shape) {
    const std::string target = root_ + "/d" + std::to_string(index + 1);
    std::string path = short_links_.make(shape, target);
    if (short_links_.paths().size() > links_.size()) {
      links_.push_back({short_links_.paths().back(), target});
    }
    return path;
  };
  auto changed = with_other_paths(*std::move(code), setup_.loader, make_directory);
  if (!changed) return changed.error();
  loader_ = setup_.folder + "/ld.so";
  if (auto done = write_whole(loader_, changed->code); !done) return done;
  std::filesystem::permissions(loader_, std::filesystem::perms::owner_all);
  machine_.working_directory = root_;
  machine_.has_system_directories = true;
  machine_.system.directories = changed->directories;
  if (auto done = ask_version(); !done) return done;
  return probe_glibc();
}

Result<bool> RealLoader::prepare_as_built(const std::string& code) {
  loader_ = setup_.loader;
  machine_.working_directory = "/";
  machine_.has_system_directories = true;
  machine_.system.directories = built_in_directories(code);
  auto cache = read_cache("/etc/ld.so.cache");
  if (!cache) return cache.error();
  machine_.system.cache = *std::move(cache);
  if (auto done = ask_version(); !done) return done;
  return probe_glibc();
}

Result<bool> RealLoader::ask_version() {
  auto written = runner_.run({setup_.loader, {setup_.loader, "--version"}, {}, {}, true});
  if (!written) return written.error();
  const std::string number = text_between(written->out, "release version ", '\n');
  version_ = "glibc " + number.substr(0, number.find_last_not_of('.') + 1);
  machine_.glibc.minor = 0;
  for (const char c : number.substr(std::min<std::size_t>(2, number.size()))) {
    if (c < '0' || c > '9') break;
    machine_.glibc.minor = machine_.glibc.minor * 10 + static_cast<unsigned>(c - '0');
  }
  return true;
}

Result<bool> RealLoader::probe_glibc() {
  World world;
  WorldFile file;
  file.path = "probe";
  file.needed = {"none.so"};
  file.rpath = "/no:/lib-$LIB:/platform-$PLATFORM";
  world.files = {file};
  world.program = "probe";
  auto contents = contents_of(world, templates_, root_);
  if (!contents) return contents.error();
  if (auto done = lay_down(world, *contents, root_); !done) return done;
  auto written = runner_.run(request_for(world));
  if (!written) return written.error();
  const std::vector<std::string> tried = tried_files(*written);
  const auto plain = std::find(tried.begin(), tried.end(), "/no/none.so");
  const auto count = static_cast<std::size_t>(plain - tried.begin());
  if (tried.size() < 3 * (count + 1)) {
    return Error{loader_, "does not tell where it looks:\n" + written->err, std::nullopt};
  }
  const auto inner = [](const std::string& path, std::size_t skip) {
    return path.substr(skip, path.size() - skip - std::strlen("none.so"));
  };
  for (std::size_t i = 0; i < count; ++i) {
    machine_.subdirectories.push_back(inner(tried[i], std::strlen("/no/")));
  }
  machine_.lib = inner(tried[2 * count + 1], std::strlen("/lib-"));
  machine_.platform = inner(tried[3 * count + 2], std::strlen("/platform-"));
  machine_.lib.pop_back();  // the slash
  machine_.platform.pop_back();
  return true;
}

std::string RealLoader::program_path(const World& world) const {
  return root_ + "/" + world.program;
}

Runner::Request RealLoader::request_for(const World& world) const {
  Runner::Request request;
  request.directory = root_;
  const bool musl = setup_.kind == LoaderKind::musl;
  const std::string program = program_path(world);
  request.program = loader_;
  // musl takes the place of its configuration from the name that it is called by.
  request.arguments = {musl ? root_ + "/lib/ld-musl-x86_64.so.1" : loader_};
  if (!world.runs_host() && musl) request.arguments.emplace_back("--list");
  request.arguments.push_back(program);
  for (const Open& open : world.opens) {
    std::string argument = at_root(open.name, root_);
    if (!open.caller.empty()) argument.insert(0, root_ + "/" + open.caller + "=");
    request.arguments.push_back(std::move(argument));
  }
  if (!musl) request.environment.emplace_back("LD_DEBUG=files,libs,scopes");
  if (!musl && !world.runs_host()) request.environment.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  if (!world.ld_library_path.empty()) {
    request.environment.push_back("LD_LIBRARY_PATH=" + at_root(world.ld_library_path, root_));
  }
  request.together = musl && !world.runs_host();
  if (world.by_kernel) {
    request.program = program;
    request.arguments.erase(request.arguments.begin());
  }
  return request;
}

Result<bool> RealLoader::write_config(const World& world) const {
  if (setup_.kind == LoaderKind::musl) {
    if (!world.search_config) return true;
    std::filesystem::create_directories(root_ + "/etc");
    return write_whole(root_ + "/etc/ld-musl-x86_64.path", at_root(*world.search_config, root_));
  }
  std::vector<CachedPath> entries = world.cache;
  for (CachedPath& entry : entries) entry.path = at_root(entry.path, root_);
  entries.push_back({"libc.so.6", setup_.libc});
  return write_whole(root_ + "/" + kCacheName, cache_file(std::move(entries)));
}

Result<Reading> RealLoader::read(const World& world) {
  if (auto done = write_config(world); !done) return done.error();
  auto written = runner_.run(request_for(world));
  if (!written) return written.error();
  const bool musl = setup_.kind == LoaderKind::musl;
  return (musl ? musl_reading : glibc_reading)(*written,
                                               {root_, program_path(world), world.runs_host()});
}

Result<Written> RealLoader::run_for_symbols(const World& world) {
  if (auto done = write_config(world); !done) return done.error();
  const bool musl = setup_.kind == LoaderKind::musl;
  Runner::Request request;
  request.directory = root_;
  request.program = loader_;
  request.arguments = {musl ? root_ + "/lib/ld-musl-x86_64.so.1" : loader_};
  std::string preloads;
  for (const std::string& preload : world.preloads) preloads += at_root(preload, root_) + ":";
  if (!preloads.empty()) request.environment.push_back("LD_PRELOAD=" + preloads);
  if (world.runs_host()) {
    request.arguments.push_back(program_path(world));
    request.arguments.emplace_back("+b");
    for (const Open& open : world.opens) {
      request.arguments.push_back((open.global ? std::string("+g") : std::string()) +
                                  (open.lazy ? "+l" : "") + (open.deep ? "+d" : "") +
                                  at_root(open.name, root_));
    }
    return runner_.run(request);
  }
  if (musl) {
    request.arguments.emplace_back("--list");
  } else {
    for (const char* variable :
         {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=yes", "LD_BIND_NOW=yes", "LD_DEBUG=bindings"}) {
      request.environment.emplace_back(variable);
    }
  }
  request.arguments.push_back(program_path(world));
  return runner_.run(request);
}

Runner::Request RealLoader::request_to_list(const std::string& file) const {
  const bool musl = setup_.kind == LoaderKind::musl;
  Runner::Request request;
  request.program = loader_;
  request.directory = "/";
  request.arguments = {loader_};
  if (musl) request.arguments.emplace_back("--list");
  request.arguments.push_back(file);
  request.together = musl;
  if (!musl) request.environment = {"LD_TRACE_LOADED_OBJECTS=1"};
  return request;
}

Result<Reading> RealLoader::list(const std::string& file) {
  const bool musl = setup_.kind == LoaderKind::musl;
  Runner::Request request = request_to_list(file);
  if (!musl) request.environment.emplace_back("LD_DEBUG=files,libs");
  auto written = runner_.run(request);
  if (!written) return written.error();
  return (musl ? musl_reading : glibc_reading)(*written, {"/", file, false});
}

Result<Reading> RealLoader::list_symbols(const std::string& file) {
  const bool musl = setup_.kind == LoaderKind::musl;
  Runner::Request request = request_to_list(file);
  if (!musl) {
    request.environment.emplace_back("LD_WARN=yes");
    request.environment.emplace_back("LD_BIND_NOW=yes");
  }
  auto written = runner_.run(request);
  if (!written) return written.error();
  return musl ? musl_symbols(*written) : glibc_symbols(*written, file);
}

}  // namespace wheelcheck::worlds
