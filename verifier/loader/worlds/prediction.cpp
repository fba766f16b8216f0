#include "verifier/loader/worlds/prediction.h"

#include <algorithm>
#include <map>

#include "verifier/loader/process.h"

namespace wheelcheck::worlds {

Machine machine_of(const World& world, const Machine& loader, const std::string& root,
                   const std::string& libc) {
  Machine machine = loader;
  machine.ld_library_path = at_root(world.ld_library_path, root);
  if (world.loader == LoaderKind::musl) {
    const std::string config =
        world.search_config ? at_root(*world.search_config, root) : "/lib:/usr/local/lib:/usr/lib";
    machine.system.directories.clear();
    Machine plain;
    plain.ld_library_path = config;
    for (const PathElement& element : split_library_path(LoaderKind::musl, {}, plain)) {
      machine.system.directories.push_back(element.path);
    }
    return machine;
  }
  for (const CachedPath& entry : world.cache) {
    machine.system.cache.push_back({entry.name, at_root(entry.path, root)});
  }
  machine.system.cache.push_back({"libc.so.6", libc});
  return machine;
}

namespace {

class Prediction {
 public:
  Prediction(const World& world, const ModelledWorld& modelled, const Machine& machine,
             const std::string& root)
      : world_(world),
        root_(root),
        musl_(world.loader == LoaderKind::musl),
        search_(*modelled.tree, machine),
        process_(search_, {when_missing(world), false, 1'000'000}) {}

  Reading run(std::size_t program, const std::string& path) {
    const bool started = process_.start(program, path);
    tell_requests();
    if (started && world_.runs_host()) {
      for (const Open& open : world_.opens) this->open(open);
    }
    if (started) {
      lines_.insert(lines_.end(), opened_.begin(), opened_.end());
      tell_objects();
    }
    if (!started) lines_.emplace_back("stop");
    if (!musl_) tell_scopes();
    return {std::move(lines_)};
  }

 private:
  static WhenMissing when_missing(const World& world) {
    if (world.runs_host()) return WhenMissing::fail;
    return world.loader == LoaderKind::musl ? WhenMissing::go_on : WhenMissing::stop_at_damage;
  }

  void open(const Open& open) {
    const auto caller =
        open.caller.empty() ? std::optional<std::size_t>(0) : find_opened(open.caller);
    if (!open.caller.empty() && !caller) {
      const std::string program = root_ + "/" + world_.program;
      if (!musl_) lines_.push_back("want " + root_ + "/" + open.caller + " by " + program);
      (musl_ ? lines_ : opened_).emplace_back("failed caller");
      return;
    }
    const auto got = process_.open(at_root(open.name, root_), caller);
    tell_requests();
    if (got) {
      opened_.emplace_back("opened");
      if (*got != 0) roots_.push_back(*got);
    } else {
      opened_.push_back("failed " + failed_);
    }
    if (musl_) {
      lines_.push_back(opened_.back());
      opened_.pop_back();
    }
  }

  std::optional<std::size_t> find_opened(const std::string& path) const {
    for (std::size_t i = 0; i < process_.objects().size(); ++i) {
      if (process_.objects()[i].opened == root_ + "/" + path) return i;
    }
    return std::nullopt;
  }

  void tell_requests() {
    for (; told_ < process_.requests().size(); ++told_) {
      const Request& request = process_.requests()[told_];
      if (musl_) {
        tell_musl(request);
      } else {
        tell_glibc(request);
      }
    }
  }

  void tell_glibc(const Request& request) {
    if (request.reused) return;
    lines_.push_back("want " + request.wanted + " by " + asker_of(request));
    for (const Attempt& attempt : request.search.attempts) {
      if (attempt.tag != SearchTag::literal && is_shown(attempt)) {
        lines_.push_back("try " + attempt.path);
      }
    }
    if (request.search.found) {
      if (request.new_object) lines_.push_back("new " + request.search.attempts.back().path);
      return;
    }
    failed_ = request.wanted;
    if (request.search.fatal) {
      const Attempt& last = request.search.attempts.back();
      // What must not be opened is only known once it has been mapped.
      const bool mapped = last.result == AttemptResult::not_for_this;
      if (mapped) lines_.push_back("new " + last.path);
      if (!mapped) failed_ = last.path;
    }
  }

  /// The loader tells of every file that it looks for, this reading of those alone whose directory
  /// is there: which of the others have been found out before is nobody's concern.
  bool is_shown(const Attempt& attempt) const {
    if (attempt.result != AttemptResult::no_default) {
      return attempt.result != AttemptResult::no_directory;
    }
    const std::string_view directory = directory_of(attempt.path);
    return !attempt.path.empty() && search_.tree().look_up(directory).kind == PathKind::directory;
  }

  void tell_musl(const Request& request) {
    if (request.result) {
      const LoadedObject& object = process_.objects()[*request.result];
      if (request.new_object && object.file && !world_.runs_host()) {
        lines_.push_back("new " + request.search.attempts.back().path);
      }
      return;
    }
    failed_ = request.wanted;
    if (world_.runs_host()) return;
    lines_.push_back("missing " + request.wanted + " by " + asker_of(request));
  }

  /// The program goes by the name it was called by, wherever it lies.
  std::string asker_of(const Request& request) const {
    const bool program = request.asker == process_.objects()[0].opened;
    return program ? root_ + "/" + world_.program : request.asker;
  }

  /// From the program on: what was put before it is in no list.
  void tell_objects() {
    const auto& places = process_.places();
    auto place = std::find_if(places.begin(), places.end(),
                              [](const Process::Place& one) { return one.object == 0U; });
    const bool host = world_.runs_host();
    if (musl_ && !host) return;
    for (place = host ? places.begin() : place; place != places.end(); ++place) {
      if (!place->object) {
        if (!host && !musl_) lines_.push_back("missing " + place->missing);
        continue;
      }
      const LoadedObject& object = process_.objects()[*place->object];
      if (object.file && place->object != 0U) lines_.push_back("holds " + object.opened);
    }
  }

  /// A scope is told under the name of its first object, as that is how a reading knows it. With a
  /// filter that is not the one that was opened.
  void tell_scopes() {
    if (!world_.runs_host()) return;
    std::map<std::string, std::string> scopes;
    for (const std::size_t root : roots_) {
      if (root >= process_.objects().size()) continue;
      const std::vector<std::size_t>& members = process_.objects()[root].scope;
      if (members.empty()) continue;
      std::string scope;
      for (const std::size_t member : members) {
        const LoadedObject& one = process_.objects()[member];
        if (one.file) scope += " " + one.opened;
      }
      scopes[process_.objects()[members.front()].opened] = std::move(scope);
    }
    for (const auto& [object, scope] : scopes) lines_.push_back("scope " + object + ":" + scope);
  }

  const World& world_;
  const std::string& root_;
  const bool musl_;
  Search search_;
  Process process_;
  std::vector<std::string> lines_;
  std::vector<std::string> opened_;
  std::vector<std::size_t> roots_;  ///< what dlopen brought, in order
  std::string failed_;
  std::size_t told_ = 0;
};

}  // namespace

Reading predict(const World& world, const ModelledWorld& modelled, const Machine& machine,
                const std::string& root, const std::string& libc) {
  const Machine whole = machine_of(world, machine, root, libc);
  const std::string path = root + "/" + world.program;
  const PathLookup program = modelled.tree->look_up(path);
  if (program.kind != PathKind::file) return {{"the program is missing"}};
  // The kernel shows a program under the path that all links lead to; the loader under its own.
  const std::string& real = modelled.tree->files()[program.file].path;
  return Prediction(world, modelled, whole, root).run(program.file, world.by_kernel ? real : path);
}

}  // namespace wheelcheck::worlds
