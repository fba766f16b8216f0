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

std::string installed(SitePackagesLayout layout, Scheme scheme, const std::string& member) {
  const bool lib64 = layout == SitePackagesLayout::split && scheme == Scheme::platlib;
  return std::string(lib64 ? "lib64" : "lib") + "/python3/site-packages/" + member;
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

namespace {

std::string describe(const WorldSymbol& symbol) {
  static constexpr const char* kBindings[] = {"local", "", "weak", "unique", "other"};
  static constexpr const char* kVisibilities[] = {"", "internal", "hidden", "protected"};
  static constexpr const char* kTypes[] = {"notype", "object", "",      "section", "file",
                                           "common", "tls",    "ifunc", "other"};
  std::string text = symbol.defined ? "defines " + symbol.name : "uses " + symbol.name;
  if (symbol.defined && !symbol.version.empty()) text += symbol.version_hidden ? "@" : "@@";
  if (!symbol.defined && !symbol.version.empty()) text += "@";
  text += symbol.version;
  if (!symbol.file.empty()) text += " of " + symbol.file;
  if (symbol.version.empty() && symbol.version_hidden) text += " of hidden version";
  for (const char* word :
       {kBindings[static_cast<std::size_t>(symbol.binding)],
        kVisibilities[static_cast<std::size_t>(symbol.visibility)],
        kTypes[static_cast<std::size_t>(symbol.type)], symbol.zero ? "zero" : "",
        symbol.absolute ? "absolute" : "", symbol.defined && symbol.used ? "used" : "",
        symbol.called ? "called" : "", symbol.copied ? "copied" : "",
        !symbol.defined && !symbol.used ? "unused" : ""}) {
    if (*word != '\0') text += std::string(" ") + word;
  }
  return text;
}

}  // namespace

std::string describe(const World& world) {
  static constexpr const char* kKinds[] = {"library",      "host",     "caller",    "other class",
                                           "other endian", "text",     "truncated", "directory",
                                           "link",         "hard link"};
  std::string text = (world.loader == LoaderKind::musl ? "musl: " : "glibc: ") + world.title + "\n";
  for (const WorldFile& file : world.files) {
    text += "  " + file.path + ": " + kKinds[static_cast<std::size_t>(file.kind)];
    if (!file.member.empty()) {
      text += file.scheme == Scheme::purelib ? " of purelib" : " of platlib";
    }
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
    if (file.symbolic) text += " symbolic";
    for (const std::string& name : file.needed) text += " needs='" + name + "'";
    for (const std::string& version : file.versions) text += " defines version " + version;
    for (const WorldVersionNeed& need : file.version_needs) {
      text += " needs version " + need.version + " of " + need.file + (need.weak ? " weakly" : "");
    }
    text += "\n";
    for (const WorldSymbol& symbol : file.symbols) text += "    " + describe(symbol) + "\n";
  }
  text += "  program " + world.program + (world.by_kernel ? ", by the kernel\n" : "\n");
  for (const Open& open : world.opens) {
    text += "  opens '" + open.name + "'" + (open.caller.empty() ? "" : " from " + open.caller);
    if (open.global) text += " for all";
    if (open.lazy) text += " lazily";
    if (open.deep) text += " deeply";
    text += "\n";
  }
  for (const std::string& preload : world.preloads) text += "  preloads '" + preload + "'\n";
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
