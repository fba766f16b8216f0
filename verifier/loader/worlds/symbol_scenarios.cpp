#include "verifier/loader/worlds/symbol_scenarios.h"

#include "verifier/loader/worlds/scenario_builder.h"

namespace wheelcheck::worlds {

namespace {

using S = ScenarioBuilder;
using List = std::vector<World>;

const S::Lib kNeedsA{{"liba.so"}, "", "$ORIGIN"};
const S::Lib kNeedsAb{{"liba.so", "libb.so"}, "", "$ORIGIN"};

/// A library that is opened by the host and needs what follows.
S opening(const char* title, const S::Lib& root = kNeedsA) {
  return S(title).host().open("@/pkg/ext.so").lib("pkg/ext.so", root);
}

void scopes(List& all) {
  all.push_back(opening("the first definer in the order of NEEDED serves", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .defines("f"));
  all.push_back(opening("the order of loading is breadth first", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so", {{"libc1.so"}, "", "$ORIGIN"})
                    .lib("pkg/libb.so")
                    .defines("f")
                    .lib("pkg/libc1.so")
                    .defines("f"));
  all.push_back(opening("the first unused definer serves nobody", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("g")
                    .lib("pkg/libb.so")
                    .defines("f"));
  all.push_back(opening("nothing defines it").uses("f").lib("pkg/liba.so").defines("ff"));
  all.push_back(opening("nothing defines what no relocation names")
                    .uses("f")
                    .with([](WorldSymbol& one) { one.used = false; })
                    .lib("pkg/liba.so"));
  all.push_back(
      opening("nothing need define a weak reference").uses("f").weak().lib("pkg/liba.so"));
  all.push_back(opening("a weak reference is bound to what is there")
                    .uses("f")
                    .weak()
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(opening("a weak definition of its own that serves nobody")
                    .defines("f")
                    .weak()
                    .used()
                    .with([](WorldSymbol& one) { one.zero = true; })
                    .lib("pkg/liba.so"));
  all.push_back(opening("a weak definition serves before a strong one", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .weak()
                    .lib("pkg/libb.so")
                    .defines("f"));
  all.push_back(
      opening("a library's own definition is taken from whoever comes before it", kNeedsAb)
          .lib("pkg/liba.so")
          .defines("f")
          .lib("pkg/libb.so")
          .defines("f")
          .used());
  all.push_back(opening("a protected definition stays the library's own", kNeedsAb)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .defines("f")
                    .visible(SymbolVisibility::protected_)
                    .used());
  all.push_back(opening("a symbolic library takes its own definition first", kNeedsAb)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .symbolic()
                    .defines("f")
                    .used());
  all.push_back(opening("a symbolic library finds elsewhere what it does not define", kNeedsAb)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .symbolic()
                    .uses("f"));
  all.push_back(opening("a symbolic library serves others like any", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .symbolic()
                    .defines("f"));
  all.push_back(S("a unique definition that is met by one that keeps its own serves ever after")
                    .host()
                    .open("@/pkg/ext.so")
                    .open("@/pkg/other.so")
                    .lib("pkg/ext.so", kNeedsAb)
                    .lib("pkg/liba.so")
                    .defines("u")
                    .unique()
                    .lib("pkg/libb.so")
                    .defines("u")
                    .unique()
                    .visible(SymbolVisibility::protected_)
                    .used()
                    .lib("pkg/other.so")
                    .defines("u")
                    .unique()
                    .used());
  all.push_back(opening("a protected definition serves others")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .visible(SymbolVisibility::protected_));
  for (const SymbolVisibility visibility : {SymbolVisibility::hidden, SymbolVisibility::internal}) {
    all.push_back(opening("a definition that is not visible serves nobody", kNeedsAb)
                      .uses("f")
                      .lib("pkg/liba.so")
                      .defines("f")
                      .visible(visibility)
                      .lib("pkg/libb.so")
                      .defines("f"));
    all.push_back(opening("nothing but a definition that is not visible")
                      .uses("f")
                      .lib("pkg/liba.so")
                      .defines("f")
                      .visible(visibility));
  }
  all.push_back(S("what was opened locally serves no other")
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext.so")
                    .uses("f"));
  all.push_back(S("what was opened for all serves those that come later")
                    .host()
                    .share("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext.so")
                    .uses("f"));
  all.push_back(S("what was opened for all shares its closure as well")
                    .host()
                    .share("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so", kNeedsA)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext2.so")
                    .uses("f"));
  all.push_back(S("what was opened for all comes before the own closure")
                    .host()
                    .share("@/pkg/libb.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/libb.so")
                    .defines("f")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(S("a local library that another needs as well serves both")
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f"));
  all.push_back(S("opened again, this time for all")
                    .host()
                    .open("@/pkg/liba.so")
                    .share("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext.so")
                    .uses("f"));
  all.push_back(S("a library is bound when it is loaded and never again")
                    .host()
                    .open("@/pkg/ext1.so")
                    .share("@/pkg/libb.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so", kNeedsA)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .used()
                    .lib("pkg/libb.so")
                    .defines("f")
                    .lib("pkg/ext2.so", kNeedsA));
  all.push_back(S("a dlopen that fails takes its definitions away again")
                    .host()
                    .share("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so", kNeedsA)
                    .uses("gone")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext2.so")
                    .uses("f"));
  all.push_back(S("a preload comes before everything that is needed")
                    .host()
                    .preload("@/pkg/pre.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/pre.so")
                    .defines("f")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .used());
  all.push_back(S("preloads serve in their order, with what they need behind them")
                    .host()
                    .preload("@/pkg/pre1.so")
                    .preload("@/pkg/pre2.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/pre1.so", kNeedsA)
                    .lib("pkg/pre2.so")
                    .defines("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/ext.so")
                    .uses("f"));
  all.push_back(S("a preload comes before what the program needs")
                    .preload("@/pkg/pre.so")
                    .lib("pkg/pre.so")
                    .defines("f")
                    .root(kNeedsA)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f"));
}

void kinds(List& all) {
  const struct {
    const char* title;
    SymbolType type;
  } types[] = {{"a function", SymbolType::function},
               {"data", SymbolType::object},
               {"a definition of no type", SymbolType::none},
               {"a common", SymbolType::common},
               {"a section", SymbolType::section},
               {"a function that chooses its address", SymbolType::ifunc}};
  for (const auto& [title, type] : types) {
    all.push_back(opening(title, kNeedsAb)
                      .uses("f")
                      .lib("pkg/liba.so")
                      .defines("f")
                      .typed(type)
                      .lib("pkg/libb.so")
                      .defines("f"));
  }
  all.push_back(opening("nothing but a function that chooses its address")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .typed(SymbolType::ifunc));
  all.push_back(opening("storage of threads")
                    .uses("t")
                    .typed(SymbolType::tls)
                    .lib("pkg/liba.so")
                    .defines("t")
                    .typed(SymbolType::tls));
  all.push_back(opening("storage of threads that nothing defines")
                    .uses("t")
                    .typed(SymbolType::tls)
                    .lib("pkg/liba.so"));
  all.push_back(opening("a definition at address 0 serves nobody", kNeedsAb)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .with([](WorldSymbol& one) { one.zero = true; })
                    .lib("pkg/libb.so")
                    .defines("f"));
  for (const bool zero : {true, false}) {
    all.push_back(opening(zero ? "an absolute definition at address 0" : "an absolute definition")
                      .uses("f")
                      .lib("pkg/liba.so")
                      .defines("f")
                      .with([zero](WorldSymbol& one) {
                        one.absolute = true;
                        one.zero = zero;
                      }));
  }
  const auto copied = [](WorldSymbol& one) {
    one.copied = one.used = true;
    one.type = SymbolType::object;
  };
  all.push_back(S("a program's copy of what a library defines")
                    .root(kNeedsA)
                    .defines("f")
                    .with(copied)
                    .lib("pkg/liba.so")
                    .defines("f")
                    .typed(SymbolType::object)
                    .used());
  all.push_back(S("a program's copy of what nothing defines")
                    .root(kNeedsA)
                    .defines("f")
                    .with(copied)
                    .lib("pkg/liba.so"));
  all.push_back(
      opening("a function that is called").uses("f").called().lib("pkg/liba.so").defines("f"));
  all.push_back(opening("a function that is called and that nothing defines")
                    .uses("f")
                    .called()
                    .lib("pkg/liba.so"));
  all.push_back(S("a unique definition is one for all that are opened")
                    .host()
                    .open("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so")
                    .defines("u")
                    .unique()
                    .used()
                    .lib("pkg/ext2.so")
                    .defines("u")
                    .unique()
                    .used());
  all.push_back(S("a unique definition that went away with a failed dlopen")
                    .host()
                    .open("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so")
                    .uses("gone")
                    .defines("u")
                    .unique()
                    .used()
                    .lib("pkg/ext2.so")
                    .defines("u")
                    .unique()
                    .used());
}

void versions(List& all) {
  all.push_back(opening("the version that is wanted")
                    .uses("f@V1:liba.so")
                    .uses("f@V2:liba.so")
                    .lib("pkg/liba.so")
                    .versions({"V1", "V2"})
                    .defines("f@V1")
                    .defines("f@@V2"));
  all.push_back(opening("no other version will do, default or not", kNeedsAb)
                    .uses("f@V2:libb.so")
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .defines("f@@V1")
                    .lib("pkg/libb.so")
                    .versions({"V1", "V2"})
                    .defines("f@V1"));
  all.push_back(opening("the version that is wanted, of another file", kNeedsAb)
                    .uses("f@V1:libb.so")
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .defines("f@@V1")
                    .lib("pkg/libb.so")
                    .versions({"V1"})
                    .defines("f@@V1"));
  all.push_back(opening("a definition without version among others that have one")
                    .uses("f@V1:liba.so")
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .defines("f"));
  all.push_back(opening("a hidden definition without version among others that have one")
                    .uses("f@V1:liba.so")
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .defines("f")
                    .with([](WorldSymbol& one) { one.version_hidden = true; }));
  all.push_back(opening("a version of a file, from another that has no versions", kNeedsAb)
                    .uses("f@V1:libb.so")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .versions({"V1"})
                    .defines("g@@V1"));
  all.push_back(opening("a version of a file that has none at all")
                    .uses("f@V1:liba.so")
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(opening("a version of a file that needs versions and defines none")
                    .uses("f@V1:liba.so")
                    .lib("pkg/liba.so", {{"libb.so"}, "", "$ORIGIN"})
                    .needs_version("libb.so", "B1")
                    .defines("f")
                    .lib("pkg/libb.so")
                    .versions({"B1"}));
  all.push_back(opening("without a version: the file's first one, even hidden")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .versions({"V1", "V2"})
                    .defines("f@@V2")
                    .defines("f@V1"));
  all.push_back(opening("without a version: a later default")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .versions({"V1", "V2", "V3"})
                    .defines("f@V2")
                    .defines("f@@V3"));
  all.push_back(opening("without a version: nothing but later ones that are no default")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .versions({"V1", "V2"})
                    .defines("f@V2"));
  all.push_back(opening("without a version: two later defaults")
                    .uses("f")
                    .lib("pkg/liba.so")
                    .versions({"V1", "V2", "V3"})
                    .defines("f@@V2")
                    .defines("f@@V3"));
  all.push_back(opening("a file's own later version")
                    .defines("f@@V2")
                    .used()
                    .versions({"V1", "V2"})
                    .lib("pkg/liba.so"));
  all.push_back(opening("a version that the file lacks")
                    .needs_version("liba.so", "V2")
                    .lib("pkg/liba.so")
                    .versions({"V1"}));
  all.push_back(opening("a version that the file lacks, needed weakly")
                    .needs_version("liba.so", "V2", true)
                    .lib("pkg/liba.so")
                    .versions({"V1"}));
  all.push_back(opening("a version that the file lacks, as it defines none")
                    .needs_version("liba.so", "V2")
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(opening("a version of a file that no NEEDED names")
                    .needs_version("libgone.so", "V1")
                    .lib("pkg/liba.so"));
  all.push_back(opening("a version of a file that another's NEEDED names")
                    .needs_version("libb.so", "V1")
                    .lib("pkg/liba.so", {{"libb.so"}, "", "$ORIGIN"})
                    .lib("pkg/libb.so")
                    .versions({"V1"}));
  all.push_back(S("a version of a file that was opened locally")
                    .host()
                    .open("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so", kNeedsA)
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .lib("pkg/ext2.so")
                    .needs_version("liba.so", "V1"));
  all.push_back(S("a version that a file which was opened locally lacks")
                    .host()
                    .open("@/pkg/ext1.so")
                    .open("@/pkg/ext2.so")
                    .lib("pkg/ext1.so", kNeedsA)
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .lib("pkg/ext2.so")
                    .needs_version("liba.so", "V2"));
  all.push_back(S("a version of a SONAME that nobody asked for")
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so", {{}, "", "", "liba.so.1"})
                    .versions({"V1"})
                    .lib("pkg/ext.so")
                    .needs_version("liba.so.1", "V1"));
  all.push_back(S("a version of a SONAME that somebody asked for")
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/ext.so")
                    .lib("pkg/liba.so", {{}, "", "", "liba.so.1"})
                    .versions({"V1"})
                    .lib("pkg/ext.so", {{"liba.so.1"}})
                    .needs_version("liba.so.1", "V1"));
}

/// RTLD_DEEPBIND.
void deep(List& all) {
  all.push_back(S("bound deeply, what is opened comes before what is shared")
                    .host()
                    .share("@/pkg/shared.so")
                    .deeply("@/pkg/ext.so")
                    .lib("pkg/shared.so")
                    .defines("f")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(S("bound deeply, what is shared serves still")
                    .host()
                    .share("@/pkg/shared.so")
                    .deeply("@/pkg/ext.so")
                    .lib("pkg/shared.so")
                    .defines("f")
                    .lib("pkg/ext.so")
                    .uses("f"));
  all.push_back(S("bound deeply, a symbolic library has no way of its own")
                    .host()
                    .deeply("@/pkg/ext.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .defines("f")
                    .lib("pkg/liba.so")
                    .symbolic()
                    .defines("f")
                    .used());
  all.push_back(S("bound deeply, what is opened comes in its own order, whatever was preloaded")
                    .host()
                    .deeply("@/pkg/ext.so")
                    .preload("@/pkg/liba.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .defines("f")
                    .used()
                    .lib("pkg/liba.so")
                    .defines("f"));
  all.push_back(S("bound deeply, what was there before stays as it was")
                    .host()
                    .share("@/pkg/shared.so")
                    .open("@/pkg/liba.so")
                    .deeply("@/pkg/ext.so")
                    .lib("pkg/shared.so")
                    .defines("f")
                    .lib("pkg/liba.so")
                    .defines("f")
                    .used()
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f"));
}

void lazy(List& all) {
  all.push_back(S("bound lazily, a function need not be there")
                    .host()
                    .lazily("@/pkg/ext.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .called()
                    .lib("pkg/liba.so")
                    .uses("g")
                    .called());
  all.push_back(S("bound lazily, data must be there")
                    .host()
                    .lazily("@/pkg/ext.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .lib("pkg/liba.so"));
  all.push_back(S("bound lazily, a function whose address is taken must be there")
                    .host()
                    .lazily("@/pkg/ext.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f")
                    .called()
                    .uses("f")
                    .lib("pkg/liba.so"));
  all.push_back(S("bound lazily, a version must be there")
                    .host()
                    .lazily("@/pkg/ext.so")
                    .lib("pkg/ext.so", kNeedsA)
                    .uses("f@V2:liba.so")
                    .called()
                    .lib("pkg/liba.so")
                    .versions({"V1"})
                    .defines("f@@V1"));
}

/// The same with a library as the program, of which a loader that lists tells everything.
void listed(List& all) {
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    World world = all[i];
    if (!world.runs_host() || world.opens.size() != 1) continue;
    world.title = "listed: " + world.title;
    world.program = "pkg/ext.so";
    world.opens.clear();
    all.push_back(std::move(world));
  }
}

}  // namespace

std::vector<World> symbol_scenarios(LoaderKind loader) {
  List all;
  scopes(all);
  kinds(all);
  versions(all);
  if (loader == LoaderKind::glibc) {
    lazy(all);
    deep(all);
  }
  listed(all);
  for (World& world : all) world.loader = loader;
  return all;
}

}  // namespace wheelcheck::worlds
