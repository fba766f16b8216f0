#include "verifier/loader/worlds/random_world.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace wheelcheck::worlds {

namespace {

/// SplitMix64: a few lines that give the same numbers everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x632be59bd9b4e019U) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool percent(std::size_t chance) { return below(100) < chance; }
  template <class Container>
  const auto& of(const Container& all) {
    return all[below(std::size(all))];
  }

 private:
  std::uint64_t state_;
};

class Generator {
 public:
  Generator(std::uint64_t seed, LoaderKind loader, const Machine& machine)
      : dice_(seed), layout_dice_(~seed), musl_(loader == LoaderKind::musl), machine_(machine) {
    world_.loader = loader;
    world_.title = "seed " + std::to_string(seed);
  }

  World run() {
    choose_layout();
    choose_directories();
    names_ = 3 + dice_.below(4);
    for (std::size_t k = 0; k < names_; ++k) add_library(k);
    if (dice_.percent(35)) add_links();
    if (dice_.percent(60)) {
      add_host();
    } else {
      add_root("ext.abi3.so");
    }
    set_environment();
    return std::move(world_);
  }

 private:
  /// A third of the worlds are wheels, laid down by one layout or the other.
  void choose_layout() {
    if (!layout_dice_.percent(33)) return;
    wheels_ = true;
    if (layout_dice_.percent(60)) world_.layout = SitePackagesLayout::split;
    home_ = installed(world_.layout, some_scheme(), "pkg");
  }

  Scheme some_scheme() { return layout_dice_.percent(50) ? Scheme::purelib : Scheme::platlib; }

  void choose_directories() {
    directories_ = {home_, home_ + "/a", home_ + "/b", home_ + ".libs", "opt"};
    if (wheels_) {
      for (const Scheme scheme : {Scheme::purelib, Scheme::platlib}) {
        directories_.push_back(installed(world_.layout, scheme, "pkg.libs"));
        directories_.push_back(installed(world_.layout, scheme, "other/lib"));
      }
    }
    if (musl_) {
      if (dice_.percent(60)) {
        directories_.insert(directories_.end(), {"sys", "sys2"});
        const char* configs[] = {"@/sys:@/sys2", "@/sys\n@/sys2\n", ":@/none:@/sys2", "sys"};
        world_.search_config = dice_.of(configs);
      } else {
        world_.search_config = "@/none";
      }
      return;
    }
    if (dice_.percent(30)) directories_.push_back(home_ + "/" + machine_.lib);
    if (dice_.percent(30)) directories_.push_back(home_ + "/" + machine_.platform);
    for (std::size_t i = 1; i <= machine_.system.directories.size(); ++i) {
      if (dice_.percent(25)) directories_.push_back("d" + std::to_string(i));
    }
    if (!machine_.subdirectories.empty() && dice_.percent(30)) {
      const std::size_t count = 1 + dice_.below(2);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string below = dice_.of(machine_.subdirectories);
        const std::string above = directories_[dice_.below(directories_.size())];
        inner_.push_back(above + "/" + below.substr(0, below.size() - 1));
      }
    }
  }

  /// Of a file of its own: "lib3.so"; or one that only a SONAME has: "s3.so".
  std::string some_name() {
    const std::size_t k = dice_.below(names_);
    const std::string number = std::to_string(k);
    if (dice_.percent(22)) return "s" + number + ".so";
    return "lib" + number + ".so";
  }

  /// Of a wheel's file: its scheme, and what the wheel calls it. Nothing for other files.
  [[nodiscard]] std::optional<std::pair<Scheme, std::string>> member_at(
      const std::string& path) const {
    if (!wheels_) return std::nullopt;
    for (const Scheme scheme : {Scheme::purelib, Scheme::platlib}) {
      const std::string directory = installed(world_.layout, scheme, "");
      if (path.starts_with(directory)) return std::pair(scheme, path.substr(directory.size()));
    }
    return std::nullopt;
  }

  /// Between files of wheels the way that is right where all lie in one directory.
  std::string relative(std::string from, std::string to) const {
    const auto here = member_at(from);
    const auto there = member_at(to);
    if (here && there) {
      from = here->second;
      to = there->second;
    }
    std::string path = "$ORIGIN";
    for (std::size_t i = 0;
         i < 1 + static_cast<std::size_t>(std::count(from.begin(), from.end(), '/')); ++i) {
      path += "/..";
    }
    return path + "/" + to;
  }

  std::string some_element(const std::string& from) {
    const std::size_t kind = dice_.below(20);
    if (kind < 11) {
      std::string element = relative(from, dice_.of(directories_));
      if (dice_.percent(10)) element.replace(0, 7, "${ORIGIN}");
      return element;
    }
    if (kind < 13) return "@/" + dice_.of(directories_);
    if (kind == 13) return dice_.of(directories_);
    if (kind == 14 && !links_.empty()) return relative(from, dice_.of(links_));
    if (kind == 15 && !links_.empty()) return relative(from, dice_.of(links_)) + "/../b";
    static const char* const kGlibc[] = {"$ORIGIN",
                                         "${ORIGIN}",
                                         "$ORIGIN/nowhere/..",
                                         "$ORIGINAL/../a",
                                         "",
                                         "/nonexistent",
                                         "$FOO/../pkg",
                                         "$ORIGIN_X/",
                                         "$ORIGIN//",
                                         "$ORIGIN/$LIB",
                                         "$ORIGIN/${LIB}",
                                         "$ORIGIN/$PLATFORM",
                                         "$ORIGIN/../pkg/$LIB",
                                         "@/pkg/${PLATFORM}",
                                         "$ORIGIN/.",
                                         "${ORIGIN/a",
                                         "$ORIGIN/../opt/$",
                                         "$LIBX/../opt",
                                         "$ORIGIN/../pkg/../pkg.libs///"};
    static const char* const kMusl[] = {
        "$ORIGIN",   "${ORIGIN}",     "$ORIGIN/nowhere/..",
        "",          "/nonexistent",  "$ORIGIN//",
        "$ORIGIN/.", "$ORIGINA/../b", "$ORIGIN/../pkg/../pkg.libs///"};
    if (musl_) {
      if (dice_.percent(8)) return dice_.percent(50) ? "$LIB" : "$FOO/x";
      return dice_.of(kMusl);
    }
    return dice_.of(kGlibc);
  }

  void set_paths(WorldFile& file, const std::string& from, std::size_t most) {
    const auto path = [&] {
      std::string text;
      const std::size_t count = dice_.below(most + 1);
      for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) text += musl_ && dice_.percent(10) ? "\n" : ":";
        text += some_element(from);
      }
      return text;
    };
    const std::size_t kind = dice_.below(10);
    if (kind < 4) file.rpath = path();
    if (kind >= 4 && kind < 7) file.runpath = path();
    if (kind == 7) {
      file.rpath = path();
      file.runpath = path();
    }
  }

  std::string some_need() {
    std::string name = some_name();
    const std::size_t kind = dice_.below(40);
    if (kind == 0) return "$ORIGIN/" + name;
    if (kind == 1) return "opt/" + name;
    if (kind == 2) return "@/" + dice_.of(directories_) + "/" + name;
    if (kind == 3) return "none" + std::to_string(dice_.below(3)) + ".so";
    if (kind == 4) return musl_ ? "libm.so.6" : "ld-linux-x86-64.so.2";
    if (kind == 5) return "./pkg/" + name;
    return name;
  }

  void set_needs(WorldFile& file, std::size_t least, std::size_t most) {
    const std::size_t count = least + dice_.below(most - least + 1);
    for (std::size_t i = 0; i < count; ++i) file.needed.push_back(some_need());
  }

  void add_library(std::size_t k) {
    const std::string number = std::to_string(k);
    const std::string name = "lib" + number + ".so";
    const std::size_t copies = 1 + dice_.below(3);
    for (std::size_t i = 0; i < copies; ++i) {
      const bool deep = !inner_.empty() && dice_.percent(35);
      const std::string directory = deep ? dice_.of(inner_) : dice_.of(directories_);
      WorldFile file;
      file.path = directory + "/" + name;
      if (world_.find(file.path) != nullptr) continue;
      damage(file);
      const std::size_t kind = dice_.below(6);
      if (kind < 2) file.soname = name;
      if (kind == 2 || kind == 3) file.soname = "s" + number + ".so";
      if (kind == 4) file.soname = "lib" + std::to_string(dice_.below(names_)) + ".so";
      set_needs(file, 0, 3);
      set_paths(file, directory, 4);
      if (!musl_ && dice_.percent(8)) file.flags_1 |= 0x800;  // NODEFLIB
      // Of a name of its own: where filters stand for each other, ld.so itself goes round
      // forever.
      if (dice_.percent(2)) file.filter = filtered(directory);
      if (dice_.percent(3)) file.auxiliary = filtered(directory);
      if (!musl_) file.executable_stack = dice_.percent(2);
      add(std::move(file));
    }
  }

  void add(WorldFile file) {
    if (auto member = member_at(file.path)) {
      const bool either = world_.layout == SitePackagesLayout::joined;
      file.scheme = either ? some_scheme() : member->first;
      file.member = std::move(member->second);
    }
    world_.files.push_back(std::move(file));
  }

  /// A library that stands behind a filter; now and then it is missing.
  std::string filtered(const std::string& directory) {
    std::string name = "libf" + std::to_string(world_.files.size()) + ".so";
    WorldFile file;
    file.path = (dice_.percent(50) ? directory : dice_.of(directories_)) + "/" + name;
    if (dice_.percent(80) && world_.find(file.path) == nullptr) add(std::move(file));
    return name;
  }

  void damage(WorldFile& file) {
    if (dice_.percent(90)) return;
    switch (dice_.below(8)) {
      case 0:
      case 1:
      case 2:
        file.kind = FileKind::other_class;
        return;
      case 3:
      case 4:
      case 5:
        file.machine = 183;
        return;
      case 6: {
        constexpr FileKind kDamaged[] = {FileKind::text, FileKind::truncated,
                                         FileKind::other_endian};
        file.kind = dice_.of(kDamaged);
        return;
      }
      default:
        if (musl_) return;
        if (dice_.percent(50)) {
          file.flags_1 = dice_.percent(50) ? 0x8000000 : 0x40;  // PIE, NOOPEN
        } else {
          file.os_abi = dice_.percent(50) ? 3 : 9;
        }
    }
  }

  void add_links() {
    const auto add_link = [&](FileKind kind, const std::string& path, const std::string& target) {
      if (world_.find(path) != nullptr) return;
      WorldFile file;
      file.kind = kind;
      file.path = path;
      file.target = target;
      world_.files.push_back(std::move(file));
    };
    const std::size_t count = 1 + dice_.below(3);
    const std::size_t libraries = world_.files.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      const std::string to = world_.files[dice_.below(libraries)].path;
      const std::string alias = dice_.of(directories_) + "/" + some_name();
      switch (dice_.below(5)) {
        case 0:
        case 1: {
          const std::string path = "link" + number;
          add_link(FileKind::link, path,
                   dice_.percent(50) ? "@/" + home_ + "/a" : dice_.of(directories_));
          links_.push_back(path);
          break;
        }
        case 2:
          add_link(FileKind::link, alias, "@/" + to);
          break;
        case 3:
          add_link(FileKind::hard_link, alias, to);
          break;
        default:
          add_link(FileKind::link, alias, "@/" + alias);  // to itself
      }
    }
  }

  void add_root(const std::string& name) {
    WorldFile root;
    const std::string directory = dice_.percent(70) ? home_ : dice_.of(directories_);
    root.path = directory + "/" + name;
    if (dice_.percent(30)) root.soname = dice_.percent(50) ? some_name() : "ext.so";
    set_needs(root, 1, 5);
    set_paths(root, directory, 5);
    if (!links_.empty() && dice_.percent(30)) root.path = home_ + "/a/" + name;
    world_.program = root.path;
    add(std::move(root));
  }

  void add_host() {
    const std::size_t count = 1 + dice_.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      if (dice_.percent(25)) {
        world_.opens.push_back({some_name(), {}});
        continue;
      }
      add_root("ext" + std::to_string(i) + ".abi3.so");
      world_.opens.push_back({"@/" + world_.program, {}});
    }
    if (dice_.percent(15)) {
      WorldFile caller;
      caller.kind = FileKind::caller;
      caller.path = "pkg/caller.so";
      set_paths(caller, "pkg", 3);
      keep_one(caller);
      world_.files.push_back(caller);
      world_.opens.insert(world_.opens.begin(), {"@/" + caller.path, {}});
      world_.opens.push_back({some_name(), caller.path});
    }
    WorldFile host;
    host.kind = FileKind::host;
    host.path = "bin/host";
    set_paths(host, "bin", 3);
    keep_one(host);
    world_.program = host.path;
    world_.files.push_back(std::move(host));
    world_.by_kernel = (!musl_ || !world_.search_config) && dice_.percent(20);
  }

  /// The compiled ones have room for one search path.
  static void keep_one(WorldFile& file) {
    if (file.rpath && file.runpath) file.runpath.reset();
  }

  void set_environment() {
    if (dice_.percent(30)) {
      const std::size_t count = 1 + dice_.below(3);
      for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) world_.ld_library_path += !musl_ && dice_.percent(30) ? ";" : ":";
        const bool odd = dice_.percent(15);
        world_.ld_library_path +=
            odd ? (dice_.percent(50) ? "" : "opt/") : "@/" + dice_.of(directories_);
      }
    }
    if (musl_ || !dice_.percent(40)) return;
    const std::size_t count = 1 + dice_.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      std::string name = some_name();
      const bool known = std::any_of(world_.cache.begin(), world_.cache.end(),
                                     [&](const CachedPath& entry) { return entry.name == name; });
      if (known) continue;
      const bool built_in = !machine_.system.directories.empty() && dice_.percent(40);
      const std::string directory =
          built_in ? dice_.of(machine_.system.directories) : "@/" + dice_.of(directories_) + "/";
      world_.cache.push_back({name, directory + name});
    }
  }

  Dice dice_;
  Dice layout_dice_;  ///< of its own, so that seeds of other worlds stay what they were
  const bool musl_;
  const Machine& machine_;
  World world_;
  std::size_t names_ = 0;
  bool wheels_ = false;
  std::string home_ = "pkg";  ///< the directory of the package whose files are opened
  std::vector<std::string> directories_;
  std::vector<std::string> inner_;  ///< glibc-hwcaps directories and the like
  std::vector<std::string> links_;  ///< symbolic links to directories
};

}  // namespace

World random_world(std::uint64_t seed, LoaderKind loader, const Machine& machine) {
  return Generator(seed, loader, machine).run();
}

}  // namespace wheelcheck::worlds
