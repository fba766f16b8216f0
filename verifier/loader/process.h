#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "verifier/core/string_map.h"
#include "verifier/loader/search.h"

namespace wheelcheck {

/// How an object asks for another.
enum class RequestKind {
  needed,
  auxiliary,  ///< DT_AUXILIARY: it may be missing
  filter,     ///< DT_FILTER
  opened      ///< dlopen
};

/// One name that some object of a process asked for, and how it came out.
struct Request {
  std::optional<std::size_t> object;  ///< that has it as NEEDED; nothing: dlopen
  RequestKind kind = RequestKind::needed;
  std::size_t index = 0;    ///< of the NEEDED
  std::string name;         ///< as written
  std::string wanted;       ///< what it was looked for by: tokens replaced
  std::string asker;        ///< the path that the object, or dlopen's caller, was opened by
  bool reused = false;      ///< an object that was there had the name: nothing was opened
  bool new_object = false;  ///< the file was not there under any other name
  std::optional<std::size_t> result;  ///< index into Process::objects()
  SearchOutcome search;               ///< empty when `reused`, unless Process searches always
};

/// What a process does about a name for which there is nothing.
enum class WhenMissing {
  go_on,           ///< see everything that is missing
  stop_at_damage,  ///< as a loader that lists: a missing file is told, a damaged one ends it
  fail             ///< a dlopen leaves nothing behind, a program does not start
};

/// An object of a process.
struct LoadedObject {
  std::optional<std::size_t> file;    ///< index into InstallTree::files(); nothing: system library
  std::string opened;                 ///< the path it was opened by; a system library's name
  std::optional<std::size_t> loader;  ///< the object that brought it in
  std::optional<std::size_t> first_asker;  ///< file that named it first
  /// By which others asked for it; they reuse it by these and by its SONAME.
  std::vector<std::string> names;
  bool walked = false;             ///< its NEEDED have been asked for
  std::vector<std::size_t> needs;  ///< the objects its NEEDED got, in order
  std::vector<std::size_t> scope;  ///< of an object that was opened: its closure, in order
};

/// An object in which symbols are looked for.
struct ScopeMember {
  std::size_t object = 0;           ///< index into Process::objects()
  std::optional<std::size_t> file;  ///< index into InstallTree::files(); nothing: system library
  std::vector<std::string> names;   ///< it answers to; the last is the path it was opened by
};

/// What one process holds, and how a loader adds to it: the program, then what is opened one after
/// the other. Follows _dl_map_object_deps and dl_open_worker of glibc, load_library, load_deps and
/// dlopen of musl.
class Process {
 public:
  struct Options {
    WhenMissing when_missing = WhenMissing::go_on;
    /// Search for names that are reused as well, to tell what the object finds by itself.
    bool search_always = false;
    std::uint64_t budget = 20'000'000;  ///< places looked at
  };
  Process(Search& search, Options options);

  /// The program that the process runs: a file of the tree, under the path it was started by.
  /// False: it cannot start.
  /// `preloads`: names as in LD_PRELOAD, which come before all that the program needs.
  bool start(std::size_t file, std::string opened, const std::vector<std::string>& preloads = {});
  /// What dlopen does with `name` when code of `caller` calls it; nothing: outside of the tree.
  /// The answer is the object, or nothing.
  std::optional<std::size_t> open(std::string_view name, std::optional<std::size_t> caller);
  /// What dlopen with RTLD_GLOBAL does in the end: all that is opened later looks for symbols in
  /// `object` and its closure as well.
  void share(std::size_t object);
  /// Takes away what the dlopen brought that began with so many objects.
  void take_back(std::size_t objects);
  /// What dlopen would find, without opening it: where code of `caller`, an object, gives it
  /// `name`.
  [[nodiscard]] Request ask(std::string_view name, std::size_t caller);
  /// Opens a file of the tree by its own path, as Python does with an extension.
  std::optional<std::size_t> open_file(std::size_t file);

  [[nodiscard]] const std::vector<LoadedObject>& objects() const { return objects_; }
  /// One place in the loader's list of objects.
  struct Place {
    std::optional<std::size_t> object;  ///< nothing: a name for which there is no file
    std::string missing;                ///< that name
  };
  /// The list: objects as they came, but filters behind what they stand for.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<std::size_t>& preloaded() const { return preloaded_; }
  /// The objects in which `object`, which was opened, and all that it brought with it look for
  /// symbols, in order: those of the program and what is shared, then `object` and its closure.
  [[nodiscard]] std::vector<ScopeMember> scope_of(std::size_t object) const;
  /// In the order in which the loader met them.
  [[nodiscard]] std::vector<Request>& requests() { return requests_; }
  [[nodiscard]] bool over_budget() const { return looked_at_ > options_.budget; }
  [[nodiscard]] std::uint64_t looked_at() const { return looked_at_; }

 private:
  [[nodiscard]] bool follows(LoaderRule rule) const { return search_.follows(rule); }
  [[nodiscard]] bool is_musl() const { return search_.tree().loader() == LoaderKind::musl; }
  [[nodiscard]] const ElfFacts* elf_of(std::size_t object) const;
  [[nodiscard]] std::vector<Carrier> chain_of(std::optional<std::size_t> object) const;
  [[nodiscard]] std::optional<std::size_t> known_as(std::string_view name) const;
  std::size_t add(LoadedObject object);
  void name(std::size_t object, std::string name);
  std::optional<std::size_t> load(Request& request, std::optional<std::size_t> asker,
                                  std::optional<std::size_t> loader, bool by_dlopen);
  std::optional<std::size_t> take(Request& request, const std::string& wanted,
                                  std::optional<std::size_t> asker,
                                  std::optional<std::size_t> loader);
  std::optional<std::size_t> finish_open(std::optional<std::size_t> object, std::size_t before);
  /// Loads what `object` needs and what that needs. False: something is missing.
  bool load_closure(std::size_t object, bool by_dlopen);
  bool load_needs(std::size_t object, bool by_dlopen, std::vector<std::size_t>& scope);
  /// What `object`, at `at` in the scope, stands for comes before it in the scope.
  bool load_filters(std::size_t object, bool by_dlopen, std::vector<std::size_t>& scope,
                    std::size_t at);
  void place_before(std::size_t object, std::optional<std::size_t> filtered);
  void remove_from(std::size_t first);
  void index(std::size_t object);

  Search& search_;
  const Options options_;
  std::vector<LoadedObject> objects_;
  std::vector<Place> places_;
  std::vector<Request> requests_;
  StringMap<std::size_t> names_;
  std::unordered_map<std::size_t, std::size_t> by_file_;
  std::optional<std::size_t> program_;
  std::vector<std::size_t> preloaded_;
  std::vector<std::size_t> global_;  ///< in which every object looks for symbols
  std::uint64_t looked_at_ = 0;
};

}  // namespace wheelcheck
