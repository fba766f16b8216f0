#include "verifier/loader/environment.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "verifier/elf/collector.h"
#include "verifier/loader/search_path.h"

namespace wheelcheck {

namespace fs = std::filesystem;

namespace {

/// A file mapped for reading, as long as this lives.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat facts {};
    if (::fstat(file, &facts) == 0 && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (data_ == MAP_FAILED) data_ = nullptr;
    }
    ::close(file);
  }
  ~Mapped() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] std::string_view text() const {
    if (data_ == nullptr) return {};
    return {static_cast<const char*>(data_), size_};
  }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

bool is_loader_name(std::string_view name) {
  return name.starts_with("ld-linux") || name.starts_with("ld-musl");
}

class Reader {
 public:
  Reader(LoaderKind loader, const Machine& machine, bool keep_symbols)
      : loader_(loader), machine_(machine), keep_symbols_(keep_symbols) {
    description_.loader = loader;
  }
  /// Beside a tree that lies nowhere on this machine.
  Reader(const InstallTree& tree, const Machine& machine) : Reader(tree.loader(), machine, true) {
    is_virtual_ = true;
    follow_paths_ = machine.has_system_directories;
  }

  Result<Environment> run(const std::string& folder) {
    folder_ = folder;
    add_path(folder);
    std::error_code problem;
    std::vector<std::string> files;
    fs::recursive_directory_iterator entries(folder, problem);
    if (problem) return Error{folder, problem.message(), std::nullopt};
    for (auto it = fs::begin(entries); it != fs::end(entries); it.increment(problem)) {
      if (problem) return Error{folder, problem.message(), std::nullopt};
      files.push_back(it->path().string());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) add_path(file);
    add_what_is_needed();
    Environment environment;
    environment.facts = std::move(facts_);
    environment.description = std::move(description_);
    environment.tree = std::make_unique<InstallTree>(environment.description);
    environment.roots = std::move(roots_);
    environment.other_machine = other_machine_;
    environment.no_dynamic = no_dynamic_;
    environment.unread = std::move(unread_);
    return environment;
  }

  MachineFiles run_beside(const InstallTree& tree) {
    folder_ = tree.prefix();
    for (const TreeFile& file : tree.files()) {
      if (file.elf != nullptr) found_.push_back({file.path, file.elf});
    }
    add_what_is_needed();
    return {std::move(facts_), std::move(description_)};
  }

 private:
  struct Found {
    std::string path;
    const ElfFacts* facts = nullptr;
  };

  [[nodiscard]] bool is_inside(const std::string& path) const {
    return path.starts_with(folder_) &&
           (path.size() == folder_.size() || path[folder_.size()] == '/');
  }

  /// Every component of the path, with the links on the way. Does nothing for what is not there.
  void add_path(const std::string& path, int depth = 0) {
    if (depth > 40 || !path.starts_with('/')) return;
    for (std::size_t at = 1; at <= path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      const std::string part = path.substr(0, end);
      at = end + 1;
      if (part.ends_with('/')) continue;
      if (part.ends_with("/..") || part.ends_with("/.")) {  // all before it is no link
        add_path(normalise_path(part) + path.substr(end), depth + 1);
        return;
      }
      if (!add_one(part)) return;
      const auto target = targets_.find(part);
      if (target == targets_.end()) continue;
      add_path(target->second + path.substr(end), depth + 1);
      return;
    }
  }

  /// A path without links before its last component.
  bool add_one(const std::string& path) {
    if (seen_.count(path) != 0) return true;
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return false;
    seen_.insert(path);
    if (S_ISLNK(there.st_mode)) {
      std::error_code problem;
      const std::string target = fs::read_symlink(path, problem).string();
      description_.links.push_back({path, target});
      const std::string parent = path.substr(0, path.rfind('/'));
      targets_[path] = target.starts_with('/') ? target : parent + "/" + target;
    } else if (S_ISDIR(there.st_mode)) {
      description_.directories.push_back(path);
    } else if (S_ISREG(there.st_mode)) {
      add_file(path, there);
    }
    return true;
  }

  void add_file(const std::string& path, const struct stat& there) {
    const auto identity = std::make_pair(there.st_dev, there.st_ino);
    if (there.st_nlink > 1) {
      const auto [first, added] = by_inode_.try_emplace(identity, path);
      if (!added) {
        description_.plain_files.push_back({path, nullptr, first->second});
        return;
      }
    }
    const Mapped mapped(path);
    const std::string_view text = mapped.text();
    const bool own = path.starts_with(folder_ + "/");
    if (!text.starts_with("\177ELF")) {
      description_.plain_files.push_back({path, nullptr, {}});
      return;
    }
    auto facts = read_elf(path, as_bytes(text));
    if (!facts) {
      if (own) unread_.push_back(facts.error());
      description_.plain_files.push_back({path, nullptr, {}});
      return;
    }
    forget_symbols(*facts);
    facts_.push_back(std::make_unique<ElfFacts>(*std::move(facts)));
    const ElfFacts& kept = *facts_.back();
    description_.plain_files.push_back({path, &kept, {}});
    found_.push_back({path, &kept});
    if (!own) return;
    if (kept.machine != 62 || !kept.is_64) {
      ++other_machine_;
    } else if (!kept.has_dynamic || !kept.loadable()) {
      ++no_dynamic_;
    } else {
      roots_.push_back(path);
    }
  }

  /// The search asks for none but musl's, which knows a C library by two.
  void forget_symbols(ElfFacts& facts) const {
    if (keep_symbols_ || loader_ == LoaderKind::musl) return;
    facts.dynamic_symbols = {};
    facts.names = {};
  }

  void add_directory(std::string directory) {
    while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
    add_path(directory);
    for (const std::string& below : machine_.subdirectories) {
      add_path(directory + "/" + below.substr(0, below.size() - 1));
    }
  }

  void add_outer(const PathElement& element) {
    if (!element.is_absolute() || is_inside(normalise_path(element.path))) return;
    if (directories_.insert(element.path).second) add_directory(element.path);
  }

  /// Takes note of what an object needs and of the outer directories that it names.
  void follow(const Found& found) {
    const std::string origin(directory_of(found.path));
    for (const auto* path : {&found.facts->rpath, &found.facts->runpath}) {
      if (!*path || !follow_paths_) continue;
      for (const PathElement& element : split_search_path(loader_, **path, origin, machine_)) {
        // From a prefix that is nowhere, ".." leads nowhere.
        if (is_virtual_ && is_inside(found.path) && !element.raw.starts_with('/')) continue;
        add_outer(element);
      }
    }
    for (const std::string& name : found.facts->needed) {
      if (!is_loader_name(name)) names_.insert(name);
    }
  }

  /// Adds the host's files that answer to a name. What is found brings needs of its own.
  void add_what_is_needed() {
    for (const std::string& directory : machine_.system.directories) {
      if (directories_.insert(directory).second) add_directory(directory);
    }
    for (const PathElement& element : split_library_path(loader_, {}, machine_)) add_outer(element);
    for (bool more = true; more;) {
      for (; next_ < found_.size(); ++next_) follow(Found(found_[next_]));
      for (const std::string& name : names_) {
        if (name.find('/') != std::string::npos) add_path(name);
        for (const std::string& directory : directories_) {
          const std::string base = directory.ends_with('/') ? directory : directory + "/";
          add_path(base + name);
          for (const std::string& below : machine_.subdirectories) add_path(base + below + name);
        }
      }
      for (const CacheEntry& entry : machine_.system.cache) {
        if (names_.count(entry.name) != 0) add_path(entry.path);
      }
      more = next_ < found_.size();
    }
  }

  const LoaderKind loader_;
  const Machine& machine_;
  const bool keep_symbols_;
  bool is_virtual_ = false;
  bool follow_paths_ = true;  ///< into what search paths of objects name outside of the folder
  std::string folder_;
  InstallTree::Description description_;
  std::vector<std::unique_ptr<ElfFacts>> facts_;
  std::vector<std::string> roots_;
  std::vector<Error> unread_;
  std::size_t other_machine_ = 0;
  std::size_t no_dynamic_ = 0;
  std::vector<Found> found_;
  std::size_t next_ = 0;
  std::set<std::string> seen_;
  std::map<std::string, std::string> targets_;
  std::map<std::pair<dev_t, ino_t>, std::string> by_inode_;
  std::set<std::string> names_;
  std::set<std::string> directories_;  ///< outside of the folder
};

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  if (at > bytes.size() || bytes.size() - at < width) return 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::string string_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(static_cast<std::size_t>(at));
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

Result<Environment> read_environment(const std::string& folder, LoaderKind loader,
                                     const Machine& machine, bool keep_symbols) {
  return Reader(loader, machine, keep_symbols).run(folder);
}

MachineFiles read_machine_files(const InstallTree& tree, const Machine& machine) {
  return Reader(tree, machine).run_beside(tree);
}

Result<std::vector<CacheEntry>> read_cache(const std::string& path) {
  std::vector<CacheEntry> entries;
  const Mapped mapped(path);
  const std::string_view bytes = mapped.text();
  if (bytes.empty()) return entries;
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  constexpr std::size_t kHeader = 48;
  constexpr std::size_t kEntry = 24;
  constexpr std::uint64_t kX8664 = 0x303;
  const std::uint64_t count = number_at(bytes, kMagic.size(), 4);
  if (!bytes.starts_with(kMagic) || count > (bytes.size() - kMagic.size()) / kEntry) {
    return Error{path, "is no ld.so.cache of the format that is known here", std::nullopt};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kHeader + i * kEntry;
    const bool suits = number_at(bytes, at, 4) == kX8664 && number_at(bytes, at + 16, 8) == 0;
    if (!suits) continue;
    entries.push_back({string_at(bytes, number_at(bytes, at + 4, 4)),
                       string_at(bytes, number_at(bytes, at + 8, 4))});
  }
  return entries;
}

}  // namespace wheelcheck
