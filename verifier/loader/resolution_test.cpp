#include "verifier/loader/resolution.h"

#include <gtest/gtest.h>

#include "rules/testing.h"

namespace wheelcheck {
namespace {

using testing::Elf;
using testing::WheelBuilder;

constexpr const char* kWheel = "pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl";
constexpr const char* kExtension = "pkg/ext.cpython-312-x86_64-linux-gnu.so";

/// A tree of one wheel, and questions about it by member path and NEEDED name.
class World {
 public:
  explicit World(WheelBuilder& builder, LoaderKind loader = LoaderKind::glibc,
                 std::vector<DeclaredPackage> declared = {})
      : wheel_(builder.build()),
        tree_(describe(loader, std::move(declared))),
        resolution_(resolve(tree_)) {}

  const Need& need(const std::string& member, const std::string& name) const {
    static const Need kMissing = [] {
      Need need;
      need.name = "no such need";
      return need;
    }();
    const auto file = tree_.file_of(member);
    const ObjectResolution* object = file ? resolution_.find(*file) : nullptr;
    if (object != nullptr) {
      for (const Need& need : object->needs) {
        if (need.name == name) return need;
      }
    }
    ADD_FAILURE() << member << " has no need " << name;
    return kMissing;
  }
  Verdict verdict(const std::string& member, const std::string& name) const {
    return need(member, name).verdict;
  }
  std::string found(const std::string& member, const std::string& name) const {
    const Need& wanted = need(member, name);
    return wanted.file ? tree_.display(tree_.files()[*wanted.file].path) : std::string();
  }
  bool is_root(const std::string& member) const {
    return resolution_.find(*tree_.file_of(member))->is_root;
  }
  const InstallTree& tree() const { return tree_; }
  const Resolution& resolution() const { return resolution_; }

 private:
  InstallTree::Description describe(LoaderKind loader, std::vector<DeclaredPackage> declared) {
    InstallTree::Description description;
    description.subject = &wheel_;
    description.declared = std::move(declared);
    description.loader = loader;
    description.system_libraries = {"libc.so.6", "libstdc++.so.6"};
    return description;
  }

  WheelFacts wheel_;
  InstallTree tree_;
  Resolution resolution_;
};

TEST(Glibc, RunpathOfTheRequesterFinds) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").needs("libc.so.6").runpath("$ORIGIN/../pkg.libs"))
      .elf("pkg.libs/liba.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::own_path);
  EXPECT_EQ(world.found(kExtension, "liba.so"), "pkg.libs/liba.so");
  EXPECT_EQ(world.need(kExtension, "liba.so").winner.tag, SearchTag::runpath);
  EXPECT_EQ(world.verdict(kExtension, "libc.so.6"), Verdict::system);
  EXPECT_EQ(world.resolution().needs, 2U);
}

TEST(Glibc, RunpathIsNotInherited) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::not_found);
}

TEST(Glibc, RpathIsInherited) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").rpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::inherited);
  EXPECT_FALSE(world.is_root("pkg/lib/liba.so"));
}

TEST(Glibc, RpathBesideRunpathIsVoidForHeirsToo) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").rpath("$ORIGIN/lib").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::own_path);
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::not_found);
}

TEST(Glibc, RunpathOfTheRequesterShutsOutInheritedRpath) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").rpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so").runpath("$ORIGIN/nowhere"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::not_found);
}

TEST(Glibc, RpathMustBeInheritedFromEveryLoader) {
  const std::string other = "pkg/other.cpython-312-x86_64-linux-gnu.so";
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").rpath("$ORIGIN/lib"))
      .elf(other, Elf().needs("liba.so").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  const Need& need = world.need("pkg/lib/liba.so", "libb.so");
  EXPECT_EQ(need.verdict, Verdict::not_found);
  ASSERT_TRUE(need.root);
  EXPECT_EQ(need.root, world.tree().file_of(other));
}

TEST(Glibc, NeedThatAnotherNamedFirstIsLuck) {
  // The published torch-tensorrt-executorch-runtime 0.1.0: the shims carry no search path.
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("libshims.so").needs("libhelper.so").runpath("$ORIGIN"))
      .elf("pkg/libshims.so", Elf().soname("libshims.so").needs("libhelper.so"))
      .elf("pkg/libhelper.so", Elf().soname("libhelper.so"));
  const World world(wheel);
  const Need& need = world.need("pkg/libshims.so", "libhelper.so");
  EXPECT_EQ(need.verdict, Verdict::luck);
  EXPECT_EQ(world.found("pkg/libshims.so", "libhelper.so"), "pkg/libhelper.so");
  ASSERT_TRUE(need.lucky_because);
  EXPECT_EQ(need.lucky_because, world.tree().file_of(kExtension));
}

TEST(Glibc, ReusedObjectThatOwnPathFindsTooIsNoLuck) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").needs("libb.so").runpath("$ORIGIN"))
      .elf("pkg/liba.so", Elf().needs("libb.so").runpath("$ORIGIN"))
      .elf("pkg/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/liba.so", "libb.so"), Verdict::own_path);
}

TEST(Glibc, BreadthFirstSearchFailsBeforeTheGrandchildIsLoaded) {
  // ext names libb.so after liba.so. liba.so could bring libb.so in, but its own names are only
  // looked at once all of ext's have been.
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").needs("libb.so").runpath("$ORIGIN/a"))
      .elf("pkg/a/liba.so", Elf().needs("libb.so").runpath("$ORIGIN/../b"))
      .elf("pkg/b/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "libb.so"), Verdict::not_found);
}

TEST(Glibc, ReuseIsBySonameNotByFileName) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba-1234.so").needs("libuser.so").runpath("$ORIGIN"))
      .elf("pkg/liba-1234.so", Elf().soname("liba.so.1"))
      .elf("pkg/libuser.so", Elf().needs("liba.so.1"));
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/libuser.so", "liba.so.1"), Verdict::luck);
  EXPECT_EQ(world.found("pkg/libuser.so", "liba.so.1"), "pkg/liba-1234.so");
}

TEST(Glibc, ExtensionOpenedByPathIsNotKnownByItsFileName) {
  // Its SONAME differs, so a plugin that names the file has to find it by search.
  const std::string plugin = "pkg/plugin.cpython-312-x86_64-linux-gnu.so";
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().soname("ext.so"))
      .elf(plugin, Elf().needs("ext.cpython-312-x86_64-linux-gnu.so"));
  const World world(wheel);
  EXPECT_EQ(world.verdict(plugin, "ext.cpython-312-x86_64-linux-gnu.so"), Verdict::not_found);
}

TEST(Glibc, OtherClassAndMachineAreSkipped) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/arm:$ORIGIN/x32:$ORIGIN/good"))
      .elf("pkg/arm/liba.so", Elf().machine(183))
      .elf("pkg/x32/liba.so", Elf().machine(62, false))
      .elf("pkg/good/liba.so", Elf());
  const World world(wheel);
  const Need& need = world.need(kExtension, "liba.so");
  EXPECT_EQ(world.found(kExtension, "liba.so"), "pkg/good/liba.so");
  ASSERT_EQ(need.attempts.size(), 3U);
  EXPECT_EQ(need.attempts[0].result, AttemptResult::wrong_machine);
  EXPECT_EQ(need.attempts[1].result, AttemptResult::wrong_class);
  EXPECT_EQ(need.attempts[2].result, AttemptResult::found);
}

TEST(Glibc, FileThatIsNoElfStopsTheLoad) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/link:$ORIGIN/good"))
      .text("pkg/link/liba.so", "liba.so.1")  // a symlink, as pip writes it
      .elf("pkg/good/liba.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::fatal);
}

TEST(Glibc, ProgramIsNoLibrary) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("tool").runpath("$ORIGIN")).elf("pkg/tool", Elf().program());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "tool"), Verdict::fatal);
}

TEST(Glibc, SearchPathOverridesSystemLibrary) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("libstdc++.so.6").runpath("$ORIGIN"))
      .elf("pkg/libstdc++.so.6", Elf());
  const World world(wheel);
  EXPECT_EQ(world.found(kExtension, "libstdc++.so.6"), "pkg/libstdc++.so.6");
}

TEST(Glibc, NodeflibShutsOutSystemLibraries) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("libstdc++.so.6").flags_1(0x800));
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "libstdc++.so.6"), Verdict::not_found);
}

TEST(Glibc, DotDotBehindAMissingDirectoryLeadsNowhere) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/nowhere/../lib"))
      .elf("pkg/lib/liba.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::not_found);
  EXPECT_EQ(world.need(kExtension, "liba.so").attempts.front().result, AttemptResult::no_directory);
}

TEST(Glibc, WorkingDirectoryAndOutsideAreRecordedNotBelieved) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath(":lib:/opt/x/lib:$ORIGIN"));
  const World world(wheel);
  const Need& need = world.need(kExtension, "liba.so");
  EXPECT_EQ(need.verdict, Verdict::not_found);
  ASSERT_EQ(need.attempts.size(), 5U);
  EXPECT_EQ(need.attempts[0].result, AttemptResult::working_directory);
  EXPECT_EQ(need.attempts[1].result, AttemptResult::working_directory);
  EXPECT_EQ(need.attempts[2].result, AttemptResult::outside);
  EXPECT_EQ(need.attempts[3].result, AttemptResult::no_file);
  EXPECT_EQ(need.attempts[4].tag, SearchTag::system);
}

TEST(Glibc, NeededWithSlashIsOpenedAsItStands) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("$ORIGIN/lib/liba.so").needs("lib/libb.so"))
      .elf("pkg/lib/liba.so", Elf())
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.found(kExtension, "$ORIGIN/lib/liba.so"), "pkg/lib/liba.so");
  EXPECT_EQ(world.verdict(kExtension, "lib/libb.so"), Verdict::not_found);
}

TEST(Glibc, CyclesEnd) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/liba.so", Elf().needs("libb.so").runpath("$ORIGIN"))
      .elf("pkg/libb.so", Elf().needs("liba.so").runpath("$ORIGIN"));
  const World world(wheel);
  EXPECT_EQ(world.verdict("pkg/liba.so", "libb.so"), Verdict::own_path);
  EXPECT_EQ(world.verdict("pkg/libb.so", "liba.so"), Verdict::own_path);
}

TEST(Roots, LibraryThatNobodyNamesIsOpenedFromOutside) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf())
      .elf("pkg/libplugin.so", Elf().needs("libb.so"))
      .elf("pkg/libb.so", Elf());
  const World world(wheel);
  EXPECT_TRUE(world.is_root("pkg/libplugin.so"));
  EXPECT_EQ(world.verdict("pkg/libplugin.so", "libb.so"), Verdict::not_found);
}

TEST(Roots, LibraryThatItsLoaderCannotFindIsStillJudged) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so").runpath("$ORIGIN"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::not_found);
  EXPECT_TRUE(world.is_root("pkg/lib/liba.so"));
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::own_path);
}

TEST(Roots, RoleIsSeenInNameHeaderAndInitFunction) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg/libtriton.so", Elf().soname("libtriton.so").defines("PyInit_libtriton"))
      .elf("pkg/libother.so", Elf().defines("PyInit_libother_v2"))
      .elf("pkg/bin/tool", Elf().program())
      .elf("pkg/x.abi3.so", Elf())
      .elf("pkg/libc.so.6", Elf().soname("libc.so.6"));
  const World world(wheel);
  const auto role = [&](const std::string& member) {
    return role_of(world.tree().files()[*world.tree().file_of(member)]);
  };
  EXPECT_EQ(role("pkg/libtriton.so"), ObjectRole::extension);
  EXPECT_EQ(role("pkg/libother.so"), ObjectRole::library);
  EXPECT_EQ(role("pkg/bin/tool"), ObjectRole::program);
  EXPECT_EQ(role("pkg/x.abi3.so"), ObjectRole::extension);
  EXPECT_EQ(role("pkg/libc.so.6"), ObjectRole::library);
}

TEST(Musl, BothTagsAreInherited) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/lib"))
      .elf("pkg/lib/liba.so", Elf().needs("libb.so").runpath("$ORIGIN/nowhere"))
      .elf("pkg/lib/libb.so", Elf());
  const World world(wheel, LoaderKind::musl);
  EXPECT_EQ(world.verdict("pkg/lib/liba.so", "libb.so"), Verdict::inherited);
}

TEST(Musl, SonameIsNotAName) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba-1.so").needs("libuser.so").runpath("$ORIGIN"))
      .elf("pkg/liba-1.so", Elf().soname("liba.so.1"))
      .elf("pkg/libuser.so", Elf().needs("liba.so.1"));
  const World world(wheel, LoaderKind::musl);
  EXPECT_EQ(world.verdict("pkg/libuser.so", "liba.so.1"), Verdict::not_found);
}

TEST(Musl, FirstFileThatOpensIsTakenWhateverItIs) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN/arm:$ORIGIN/good"))
      .elf("pkg/arm/liba.so", Elf().machine(183))
      .elf("pkg/good/liba.so", Elf());
  const World world(wheel, LoaderKind::musl);
  EXPECT_EQ(world.verdict(kExtension, "liba.so"), Verdict::fatal);
}

TEST(Musl, OldPartsOfLibcAreItself) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("libpthread.so.0").needs("libc.musl-x86_64.so.1"))
      .elf("pkg/libpthread.so.0", Elf());
  const World world(wheel, LoaderKind::musl);
  EXPECT_EQ(world.verdict(kExtension, "libpthread.so.0"), Verdict::system);
  EXPECT_EQ(world.verdict(kExtension, "libc.musl-x86_64.so.1"), Verdict::system);
}

TEST(Tree, DeclaredPackageIsFollowedThroughItsOwnPaths) {
  DeclaredPackage torch;
  torch.distribution = "torch";
  torch.libraries = {{"torch/lib/libtorch.so",
                      "libtorch.so",
                      {"libcudart.so.13"},
                      "$ORIGIN/../../nvidia/cu13/lib",
                      ""}};
  DeclaredPackage runtime;
  runtime.distribution = "nvidia-cuda-runtime";
  runtime.libraries = {{"nvidia/cu13/lib/libcudart.so.13", "libcudart.so.13", {}, "", ""}};
  WheelBuilder wheel(kWheel);
  wheel
      .elf(kExtension,
           Elf().needs("libtorch.so").needs("liba.so").runpath("$ORIGIN/../torch/lib:$ORIGIN"))
      .elf("pkg/liba.so", Elf().needs("libcudart.so.13"));
  const World world(wheel, LoaderKind::glibc, {torch, runtime});
  EXPECT_EQ(world.found(kExtension, "libtorch.so"), "torch/lib/libtorch.so");
  EXPECT_EQ(world.verdict("pkg/liba.so", "libcudart.so.13"), Verdict::luck);
}

TEST(Tree, SchemesGoWhereAnInstallerPutsThem) {
  WheelBuilder wheel(kWheel);
  wheel.elf("pkg-1.0.data/platlib/pkg/libp.so", Elf())
      .elf("pkg-1.0.data/data/lib/libd.so", Elf())
      .file("pkg-1.0.data/scripts/tool")
      .file("pkg/sub/x.py");
  const World world(wheel);
  const InstallTree& tree = world.tree();
  const auto kind = [&](const std::string& path) { return tree.look_up(path).kind; };
  const std::string& site = tree.site_packages(Scheme::platlib);
  EXPECT_EQ(kind(site + "/pkg/libp.so"), PathKind::file);
  EXPECT_EQ(kind(tree.prefix() + "/lib/libd.so"), PathKind::file);
  EXPECT_EQ(kind(site + "/../../libd.so"), PathKind::file);
  EXPECT_EQ(kind(tree.prefix() + "/bin/tool"), PathKind::file);
  EXPECT_EQ(kind(site + "/pkg/sub"), PathKind::directory);
  EXPECT_EQ(kind(site + "/pkg/libp.so/.."), PathKind::absent);
  EXPECT_EQ(kind(site + "/pkg/libp.so/"), PathKind::absent);
  EXPECT_EQ(tree.display(site + "/pkg/libp.so"), "pkg/libp.so");
  EXPECT_EQ(tree.display(tree.prefix() + "/lib/libd.so"), "<prefix>/lib/libd.so");
}

TEST(Tree, EachSchemeHasADirectoryWhereTheyAreSplit) {
  WheelBuilder builder(kWheel);
  builder.elf("pkg/libplat.so", Elf()).elf("pkg-1.0.data/purelib/pkg/libpure.so", Elf());
  const WheelFacts wheel = builder.build();
  DeclaredPackage low;
  low.distribution = "low";
  low.libraries = {{"low/liblow.so", "liblow.so", {}, "", "", Scheme::purelib}};
  InstallTree::Description description;
  description.subject = &wheel;
  description.declared = {low};
  const InstallTree joined(std::move(description));
  const std::string one = "/prefix/lib/python3/site-packages";
  EXPECT_EQ(joined.module_directories(), std::vector<std::string>{one});
  EXPECT_EQ(joined.look_up(one + "/pkg/libpure.so").kind, PathKind::file);
  EXPECT_EQ(joined.display(one), "<site-packages>");
  EXPECT_TRUE(joined.has_libraries_of_both_schemes());

  const InstallTree split = joined.laid_out(SitePackagesLayout::split);
  const std::string plat = "/prefix/lib64/python3/site-packages";
  EXPECT_EQ(split.module_directories(), (std::vector<std::string>{plat, one}));
  EXPECT_EQ(split.look_up(plat + "/pkg/libplat.so").kind, PathKind::file);
  EXPECT_EQ(split.look_up(one + "/pkg/libplat.so").kind, PathKind::absent);
  EXPECT_EQ(split.look_up(one + "/pkg/libpure.so").kind, PathKind::file);
  EXPECT_EQ(split.look_up(one + "/low/liblow.so").kind, PathKind::file);
  EXPECT_EQ(split.look_up(plat + "/pkg/../../../../lib/python3/site-packages/low").kind,
            PathKind::directory);
  EXPECT_EQ(split.below_site_packages(plat + "/pkg"), "pkg");
  EXPECT_EQ(split.below_site_packages(one), "");
  EXPECT_EQ(split.below_site_packages("/prefix/lib64"), std::nullopt);
  EXPECT_EQ(split.display(plat + "/pkg/libplat.so"), "<platlib>/pkg/libplat.so");
  EXPECT_EQ(split.display(one + "/low"), "<purelib>/low");
  EXPECT_EQ(split.display(one), "<purelib>");
  EXPECT_EQ(split.display("/prefix/lib64/libx.so"), "<prefix>/lib64/libx.so");
  EXPECT_TRUE(split.is_fixed_way(plat + "/pkg/a.so", plat + "/low/b.so"));
  EXPECT_FALSE(split.is_fixed_way(plat + "/pkg/a.so", one + "/low/b.so"));
  EXPECT_FALSE(split.is_fixed_way("/prefix/bin/a", one + "/low/b.so"));
}

TEST(Tree, MemberThatLeavesItsRootIsNotInstalled) {
  WheelBuilder wheel(kWheel);
  wheel.file("pkg/../../../escape.so").file("pkg/a").file("pkg/a/b");
  const World world(wheel);
  EXPECT_FALSE(world.tree().file_of("pkg/../../../escape.so"));
  EXPECT_TRUE(world.tree().file_of("pkg/a"));
  EXPECT_FALSE(world.tree().file_of("pkg/a/b"));
}

/// One extension with one need, in a process like this.
class Single {
 public:
  Single(WheelBuilder& builder, const LoaderOptions& options) : wheel_(builder.build()) {
    InstallTree::Description description;
    description.subject = &wheel_;
    tree_ = std::make_unique<InstallTree>(std::move(description));
    LoaderOptions whole = options;
    whole.only_root = tree_->file_of(kExtension);
    resolution_ = resolve(*tree_, whole);
  }
  const Need& need() const { return resolution_.find(*tree_->file_of(kExtension))->needs.at(0); }

 private:
  WheelFacts wheel_;
  std::unique_ptr<InstallTree> tree_;
  Resolution resolution_;
};

TEST(Verdicts, LdLibraryPathAloneIsTheEnvironment) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so")).elf("env/liba.so", Elf());
  LoaderOptions options;
  options.machine.ld_library_path = "/prefix/lib/python3/site-packages/env";
  const Single single(wheel, options);
  EXPECT_EQ(single.need().verdict, Verdict::environment);
  EXPECT_TRUE(single.need().hijackable);
}

TEST(Verdicts, RelativeElementDependsOnTheWorkingDirectory) {
  WheelBuilder wheel(kWheel);
  wheel.elf(kExtension, Elf().needs("liba.so").runpath("pkg")).elf("pkg/liba.so", Elf());
  LoaderOptions options;
  options.machine.working_directory = "/prefix/lib/python3/site-packages";
  const Single single(wheel, options);
  EXPECT_EQ(single.need().verdict, Verdict::working_directory);
}

TEST(Verdicts, OnlyRpathComesBeforeLdLibraryPath) {
  for (const bool rpath : {true, false}) {
    WheelBuilder wheel(kWheel);
    Elf extension = Elf().needs("liba.so");
    if (rpath) {
      extension.rpath("$ORIGIN");
    } else {
      extension.runpath("$ORIGIN");
    }
    wheel.elf(kExtension, extension).elf("pkg/liba.so", Elf());
    const Single single(wheel, {});
    EXPECT_EQ(single.need().verdict, Verdict::own_path);
    EXPECT_EQ(single.need().hijackable, !rpath);
  }
}

TEST(Verdicts, ExecutableStackIsRefusedByDlopenFrom241On) {
  for (const unsigned minor : {40U, 41U}) {
    WheelBuilder wheel(kWheel);
    Elf library;
    library.facts().stack_flags = 7;
    wheel.elf(kExtension, Elf().needs("liba.so").runpath("$ORIGIN")).elf("pkg/liba.so", library);
    LoaderOptions options;
    options.machine.glibc.minor = minor;
    const Single single(wheel, options);
    EXPECT_EQ(single.need().verdict, minor < 41 ? Verdict::own_path : Verdict::fatal);
  }
}

TEST(Roots, PreloadsComeBeforeEachRoot) {
  WheelBuilder builder(kWheel);
  builder.elf(kExtension, Elf().needs("liba.so")).elf("torch/liba.so", Elf().soname("liba.so"));
  const WheelFacts wheel = builder.build();
  InstallTree::Description description;
  description.subject = &wheel;
  const InstallTree tree(std::move(description));
  LoaderOptions options;
  options.only_root = tree.file_of(kExtension);
  EXPECT_EQ(resolve(tree, options).find(*options.only_root)->needs[0].verdict, Verdict::not_found);
  options.preloads = {*tree.file_of("torch/liba.so")};
  const Resolution with = resolve(tree, options);
  EXPECT_EQ(with.find(*options.only_root)->needs[0].verdict, Verdict::luck);
}

TEST(Roots, RpathOfTheProgramServesWhatItOpens) {
  WheelBuilder builder(kWheel);
  builder.elf(kExtension, Elf().needs("liba.so"))
      .elf("bin/python", Elf().program().rpath("$ORIGIN/../lib"))
      .elf("lib/liba.so", Elf());
  const WheelFacts wheel = builder.build();
  InstallTree::Description description;
  description.subject = &wheel;
  const InstallTree tree(std::move(description));
  LoaderOptions options;
  options.only_root = tree.file_of(kExtension);
  options.program = tree.file_of("bin/python");
  EXPECT_EQ(resolve(tree, options).find(*options.only_root)->needs[0].verdict, Verdict::inherited);
}

TEST(Budget, EndlessWorkIsGivenUpAndSaid) {
  WheelBuilder builder(kWheel);
  for (int i = 0; i < 40; ++i) {
    Elf elf;
    for (int j = 0; j < 40; ++j) elf.needs("lib" + std::to_string(j) + ".so");
    builder.elf("pkg/ext" + std::to_string(i) + ".abi3.so", elf.runpath("$ORIGIN"));
  }
  const WheelFacts wheel = builder.build();
  InstallTree::Description description;
  description.subject = &wheel;
  const InstallTree tree(std::move(description));
  LoaderOptions options;
  options.search_budget = 1000;
  EXPECT_TRUE(resolve(tree, options).over_budget);
  EXPECT_FALSE(resolve(tree).over_budget);
}

}  // namespace
}  // namespace wheelcheck
