// Wheels, as installers lay them down: purelib and platlib in one directory, or each in its own.
#include "verifier/loader/worlds/scenario_builder.h"
#include "verifier/loader/worlds/scenarios.h"

namespace wheelcheck::worlds {

namespace {

using S = ScenarioBuilder;
constexpr Scheme kPure = Scheme::purelib;
constexpr Scheme kPlat = Scheme::platlib;

/// What has the same end in both layouts, and what has not.
void add_in(SitePackagesLayout layout, std::vector<World>& all) {
  const std::string in = layout == SitePackagesLayout::split ? ", in two directories" : "";
  const auto wheel = [&](const std::string& title) { return S(title + in).layout(layout); };
  all.push_back(wheel("a hop inside of one scheme")
                    .member(kPlat, "pkg.libs/liba.so")
                    .root_member(kPlat, "pkg/ext.so", {{"liba.so"}, "", "$ORIGIN/../pkg.libs"}));
  for (const Scheme scheme : {kPure, kPlat}) {
    const Scheme other = scheme == kPure ? kPlat : kPure;
    const std::string from = scheme == kPure ? " from purelib" : " from platlib";
    all.push_back(wheel("a hop to a library that the other scheme has" + from)
                      .member(other, "pkg.libs/liba.so")
                      .member(scheme, "pkg/py.so")
                      .root_member(scheme, "pkg/ext.so", {{"liba.so"}, "", "$ORIGIN/../pkg.libs"}));
    all.push_back(
        wheel("a hop to another package's library that needs the other scheme" + from)
            .member(other, "low/lib/liblow.so")
            .member(scheme, "mid/lib/libmid.so", {{"liblow.so"}, "", "$ORIGIN/../../low/lib"})
            .root_member(scheme, "top/ext.so", {{"libmid.so"}, "", "$ORIGIN/../mid/lib"}));
    all.push_back(
        wheel("RPATH leads through the prefix to what purelib has" + from)
            .member(kPure, "low/lib/liblow.so")
            .root_member(scheme, "top/ext.so",
                         {{"liblow.so"}, "$ORIGIN/../../../../lib/python3/site-packages/low/lib"}));
    const std::string opened = "@/" + installed(layout, scheme, "top/ext.so");
    all.push_back(wheel("what Python opened by its path before serves the other scheme" + from)
                      .member(other, "low/lib/liblow.so", {{}, "", "", "liblow.so"})
                      .member(scheme, "top/ext.so", {{"liblow.so"}, "", "$ORIGIN/../low/lib"})
                      .host()
                      .open(opened)
                      .open("@/" + installed(layout, other, "low/lib/liblow.so"))
                      .open(opened));
  }
}

}  // namespace

std::vector<World> wheel_scenarios() {
  std::vector<World> all;
  add_in(SitePackagesLayout::joined, all);
  add_in(SitePackagesLayout::split, all);
  all.push_back(S("two directories with the same file each: their own is found")
                    .layout(SitePackagesLayout::split)
                    .member(kPure, "pkg.libs/liba.so")
                    .member(kPlat, "pkg.libs/liba.so", {{"libb.so"}, "", "$ORIGIN/../other.libs"})
                    .member(kPure, "other.libs/libb.so")
                    .root_member(kPlat, "pkg/ext.so", {{"liba.so"}, "", "$ORIGIN/../pkg.libs"}));
  all.push_back(S("lib64 of a virtual environment is a link to lib: one directory by two names")
                    .member(kPure, "low/lib/liblow.so")
                    .root_member(kPlat, "top/ext.so", {{"liblow.so"}, "", "$ORIGIN/../low/lib"})
                    .link("lib64", "lib")
                    .program("lib64/python3/site-packages/top/ext.so"));
  return all;
}

}  // namespace wheelcheck::worlds
