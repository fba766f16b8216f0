#include "verifier/loader/worlds/differential.h"

#include <algorithm>

#include "verifier/loader/worlds/prediction.h"

namespace wheelcheck::worlds {

namespace {

/// `text` without its element number `index`; nothing when there is none.
std::optional<std::string> without_element(const std::string& text, std::size_t index) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < index; ++i) {
    at = text.find(':', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  const std::size_t end = text.find(':', at);
  if (end == std::string::npos) return at == 0 ? std::string() : text.substr(0, at - 1);
  return text.substr(0, at) + text.substr(end + 1);
}

class Shrinker {
 public:
  Shrinker(const Compare& compare, Disagreement found)
      : compare_(compare), best_(std::move(found)) {}

  Disagreement run() {
    for (int round = 0; round < 4 && round_shrinks(); ++round) {
    }
    return std::move(best_);
  }

 private:
  bool keep_if_wrong(const World& world) {
    auto compared = compare_(world);
    if (!compared || !compared->disagreement) return false;
    best_ = *std::move(compared->disagreement);
    return true;
  }

  /// Erases one after the other of the list that `list` finds in a world.
  template <class List>
  bool erase_each(List list) {
    bool any = false;
    for (std::size_t i = list(best_.world).size(); i-- > 0;) {
      World less = best_.world;
      auto& items = list(less);
      if (i >= items.size()) continue;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      if (less.find(less.program) == nullptr) continue;
      any = keep_if_wrong(less) || any;
    }
    return any;
  }

  bool shorten(std::size_t file) {
    bool any = false;
    for (const auto part : {&WorldFile::rpath, &WorldFile::runpath}) {
      for (std::size_t i = 0; best_.world.files[file].*part; ++i) {
        World less = best_.world;
        const auto shorter = without_element(*(less.files[file].*part), i);
        if (!shorter) break;
        less.files[file].*part = shorter->empty() ? std::nullopt : shorter;
        if (!keep_if_wrong(less)) continue;
        any = true;
        --i;
        if (!(best_.world.files[file].*part)) break;
      }
    }
    return any;
  }

  bool round_shrinks() {
    bool any = erase_each([](World & world) -> auto& { return world.files; });
    any = erase_each([](World & world) -> auto& { return world.opens; }) || any;
    any = erase_each([](World & world) -> auto& { return world.cache; }) || any;
    any = erase_each([](World & world) -> auto& { return world.preloads; }) || any;
    for (std::size_t file = 0; file < best_.world.files.size(); ++file) {
      any = erase_each([file](World & world) -> auto& { return world.files[file].needed; }) || any;
      any = erase_each([file](World & world) -> auto& { return world.files[file].symbols; }) || any;
      any =
          erase_each([file](World & world) -> auto& { return world.files[file].version_needs; }) ||
          any;
      any = shorten(file) || any;
    }
    World less = best_.world;
    less.ld_library_path.clear();
    return keep_if_wrong(less) || any;
  }

  const Compare& compare_;
  Disagreement best_;
};

}  // namespace

Result<Comparison> compare(RealLoader& loader, const World& world, const LoaderRules& off) {
  auto contents = contents_of(world, loader.templates(), loader.root());
  if (!contents) return contents.error();
  return compare_contents(loader, world, *contents, off);
}

Result<Comparison> compare_contents(RealLoader& loader, const World& world,
                                    const std::vector<std::string>& contents,
                                    const LoaderRules& off) {
  if (auto done = lay_down(world, contents, loader.root()); !done) return done.error();
  auto real = loader.read(world);
  if (!real) return real.error();
  const ModelledWorld modelled =
      model(world, contents, loader.root(), loader.libc(), loader.links());
  Machine machine = loader.machine();
  machine.off = off;
  Reading predicted = predict(world, modelled, machine, loader.root(), loader.libc());
  Comparison comparison;
  comparison.lines = real->lines.size();
  if (*real != predicted) {
    comparison.disagreement = Disagreement{world, *std::move(real), std::move(predicted)};
  }
  return comparison;
}

Disagreement shrink(RealLoader& loader, Disagreement found, const LoaderRules& off) {
  return shrink([&](const World& world) { return compare(loader, world, off); }, std::move(found));
}

Disagreement shrink(const Compare& compare, Disagreement found) {
  return Shrinker(compare, std::move(found)).run();
}

std::string describe(const Disagreement& disagreement, const std::string& root) {
  std::string text = describe(disagreement.world);
  const auto& real = disagreement.real.lines;
  const auto& predicted = disagreement.predicted.lines;
  std::size_t same = 0;
  while (same < real.size() && same < predicted.size() && real[same] == predicted[same]) ++same;
  const auto tell = [&](const std::string& who, const std::string& line) {
    std::string shown = line;
    for (std::size_t at = shown.find(root); at != std::string::npos; at = shown.find(root)) {
      shown.replace(at, root.size(), 1, kRoot);
    }
    text += "    " + who + shown + "\n";
  };
  for (std::size_t i = 0; i < same; ++i) tell("both:  ", real[i]);
  for (std::size_t i = same; i < real.size(); ++i) tell("REAL:  ", real[i]);
  for (std::size_t i = same; i < predicted.size(); ++i) tell("MODEL: ", predicted[i]);
  return text;
}

}  // namespace wheelcheck::worlds
