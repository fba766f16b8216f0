#include "verifier/loader/worlds/world.h"

#include <algorithm>

namespace wheelcheck::worlds {

bool World::runs_host() const {
  const WorldFile* file = find(program);
  return file != nullptr && file->kind == FileKind::host;
}

const WorldFile* World::find(const std::string& path) const {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const WorldFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string at_root(const std::string& text, const std::string& root) {
  std::string out;
  for (const char c : text) {
    if (c == kRoot) {
      out += root;
    } else {
      out += c;
    }
  }
  return out;
}

std::string describe(const World& world) {
  static constexpr const char* kKinds[] = {"library",      "host",     "caller",    "other class",
                                           "other endian", "text",     "truncated", "directory",
                                           "link",         "hard link"};
  std::string text = (world.loader == LoaderKind::musl ? "musl: " : "glibc: ") + world.title + "\n";
  for (const WorldFile& file : world.files) {
    text += "  " + file.path + ": " + kKinds[static_cast<std::size_t>(file.kind)];
    if (!file.target.empty()) text += " -> " + file.target;
    if (file.soname) text += " soname=" + *file.soname;
    if (file.rpath) text += " rpath='" + *file.rpath + "'";
    if (file.runpath) text += " runpath='" + *file.runpath + "'";
    if (file.flags_1 != 0) text += " flags_1=" + std::to_string(file.flags_1);
    if (file.machine != 62) text += " machine=" + std::to_string(file.machine);
    if (file.os_abi != 0) text += " os_abi=" + std::to_string(file.os_abi);
    if (!file.filter.empty()) text += " filter=" + file.filter;
    if (!file.auxiliary.empty()) text += " auxiliary=" + file.auxiliary;
    if (file.executable_stack) text += " executable stack";
    for (const std::string& name : file.needed) text += " needs='" + name + "'";
    text += "\n";
  }
  text += "  program " + world.program + (world.by_kernel ? ", by the kernel\n" : "\n");
  for (const Open& open : world.opens) {
    text += "  opens '" + open.name + "'" + (open.caller.empty() ? "" : " from " + open.caller);
    text += "\n";
  }
  if (!world.ld_library_path.empty()) {
    text += "  LD_LIBRARY_PATH='" + world.ld_library_path + "'\n";
  }
  for (const CachedPath& entry : world.cache) {
    text += "  cache " + entry.name + " -> " + entry.path + "\n";
  }
  if (world.search_config) text += "  search path file '" + *world.search_config + "'\n";
  return text;
}

}  // namespace wheelcheck::worlds
