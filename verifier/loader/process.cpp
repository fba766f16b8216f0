#include "verifier/loader/process.h"

#include <algorithm>
#include <array>

namespace wheelcheck {

namespace {

/// The loader is an object of each process from the start and answers to its own name.
bool is_glibc_own(std::string_view name, std::uint16_t machine) {
  struct Loader {
    std::uint16_t machine;
    std::string_view name;
  };
  constexpr std::array<Loader, 5> kLoaders = {{{62, "ld-linux-x86-64.so.2"},
                                               {183, "ld-linux-aarch64.so.1"},
                                               {3, "ld-linux.so.2"},
                                               {40, "ld-linux-armhf.so.3"},
                                               {21, "ld64.so.2"}}};
  return std::any_of(kLoaders.begin(), kLoaders.end(), [&](const Loader& loader) {
    return loader.machine == machine && loader.name == name;
  });
}

/// musl takes no second C library in: what defines these two is answered with itself.
bool is_c_library(const ElfFacts& elf) {
  bool start = false;
  bool streams = false;
  for (const ElfSymbol& symbol : elf.dynamic_symbols) {
    if (!symbol.defined) continue;
    start = start || elf.name(symbol) == "__libc_start_main";
    streams = streams || elf.name(symbol) == "stdin";
  }
  return start && streams;
}

}  // namespace

Process::Process(Search& search, Options options) : search_(search), options_(options) {}

const ElfFacts* Process::elf_of(std::size_t object) const {
  const auto& file = objects_[object].file;
  return file ? search_.tree().files()[*file].elf : nullptr;
}

std::vector<Carrier> Process::chain_of(std::optional<std::size_t> object) const {
  std::vector<Carrier> chain;
  for (auto at = object; at; at = objects_[*at].loader) {
    const LoadedObject& carrier = objects_[*at];
    if (carrier.file) chain.push_back({*carrier.file, carrier.opened});
  }
  return chain;
}

std::optional<std::size_t> Process::known_as(std::string_view name) const {
  const auto found = names_.find(name);
  if (found == names_.end()) return std::nullopt;
  return found->second;
}

void Process::name(std::size_t object, std::string name) {
  if (name.empty()) return;
  names_.try_emplace(name, object);
  auto& names = objects_[object].names;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

std::size_t Process::add(LoadedObject object) {
  const std::size_t index = objects_.size();
  objects_.push_back(std::move(object));
  places_.push_back({index, {}});
  this->index(index);
  return index;
}

void Process::index(std::size_t object) {
  const auto& file = objects_[object].file;
  if (!file) return;
  if (!is_musl() || object != program_) by_file_.try_emplace(*file, object);
  const ElfFacts* elf = elf_of(object);
  if (!is_musl() && elf != nullptr && elf->soname && !elf->soname->empty() &&
      follows(LoaderRule::reuse_by_soname)) {
    names_.try_emplace(*elf->soname, object);
  }
}

void Process::remove_from(std::size_t first) {
  objects_.resize(first);
  std::erase_if(places_,
                [&](const Place& place) { return !place.object || *place.object >= first; });
  names_.clear();
  by_file_.clear();
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    index(i);
    for (const std::string& known : objects_[i].names) names_.try_emplace(known, i);
  }
  std::erase_if(global_, [&](std::size_t object) { return object >= first; });
}

std::optional<std::size_t> Process::take(Request& request, const std::string& wanted,
                                         std::optional<std::size_t> asker,
                                         std::optional<std::size_t> loader) {
  const SearchOutcome& found = request.search;
  const auto asker_file = asker ? objects_[*asker].file : std::nullopt;
  const bool by_path = found.attempts.back().tag == SearchTag::literal;
  const std::string& opened = found.attempts.back().path;
  if (!found.file) {  // a system library, of which there is no more than the name
    LoadedObject object;
    object.opened = opened;
    object.loader = loader;
    object.first_asker = asker_file;
    const std::size_t index = add(std::move(object));
    name(index, opened);
    request.new_object = true;
    return index;
  }
  const auto base = [](std::string_view path) { return std::string(base_name_of(path)); };
  const bool has_name = !by_path || !follows(LoaderRule::no_name_by_path);
  const auto same = by_file_.find(*found.file);
  if (same != by_file_.end() && follows(LoaderRule::reuse_by_file)) {
    LoadedObject& object = objects_[same->second];
    if (is_musl()) {  // it gets the name it would have had, if it has none yet
      if (object.names.empty() && has_name) name(same->second, base(object.opened));
    } else if (follows(LoaderRule::name_of_same_file)) {
      name(same->second, wanted);
    }
    return same->second;
  }
  const TreeFile& file = search_.tree().files()[*found.file];
  if (is_musl() && file.elf != nullptr && is_c_library(*file.elf)) {
    if (const auto libc = known_as("libc.so")) return libc;
    LoadedObject object;
    object.opened = "libc.so";
    const std::size_t index = add(std::move(object));
    name(index, "libc.so");
    return index;
  }
  LoadedObject object;
  object.file = found.file;
  object.opened = opened;
  object.loader = loader;
  object.first_asker = asker_file;
  const std::size_t index = add(std::move(object));
  if (is_musl()) {
    if (has_name && follows(LoaderRule::reuse_by_name)) name(index, base(opened));
  } else {
    const bool kept = follows(by_path ? LoaderRule::reuse_by_path : LoaderRule::reuse_by_name);
    if (kept) name(index, wanted);
    if (follows(LoaderRule::reuse_by_path)) name(index, opened);
  }
  request.new_object = true;
  return index;
}

std::optional<std::size_t> Process::load(Request& request, std::optional<std::size_t> asker,
                                         std::optional<std::size_t> loader, bool by_dlopen) {
  const std::vector<Carrier> chain = chain_of(asker);
  Asker who;
  who.chain = chain;
  who.by_dlopen = by_dlopen;
  if (program_) who.program = Carrier{*objects_[*program_].file, objects_[*program_].opened};
  // The name that dlopen is given is compared as it stands.
  const std::string wanted = request.object ? search_.expanded(request.name, who) : request.name;
  request.wanted = wanted;
  if (asker) request.asker = objects_[*asker].opened;
  const bool own = !is_musl() && asker && elf_of(*asker) != nullptr &&
                   is_glibc_own(wanted, elf_of(*asker)->machine);
  auto known = known_as(wanted);
  if (!known && own) {
    LoadedObject object;
    object.opened = wanted;
    known = add(std::move(object));
    name(*known, wanted);
  }
  const bool literal = is_musl() && search_.is_path(wanted);  // musl opens it and then compares
  if (known && !literal) {
    request.reused = true;
    if (!is_musl()) name(*known, wanted);
    if (options_.search_always) request.search = search_.find(request.name, who);
    looked_at_ += request.search.attempts.size();
    return known;
  }
  request.search = search_.find(request.name, who);
  looked_at_ += request.search.attempts.size();
  if (!request.search.found) return std::nullopt;
  return take(request, wanted, asker, loader);
}

bool Process::load_needs(std::size_t object, bool by_dlopen, std::vector<std::size_t>& scope) {
  const ElfFacts* elf = elf_of(object);
  if (elf == nullptr || objects_[object].walked) {
    for (const std::size_t need : objects_[object].needs) {
      if (std::find(scope.begin(), scope.end(), need) == scope.end()) scope.push_back(need);
    }
    return true;
  }
  objects_[object].walked = true;
  for (std::size_t index = 0; index < elf->needed.size(); ++index) {
    if (over_budget()) return true;
    Request request;
    request.object = object;
    request.index = index;
    request.name = elf->needed[index];
    const auto got = load(request, object, object, by_dlopen);
    request.result = got;
    const bool deeper = got && request.new_object && !follows(LoaderRule::breadth_first);
    const bool damaged = request.search.fatal;
    requests_.push_back(std::move(request));
    if (!got) {
      if (options_.when_missing == WhenMissing::fail) return false;
      if (damaged && options_.when_missing == WhenMissing::stop_at_damage) return false;
      places_.push_back({std::nullopt, requests_.back().wanted});
      continue;
    }
    objects_[object].needs.push_back(*got);
    if (std::find(scope.begin(), scope.end(), *got) == scope.end()) scope.push_back(*got);
    if (deeper && !load_needs(*got, by_dlopen, scope)) return false;
  }
  return true;
}

void Process::place_before(std::size_t object, std::optional<std::size_t> filtered) {
  const auto is = [](std::optional<std::size_t> wanted) {
    return [wanted](const Place& place) { return place.object == wanted; };
  };
  // A missing one is the last that came.
  auto from =
      filtered ? std::find_if(places_.begin(), places_.end(), is(filtered)) : places_.end() - 1;
  const auto to = std::find_if(places_.begin(), places_.end(), is(object));
  if (to < from) std::rotate(to, from, from + 1);
}

bool Process::load_filters(std::size_t object, bool by_dlopen, std::vector<std::size_t>& scope,
                           std::size_t at) {
  const ElfFacts* elf = elf_of(object);
  if (elf == nullptr || is_musl() || !follows(LoaderRule::filters)) return true;
  const auto ask = [&](const std::string& name, RequestKind kind) {
    if (over_budget()) return true;
    Request request;
    request.object = object;
    request.kind = kind;
    request.name = name;
    const auto got = load(request, object, object, by_dlopen);
    request.result = got;
    const bool damaged = request.search.fatal;
    requests_.push_back(std::move(request));
    if (!got) {
      const bool lists = options_.when_missing != WhenMissing::fail;
      if (lists && !damaged) {
        places_.push_back({std::nullopt, requests_.back().wanted});
        place_before(object, std::nullopt);
        return true;
      }
      return kind == RequestKind::auxiliary || options_.when_missing == WhenMissing::go_on;
    }
    const auto known = std::find(scope.begin(), scope.end(), *got);
    const auto index = static_cast<std::size_t>(known - scope.begin());
    if (index < at) return true;  // it comes before already
    if (known != scope.end()) scope.erase(known);
    scope.insert(scope.begin() + static_cast<std::ptrdiff_t>(at), *got);
    ++at;
    place_before(object, got);
    return true;
  };
  const auto ask_each = [&](const std::vector<std::string>& names, RequestKind kind) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return ask(name, kind); });
  };
  // The linker writes them in this order, behind every NEEDED.
  return ask_each(elf->filter, RequestKind::filter) &&
         ask_each(elf->auxiliary, RequestKind::auxiliary);
}

bool Process::load_closure(std::size_t object, bool by_dlopen) {
  std::vector<std::size_t> scope{object};
  if (object == program_) scope.insert(scope.end(), preloaded_.begin(), preloaded_.end());
  std::vector<std::size_t> done;
  bool complete = true;
  // Filters push what they stand for in before themselves, so the place may hold another one next.
  for (std::size_t next = 0; next < scope.size() && complete;) {
    const std::size_t here = scope[next];
    if (std::find(done.begin(), done.end(), here) != done.end()) {
      ++next;
      continue;
    }
    done.push_back(here);
    complete = load_needs(here, by_dlopen, scope) && load_filters(here, by_dlopen, scope, next);
  }
  objects_[object].scope = std::move(scope);
  return complete;
}

std::vector<ScopeMember> Process::scope_of(std::size_t object) const {
  std::vector<ScopeMember> members;
  std::vector<bool> seen(objects_.size(), false);
  const auto add_all = [&](const std::vector<std::size_t>& objects) {
    for (const std::size_t index : objects) {
      if (seen[index]) continue;
      seen[index] = true;
      ScopeMember& member = members.emplace_back();
      member.object = index;
      member.file = objects_[index].file;
      member.names = objects_[index].names;
      member.names.push_back(objects_[index].opened);
    }
  };
  add_all(global_);
  add_all(objects_[object].scope);
  return members;
}

bool Process::start(std::size_t file, std::string opened,
                    const std::vector<std::string>& preloads) {
  LoadedObject object;
  object.file = file;
  object.opened = opened;
  program_ = objects_.size();
  const std::size_t index = add(std::move(object));
  if (!is_musl()) name(index, std::move(opened));
  for (const std::string& preload : preloads) {
    Request request;
    request.name = preload;
    const auto got = load(request, index, index, false);
    request.result = got;
    requests_.push_back(std::move(request));
    const bool fresh = got && *got != index &&
                       std::find(preloaded_.begin(), preloaded_.end(), *got) == preloaded_.end();
    if (fresh) preloaded_.push_back(*got);  // what is missing is passed over
  }
  const bool complete = load_closure(index, false);
  global_ = objects_[index].scope;
  return complete;
}

void Process::share(std::size_t object) {
  for (const std::size_t member : objects_[object].scope) {
    if (std::find(global_.begin(), global_.end(), member) == global_.end()) {
      global_.push_back(member);
    }
  }
}

void Process::take_back(std::size_t objects) {
  if (objects < objects_.size()) remove_from(objects);
}

std::optional<std::size_t> Process::finish_open(std::optional<std::size_t> object,
                                                std::size_t before) {
  if (!object) return std::nullopt;
  if (*object < before && !objects_[*object].scope.empty()) return object;  // opened already
  if (load_closure(*object, true)) return object;
  if (*object < before) objects_[*object].scope.clear();
  if (follows(LoaderRule::undone_when_failed)) remove_from(before);
  return std::nullopt;
}

std::optional<std::size_t> Process::open(std::string_view name, std::optional<std::size_t> caller) {
  const std::size_t before = objects_.size();
  if (is_musl() || !follows(LoaderRule::caller_of_dlopen)) caller = program_;
  Request request;
  request.name = name;
  const bool orphan = !is_musl() && follows(LoaderRule::opened_has_no_loader);
  const auto got = load(request, caller, orphan ? std::nullopt : caller, true);
  request.result = got;
  requests_.push_back(std::move(request));
  return finish_open(got, before);
}

Request Process::ask(std::string_view name, std::size_t caller) {
  const std::vector<Carrier> chain = chain_of(caller);
  Asker who;
  who.chain = is_musl() ? std::span<const Carrier>() : std::span(chain);
  who.by_dlopen = true;
  if (program_) who.program = Carrier{*objects_[*program_].file, objects_[*program_].opened};
  Request request;
  request.kind = RequestKind::opened;
  request.name = name;
  request.wanted = name;
  request.asker = objects_[caller].opened;
  const auto known = known_as(name);
  request.search = search_.find(name, who);
  looked_at_ += request.search.attempts.size();
  if (known) {
    request.reused = true;
    request.result = known;
  }
  return request;
}

std::optional<std::size_t> Process::open_file(std::size_t file) {
  const auto same = by_file_.find(file);
  if (same != by_file_.end()) return finish_open(same->second, objects_.size());
  const std::size_t before = objects_.size();
  LoadedObject object;
  object.file = file;
  object.opened = search_.tree().files()[file].path;
  const std::string opened = object.opened;
  if (is_musl()) object.loader = program_;
  const std::size_t index = add(std::move(object));
  if (!is_musl()) name(index, opened);
  return finish_open(index, before);
}

}  // namespace wheelcheck
