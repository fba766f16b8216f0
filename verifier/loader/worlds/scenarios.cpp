#include "verifier/loader/worlds/scenarios.h"

#include <utility>

#include "verifier/loader/worlds/scenario_builder.h"

namespace wheelcheck::worlds {

namespace {

constexpr std::uint64_t kNodeflib = 0x800;
constexpr std::uint64_t kNoopen = 0x40;
constexpr std::uint64_t kPie = 0x8000000;

using S = ScenarioBuilder;
using List = std::vector<World>;

void reuse(List& all) {
  all.push_back(S("a name that was asked for before is answered without a search")
                    .lib("pkg/liba.so", {{"libb.so"}})
                    .lib("pkg/libb.so")
                    .root({{"libb.so", "liba.so"}, "", "$ORIGIN"}));
  all.push_back(S("a SONAME answers, though the file has another name")
                    .lib("pkg/liba-1234.so", S::Lib{{}, "", "", "liba.so.1"})
                    .lib("pkg/libuser.so", {{"liba.so.1"}})
                    .root({{"liba-1234.so", "libuser.so"}, "", "$ORIGIN"}));
  all.push_back(S("of two objects with one SONAME the one loaded first answers")
                    .lib("pkg/x/lib1.so", S::Lib{{}, "", "", "s.so"})
                    .lib("pkg/x/lib2.so", S::Lib{{}, "", "", "s.so"})
                    .lib("pkg/x/user.so", {{"s.so"}})
                    .root({{"lib1.so", "lib2.so", "user.so"}, "", "$ORIGIN/x"}));
  all.push_back(S("the same file under a second name is one object with two names")
                    .lib("pkg/liba.so")
                    .link("pkg/libb.so", "liba.so")
                    .lib("pkg/user.so", {{"libb.so"}})
                    .root({{"liba.so", "libb.so", "user.so"}, "", "$ORIGIN"}));
  all.push_back(S("a hard link is the same file")
                    .lib("pkg/liba.so")
                    .hard_link("pkg/libb.so", "pkg/liba.so")
                    .lib("pkg/user.so", {{"libb.so"}})
                    .root({{"liba.so", "libb.so", "user.so"}, "", "$ORIGIN"}));
  all.push_back(S("an object opened by path is not known by its file name")
                    .lib("pkg/liba.so")
                    .lib("pkg/user.so", {{"liba.so"}})
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/user.so"));
  all.push_back(S("an object opened by path gets its name when a search finds it")
                    .lib("pkg/liba.so")
                    .lib("pkg/finder.so", {{"liba.so"}, "", "$ORIGIN"})
                    .lib("pkg/user.so", {{"liba.so"}})
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/finder.so")
                    .open("@/pkg/user.so"));
  all.push_back(S("an object opened by path is known by its SONAME")
                    .lib("pkg/liba.so", S::Lib{{}, "", "", "liba.so"})
                    .lib("pkg/user.so", {{"liba.so"}})
                    .host()
                    .open("@/pkg/liba.so")
                    .open("@/pkg/user.so"));
  all.push_back(
      S("what one opened library loaded satisfies the next: the shims that resolve by luck")
          .lib("pkg/portable.so", {{"libshims.so"}, "", "$ORIGIN/../pkg.libs"})
          .lib("pkg.libs/libshims.so", S::Lib{{}, "", "", "libshims.so"})
          .lib("pkg/runtime.so", {{"libshims.so"}})
          .host()
          .open("@/pkg/portable.so")
          .open("@/pkg/runtime.so"));
  all.push_back(S("a failed dlopen leaves nothing behind")
                    .lib("pkg/bad.so", {{"liba.so", "none.so"}, "", "$ORIGIN"})
                    .lib("pkg/liba.so", S::Lib{{}, "", "", "liba.so"})
                    .lib("pkg/user.so", {{"liba.so"}})
                    .host()
                    .open("@/pkg/bad.so")
                    .open("@/pkg/user.so"));
  all.push_back(S("a path with a slash that was opened before is reused by its text")
                    .lib("pkg/liba.so")
                    .lib("pkg/one.so", {{"@/pkg/liba.so"}})
                    .lib("pkg/two.so", {{"@/pkg/liba.so"}})
                    .host()
                    .open("@/pkg/one.so")
                    .open("@/pkg/two.so"));
}

void order(List& all) {
  all.push_back(S("needs are walked breadth first: a grandchild comes too late")
                    .lib("pkg/a/liba.so", {{"libb.so"}, "", "$ORIGIN/../b"})
                    .lib("pkg/b/libb.so")
                    .root({{"liba.so", "libb.so"}, "", "$ORIGIN/a"}));
  all.push_back(S("needs are walked breadth first: the first to ask decides the file")
                    .lib("pkg/a/liba.so", {{"libc1.so"}, "", "$ORIGIN"})
                    .lib("pkg/a/libb.so", {{"libd.so"}, "", "$ORIGIN"})
                    .lib("pkg/a/libc1.so", {{"libd.so"}, "", "$ORIGIN/../b"})
                    .lib("pkg/a/libd.so")
                    .lib("pkg/b/libd.so")
                    .root({{"liba.so", "libb.so"}, "", "$ORIGIN/a"}));
  S chain("a chain of forty libraries, all found by the RPATH of the first");
  chain.root({{"lib1.so"}, "$ORIGIN/deep"});
  constexpr int kLinks = 40;
  for (int i = 1; i < kLinks; ++i) {
    chain.lib("pkg/deep/lib" + std::to_string(i) + ".so",
              {{"lib" + std::to_string(i + 1) + ".so"}});
  }
  all.push_back(chain.lib("pkg/deep/lib" + std::to_string(kLinks) + ".so"));
  all.push_back(S("libraries that need each other are loaded once")
                    .lib("pkg/liba.so", {{"libb.so"}, "", "$ORIGIN"})
                    .lib("pkg/libb.so", {{"liba.so"}, "", "$ORIGIN"})
                    .root({{"liba.so"}, "", "$ORIGIN"}));
}

void carriers(List& all) {
  all.push_back(
      S("RPATH of the requester").lib("pkg/lib/liba.so").root({{"liba.so"}, "$ORIGIN/lib"}));
  all.push_back(
      S("RUNPATH of the requester").lib("pkg/lib/liba.so").root({{"liba.so"}, "", "$ORIGIN/lib"}));
  all.push_back(S("RPATH is inherited along the chain of loaders")
                    .lib("pkg/lib/liba.so", {{"libb.so"}})
                    .lib("pkg/lib/libb.so", {{"libc1.so"}})
                    .lib("pkg/lib/libc1.so")
                    .root({{"liba.so"}, "$ORIGIN/lib"}));
  all.push_back(S("RPATH of one in the middle serves what comes below it, and nothing beside it")
                    .lib("pkg/lib/liba.so", {{"libb.so"}, "$ORIGIN/a"})
                    .lib("pkg/lib/a/libb.so", {{"libc1.so"}})
                    .lib("pkg/lib/a/libc1.so")
                    .lib("pkg/lib/beside.so", {{"libd.so"}})
                    .lib("pkg/lib/a/libd.so")
                    .root({{"liba.so", "beside.so"}, "", "$ORIGIN/lib"}));
  all.push_back(S("RUNPATH is not inherited by glibc")
                    .lib("pkg/lib/liba.so", {{"libb.so"}})
                    .lib("pkg/lib/libb.so")
                    .root({{"liba.so"}, "", "$ORIGIN/lib"}));
  all.push_back(S("RPATH beside a RUNPATH is void")
                    .lib("pkg/a/liba.so")
                    .lib("pkg/b/libb.so")
                    .root({{"liba.so", "libb.so"}, "$ORIGIN/a", "$ORIGIN/b"}));
  all.push_back(S("RPATH beside a RUNPATH is void for heirs too")
                    .lib("pkg/b/liba.so", {{"libb.so"}})
                    .lib("pkg/a/libb.so")
                    .root({{"liba.so"}, "$ORIGIN/a", "$ORIGIN/b"}));
  all.push_back(S("RUNPATH of the requester shuts out every inherited RPATH")
                    .lib("pkg/lib/liba.so", {{"libb.so"}, "", "$ORIGIN/nowhere"})
                    .lib("pkg/lib/libb.so")
                    .root({{"liba.so"}, "$ORIGIN/lib"}));
  all.push_back(S("the loader's own RPATH comes before the inherited one")
                    .lib("pkg/lib/liba.so", {{"libb.so"}, "$ORIGIN/own"})
                    .lib("pkg/lib/libb.so")
                    .lib("pkg/lib/own/libb.so")
                    .root({{"liba.so"}, "$ORIGIN/lib"}));
  all.push_back(S("RPATH is inherited from the first loader alone")
                    .lib("pkg/a/liba.so", {{"libx.so"}, "$ORIGIN"})
                    .lib("pkg/a/libx.so", {{"liby.so"}})
                    .lib("pkg/b/libb.so", {{"libx.so"}, "$ORIGIN:$ORIGIN/y"})
                    .lib("pkg/b/y/liby.so")
                    .root({{"liba.so", "libb.so"}, "", "$ORIGIN/a:$ORIGIN/b"}));
  all.push_back(S("RPATH of the program serves what dlopen brings")
                    .lib("lib/liba.so")
                    .lib("pkg/ext.so", {{"liba.so"}})
                    .host("$ORIGIN/../lib")
                    .open("@/pkg/ext.so"));
  all.push_back(S("RUNPATH of the program does not serve what dlopen brings")
                    .lib("lib/liba.so")
                    .lib("pkg/ext.so", {{"liba.so"}})
                    .host("", "$ORIGIN/../lib")
                    .open("@/pkg/ext.so"));
  all.push_back(S("RUNPATH of what is opened shuts out the RPATH of the program")
                    .lib("lib/liba.so")
                    .lib("pkg/ext.so", {{"liba.so"}, "", "$ORIGIN"})
                    .host("$ORIGIN/../lib")
                    .open("@/pkg/ext.so"));
  all.push_back(S("dlopen of a bare name searches as its caller would")
                    .lib("pkg/own/liba.so")
                    .caller("pkg/caller.so", "", "$ORIGIN/own")
                    .host()
                    .open("liba.so")
                    .open("@/pkg/caller.so")
                    .open("liba.so", "pkg/caller.so"));
  all.push_back(S("the caller of dlopen is no loader of what it opens")
                    .lib("pkg/own/liba.so", {{"libb.so"}})
                    .lib("pkg/own/libb.so")
                    .caller("pkg/caller.so", "$ORIGIN/own", "")
                    .host()
                    .open("@/pkg/caller.so")
                    .open("liba.so", "pkg/caller.so"));
  all.push_back(S("dlopen of a bare name by the program uses the program's RUNPATH")
                    .lib("lib/liba.so")
                    .host("", "$ORIGIN/../lib")
                    .open("liba.so"));
}

void places(List& all) {
  all.push_back(S("RPATH comes before LD_LIBRARY_PATH in glibc, behind it in musl")
                    .lib("pkg/lib/liba.so")
                    .lib("env/liba.so")
                    .root({{"liba.so"}, "$ORIGIN/lib"})
                    .library_path("@/env"));
  all.push_back(S("LD_LIBRARY_PATH comes before RUNPATH")
                    .lib("pkg/lib/liba.so")
                    .lib("env/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN/lib"})
                    .library_path("@/env"));
  all.push_back(S("LD_LIBRARY_PATH alone")
                    .lib("env/liba.so")
                    .root({{"liba.so"}})
                    .library_path("@/none:@/env"));
  all.push_back(S("LD_LIBRARY_PATH with an empty element")
                    .lib("liba.so")
                    .root({{"liba.so"}})
                    .library_path("@/none::@/other"));
}

void texts(List& all) {
  const struct {
    const char* title;
    const char* path;
  } paths[] = {
      {"$ORIGIN is the directory of the file", "$ORIGIN/lib"},
      {"braces around a token", "${ORIGIN}/lib"},
      {"a longer name is no token", "$ORIGINAL/lib"},
      {"a token in the middle of an element", "@/pkg/../pkg$ORIGIN/lib:$ORIGIN/lib"},
      {"an unknown token stays as it is", "$FOO/lib:$ORIGIN/lib"},
      {"an open brace is no token", "${ORIGIN/lib"},
      {"a lone dollar stays", "$ORIGIN/$:$ORIGIN/lib"},
      {"an empty element", ":$ORIGIN/nowhere"},
      {"an empty element at the end", "$ORIGIN/nowhere:"},
      {"an element that is relative", "pkg/lib"},
      {"slashes at the end of an element", "$ORIGIN/lib///"},
      {".. behind a directory that is not there", "$ORIGIN/nowhere/../lib"},
      {".. behind a directory that is there", "$ORIGIN/lib/../lib"},
      {"the same directory twice", "$ORIGIN/lib2:$ORIGIN/lib2:$ORIGIN/lib"},
      {"a file in the place of a directory", "$ORIGIN/file:$ORIGIN/lib"},
  };
  for (const auto& [title, path] : paths) {
    all.push_back(S(title)
                      .lib("pkg/lib/liba.so")
                      .lib("liba.so")
                      .lib("pkgAL/lib/liba.so")
                      .text("pkg/file")
                      .directory("pkg/lib2")
                      .root({{"liba.so"}, "", path}));
  }
  all.push_back(S("an unknown token that is the name of a directory")
                    .lib("pkg/$FOO/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN/$FOO"}));
  all.push_back(
      S("an empty search path is none").lib("liba.so").root({{"liba.so"}, "", "", "", true}));
  all.push_back(S("an empty RUNPATH still shuts out an inherited RPATH")
                    .lib("pkg/lib/liba.so", S::Lib{{"libb.so"}, "", "", "", true})
                    .lib("pkg/lib/libb.so")
                    .root({{"liba.so"}, "$ORIGIN/lib"}));
  all.push_back(S("a need with a slash is a path")
                    .lib("pkg/liba.so")
                    .root({{"@/pkg/liba.so", "pkg/liba.so"}, "", "@"}));
  all.push_back(S("a need with a slash that leads nowhere is not searched for")
                    .lib("opt/pkg/liba.so")
                    .root({{"pkg/liba.so"}, "", "@/opt"}));
  all.push_back(S("a token in a need").lib("pkg/lib/liba.so").root({{"$ORIGIN/lib/liba.so"}}));
}

void files(List& all) {
  const auto with = [&](const char* title, WorldFile first) {
    first.path = "pkg/first/liba.so";
    all.push_back(S(title)
                      .file(std::move(first))
                      .lib("pkg/second/liba.so")
                      .root({{"liba.so"}, "", "$ORIGIN/first:$ORIGIN/second"}));
  };
  WorldFile file;
  file.machine = 183;
  with("a library for another machine", file);
  file = {};
  file.kind = FileKind::other_class;
  with("a library of another class", file);
  file.kind = FileKind::other_endian;
  with("a library of another byte order", file);
  file.kind = FileKind::text;
  with("a text where a library should be: a link as pip writes it", file);
  file.kind = FileKind::truncated;
  with("a file that ends too early", file);
  file.kind = FileKind::directory;
  with("a directory where a library should be", file);
  file.kind = FileKind::link;
  file.target = "liba.so";
  with("a link to itself", file);
  file.target = "nowhere";
  with("a link that leads nowhere", file);
  file = {};
  file.flags_1 = kPie;
  with("a program where a library should be", file);
  file = {};
  file.os_abi = 9;
  with("a library for another system", file);
  file.machine = 183;
  with("a library for another system and another machine", file);
  file = {};
  file.os_abi = 3;
  with("a library marked for GNU", file);

  all.push_back(S("a link to itself ends the list of directories, or the search")
                    .link("pkg/first/liba.so", "liba.so")
                    .lib("pkg/second/liba.so")
                    .lib("env/liba.so")
                    .root({{"liba.so"}, "$ORIGIN/first:$ORIGIN/second"})
                    .library_path("@/env"));
  all.push_back(S("$ORIGIN is where the library was opened, not where it lies")
                    .lib("store/liba.so", {{"libb.so"}, "", "$ORIGIN"})
                    .lib("pkg/libb.so")
                    .link("pkg/liba.so", "../store/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN"}));
  all.push_back(S(".. behind a linked directory leads to the parent of its target")
                    .lib("store/deep/liba.so", {{"libb.so"}, "", "$ORIGIN/../lib"})
                    .lib("store/lib/libb.so")
                    .lib("pkg/lib/libb.so")
                    .link("pkg/linked", "../store/deep")
                    .root({{"liba.so"}, "", "$ORIGIN/linked"}));
  all.push_back(S("two ways to one directory are one file and two paths")
                    .lib("store/liba.so")
                    .link("pkg/one", "../store")
                    .link("pkg/two", "../store")
                    .lib("pkg/b/libb.so", {{"liba.so"}, "", "$ORIGIN/../two"})
                    .root({{"libb.so", "liba.so"}, "", "$ORIGIN/b:$ORIGIN/one"}));
}

void programs(List& all) {
  all.push_back(S("$ORIGIN of a program that the kernel started through a link")
                    .lib("real/lib/liba.so")
                    .lib("bin/lib/liba.so")
                    .lib("pkg/ext.so", {{"liba.so"}})
                    .host_at("real/host", "$ORIGIN/lib")
                    .link("bin/host", "../real/host")
                    .program("bin/host")
                    .by_kernel()
                    .open("@/pkg/ext.so"));
  all.push_back(S("$ORIGIN of a program that the loader was told to start")
                    .lib("real/lib/liba.so")
                    .lib("bin/lib/liba.so")
                    .lib("pkg/ext.so", {{"liba.so"}})
                    .host_at("real/host", "$ORIGIN/lib")
                    .open("@/pkg/ext.so"));
}

void glibc_alone(List& all, const Machine& machine) {
  if (machine.system.directories.size() > 1) {
    const std::string& built_in = machine.system.directories[0];
    all.push_back(S("a default directory").lib("d1/liba.so").root({{"liba.so"}}));
    all.push_back(S("default directories in their order")
                      .lib("d1/liba.so")
                      .lib("d2/liba.so")
                      .lib("d2/libb.so")
                      .root({{"libb.so", "liba.so"}}));
    all.push_back(S("RUNPATH comes before the default directories")
                      .lib("d1/liba.so")
                      .lib("pkg/liba.so")
                      .root({{"liba.so"}, "", "$ORIGIN"}));
    all.push_back(S("the cache comes before the default directories")
                      .lib("d1/liba.so")
                      .lib("opt/liba.so")
                      .cached("liba.so", "@/opt/liba.so")
                      .root({{"liba.so"}}));
    all.push_back(S("a stale entry of the cache is passed over")
                      .lib("d1/liba.so")
                      .cached("liba.so", "@/opt/liba.so")
                      .root({{"liba.so"}}));
    all.push_back(S("NODEFLIB shuts out the default directories")
                      .lib("d1/liba.so")
                      .root({{"liba.so"}, "", "", "", false, kNodeflib}));
    all.push_back(S("NODEFLIB shuts out what the cache has in default directories")
                      .lib("d1/liba.so")
                      .cached("liba.so", built_in + "liba.so")
                      .root({{"liba.so"}, "", "", "", false, kNodeflib}));
    all.push_back(S("NODEFLIB leaves what the cache has elsewhere")
                      .lib("opt/liba.so")
                      .cached("liba.so", "@/opt/liba.so")
                      .root({{"liba.so"}, "", "", "", false, kNodeflib}));
  }
  all.push_back(
      S("the cache").lib("opt/liba.so").cached("liba.so", "@/opt/liba.so").root({{"liba.so"}}));
  all.push_back(S("semicolons separate in LD_LIBRARY_PATH")
                    .lib("env/liba.so")
                    .root({{"liba.so"}})
                    .library_path("@/none;@/env"));
  all.push_back(S("semicolons do not separate in a RUNPATH")
                    .lib("pkg/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN/none;$ORIGIN"}));
  all.push_back(
      S("$LIB").lib("pkg/" + machine.lib + "/liba.so").root({{"liba.so"}, "", "$ORIGIN/$LIB"}));
  all.push_back(S("$PLATFORM")
                    .lib("pkg/" + machine.platform + "/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN/${PLATFORM}"}));
  all.push_back(S("a token in a need that is no path")
                    .lib("pkg/lib" + machine.platform + ".so")
                    .root({{"lib$PLATFORM.so"}, "", "$ORIGIN"}));
  all.push_back(S("the loader itself is there under its name")
                    .lib("pkg/ld-linux-x86-64.so.2")
                    .root({{"ld-linux-x86-64.so.2"}, "", "$ORIGIN"}));
  all.push_back(S("a library that must not be opened, but may be there from the start")
                    .lib("pkg/liba.so", S::Lib{{}, "", "", "", false, kNoopen})
                    .root({{"liba.so"}, "", "$ORIGIN"}));
  WorldFile filter;
  filter.path = "pkg/liba.so";
  filter.needed = {"libb.so"};
  filter.runpath = "$ORIGIN";
  filter.auxiliary = "libx.so";
  all.push_back(S("an auxiliary comes before the library that it stands for")
                    .file(filter)
                    .lib("pkg/libb.so")
                    .lib("pkg/libx.so", {{"liby.so"}, "", "$ORIGIN"})
                    .lib("pkg/liby.so")
                    .root({{"liba.so"}, "", "$ORIGIN"}));
  filter.auxiliary = "visibility=hidden";  // the linker was given -fvisibility=hidden
  all.push_back(S("an auxiliary that is missing")
                    .file(filter)
                    .lib("pkg/libb.so")
                    .root({{"liba.so"}, "", "$ORIGIN"}));
  all.push_back(S("an auxiliary of what is opened is missing")
                    .file(filter)
                    .lib("pkg/libb.so")
                    .host()
                    .open("@/pkg/liba.so"));
  filter.auxiliary.clear();
  filter.filter = "libx.so";
  all.push_back(S("a filter of what is opened is missing")
                    .file(filter)
                    .lib("pkg/libb.so")
                    .host()
                    .open("@/pkg/liba.so"));
  WorldFile stack;
  stack.path = "pkg/liba.so";
  stack.executable_stack = true;
  all.push_back(S("a library that wants an executable stack, there from the start")
                    .file(stack)
                    .root({{"liba.so"}, "", "$ORIGIN"}));
  all.push_back(S("a library that wants an executable stack is opened, or refused from 2.41 on")
                    .file(stack)
                    .lib("pkg/ext.so", {{"liba.so"}, "", "$ORIGIN"})
                    .host()
                    .open("@/pkg/ext.so"));
  all.push_back(S("a library that must not be opened")
                    .lib("pkg/liba.so", S::Lib{{}, "", "", "", false, kNoopen})
                    .lib("pkg/ext.so", {{"liba.so"}, "", "$ORIGIN"})
                    .host()
                    .open("@/pkg/ext.so"));
  for (std::size_t i = 0; i < machine.subdirectories.size(); ++i) {
    std::string below = machine.subdirectories[i];
    S scenario("a library for better processors: " + below);
    scenario.lib("pkg/" + below + "liba.so").lib("pkg/liba.so");
    if (i + 1 < machine.subdirectories.size() && machine.subdirectories[i + 1] != below) {
      scenario.lib("pkg/" + machine.subdirectories[i + 1] + "liba.so");
    }
    all.push_back(scenario.root({{"liba.so"}, "", "$ORIGIN"}));
  }
}

void musl_alone(List& all) {
  all.push_back(S("the configured directories")
                    .lib("sys/liba.so")
                    .root({{"liba.so"}})
                    .config("@/none:@/sys"));
  all.push_back(S("the configured directories on lines of their own")
                    .lib("sys/liba.so")
                    .root({{"liba.so"}})
                    .config("@/none\n@/sys\n"));
  all.push_back(S("RPATH comes before the configured directories")
                    .lib("sys/liba.so")
                    .lib("pkg/liba.so")
                    .root({{"liba.so"}, "$ORIGIN"})
                    .config("@/sys"));
  all.push_back(S("a newline in a search path")
                    .lib("pkg/lib/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN/nowhere\n$ORIGIN/lib"}));
  all.push_back(S("names of the C library are answered by itself")
                    .lib("pkg/libm.so.6")
                    .lib("pkg/libpthread.so.0")
                    .lib("pkg/libmine.so")
                    .root({{"libm.so.6", "libpthread.so.0", "libmine.so"}, "", "$ORIGIN"}));
  all.push_back(S("RUNPATH is inherited from every object up the chain")
                    .lib("pkg/lib/liba.so", {{"libb.so"}, "", "$ORIGIN/none"})
                    .lib("pkg/lib/libb.so", {{"libc1.so"}, "$ORIGIN/none2"})
                    .lib("pkg/lib/libc1.so")
                    .root({{"liba.so"}, "", "$ORIGIN/lib"}));
  all.push_back(S("a token that musl does not know voids the whole search path")
                    .lib("pkg/liba.so")
                    .root({{"liba.so"}, "", "$ORIGIN:$LIB"}));
}

}  // namespace

std::vector<World> scenarios(LoaderKind loader, const Machine& machine) {
  List all;
  reuse(all);
  order(all);
  carriers(all);
  places(all);
  texts(all);
  files(all);
  if (loader == LoaderKind::musl) {
    musl_alone(all);
  } else {
    programs(all);
    glibc_alone(all, machine);
  }
  for (World& world : wheel_scenarios()) all.push_back(std::move(world));
  for (World& world : all) world.loader = loader;
  return all;
}

}  // namespace wheelcheck::worlds
