#include "verifier/loader/worlds/layout.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "verifier/elf/collector.h"
#include "verifier/loader/worlds/stamp.h"

namespace wheelcheck::worlds {

namespace fs = std::filesystem;

namespace {

Error failed(const std::string& path, const std::string& what) {
  return Error{path, what + ": " + std::strerror(errno), std::nullopt};
}

bool write_file(const std::string& path, const std::string& bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  if (file < 0) return false;
  const bool written =
      ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  return ::close(file) == 0 && written;
}

/// A member of a wheel.
MemberFacts member_of(const WorldFile& file, const std::string& bytes) {
  MemberFacts member;
  member.entry.path = file.path;
  member.install = {file.scheme, file.member};
  member.kind = ContentKind::other;
  auto facts = read_elf(file.path, as_bytes(bytes));
  if (facts) member.elf = std::make_unique<ElfFacts>(*std::move(facts));
  if (member.elf) member.kind = ContentKind::elf;
  return member;
}

/// True for what holds bytes.
bool has_content(FileKind kind) {
  return kind != FileKind::directory && kind != FileKind::link && kind != FileKind::hard_link;
}

}  // namespace

Result<std::vector<std::string>> contents_of(const World& world, const Templates& templates,
                                             const std::string& root) {
  std::vector<std::string> contents;
  for (const WorldFile& file : world.files) {
    std::string bytes;
    switch (file.kind) {
      case FileKind::library:
        bytes = stamp_library(file, root);
        break;
      case FileKind::host:
      case FileKind::caller: {
        auto stamped = stamp_template(
            file.kind == FileKind::host ? templates.host : templates.caller, file, root);
        if (!stamped) return stamped.error();
        bytes = *std::move(stamped);
        break;
      }
      case FileKind::other_class:
      case FileKind::other_endian:
        bytes = stamp_foreign(file, root);
        break;
      case FileKind::text:
        bytes = "libother.so.1";  // a link, as pip writes it
        break;
      case FileKind::truncated:
        bytes = stamp_library(file, root).substr(0, 40);
        break;
      case FileKind::directory:
      case FileKind::link:
      case FileKind::hard_link:
        break;
    }
    contents.push_back(std::move(bytes));
  }
  return contents;
}

Result<bool> lay_down(const World& world, const std::vector<std::string>& contents,
                      const std::string& root) {
  std::error_code problem;
  fs::remove_all(root, problem);
  fs::create_directories(root, problem);
  if (problem) return Error{root, problem.message(), std::nullopt};
  for (std::size_t i = 0; i < world.files.size(); ++i) {
    const WorldFile& file = world.files[i];
    const std::string path = root + "/" + file.path;
    const std::string parent = path.substr(0, path.rfind('/'));
    struct stat there = {};
    if (::stat(parent.c_str(), &there) != 0) fs::create_directories(parent, problem);
    bool done = false;
    if (has_content(file.kind)) {
      done = write_file(path, contents[i]);
    } else if (file.kind == FileKind::directory) {
      done = ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
    } else if (file.kind == FileKind::link) {
      done = ::symlink(at_root(file.target, root).c_str(), path.c_str()) == 0;
    } else {
      done = ::link((root + "/" + file.target).c_str(), path.c_str()) == 0;
    }
    if (!done) return failed(path, "cannot be made");
  }
  return true;
}

ModelledWorld model(const World& world, const std::vector<std::string>& contents,
                    const std::string& root, const std::string& libc,
                    const std::vector<InstallTree::Link>& outer_links) {
  ModelledWorld modelled;
  InstallTree::Description description;
  description.links = outer_links;
  description.loader = world.loader;
  description.layout = world.layout;
  description.prefix = root;
  modelled.wheel = std::make_unique<WheelFacts>();
  for (std::size_t i = 0; i < world.files.size(); ++i) {
    const WorldFile& file = world.files[i];
    const std::string path = root + "/" + file.path;
    if (!file.member.empty()) {
      modelled.wheel->members.push_back(member_of(file, contents[i]));
    } else if (file.kind == FileKind::directory) {
      description.directories.push_back(path);
    } else if (file.kind == FileKind::link) {
      description.links.push_back({path, at_root(file.target, root)});
    } else if (file.kind == FileKind::hard_link) {
      description.plain_files.push_back({path, nullptr, root + "/" + file.target});
    } else {
      auto facts = read_elf(path, as_bytes(contents[i]));
      const ElfFacts* elf = nullptr;
      if (facts) {
        modelled.facts.push_back(std::make_unique<ElfFacts>(*std::move(facts)));
        elf = modelled.facts.back().get();
      }
      description.plain_files.push_back({path, elf, {}});
    }
  }
  description.directories.push_back(root);
  if (world.loader == LoaderKind::glibc) {  // the host's own: only its names matter
    auto facts = std::make_unique<ElfFacts>();
    facts->type = 3;
    facts->machine = 62;
    facts->has_dynamic = true;
    facts->soname = "libc.so.6";
    facts->needed = {"ld-linux-x86-64.so.2"};
    description.plain_files.push_back({libc, facts.get(), {}});
    modelled.facts.push_back(std::move(facts));
  }
  if (!modelled.wheel->members.empty()) {
    InstallTree::Given wheel;
    wheel.wheel = modelled.wheel.get();
    description.given.push_back(std::move(wheel));
  }
  modelled.tree = std::make_unique<InstallTree>(std::move(description));
  return modelled;
}

}  // namespace wheelcheck::worlds
