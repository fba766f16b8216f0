#!/usr/bin/env python3
"""Writes system_symbols.txt from the symbols files that Debian's packages carry.

    for machine in amd64 arm64; do
      apt-get download libc6:$machine=2.36-9+deb12u14 libgcc-s1:$machine=12.2.0-14+deb12u1 \\
          libstdc++6:$machine=12.2.0-14+deb12u1 zlib1g:$machine=1:1.2.13.dfsg-1
    done
    rules/policy/generate_system_symbols.py *.deb > rules/policy/system_symbols.txt

The C library and GCC's libraries never take a symbol back, so what a system of a platform tag has
are those symbols whose version the tag allows. Lines of the result:

    # comment
    glibc 2.36                      what is newer than this is not known
    machine x86_64                  all is of this machine, until the next such line
    library NAME NEEDED...          until the next such line, all is of this library
    version NAME                    until the next such line, symbols have this version
    N...                            a symbol: as many characters of the one before as N says
                                    ('0' is none, each further character in ASCII one more), then
                                    the rest

Other machines are told by what is different from the first:

    machine aarch64 GLIBC_2.17      the first glibc for it: what is older there has this version here
    like NAME                       the library begins as what the first machine has by that name
    without NAME                    until the next such line, symbols that do not have this version

Versions are in the order in which they were made, symbols sorted. Names of versions, which linkers
write as symbols, and those that libraries of one package keep to themselves are left out.
"""
import io
import re
import subprocess
import sys
import tarfile

FIRST = "x86_64"
# Debian's name, the loader, the first version of glibc
MACHINES = {FIRST: ("amd64", "ld-linux-x86-64.so.2", ""),
            "aarch64": ("arm64", "ld-linux-aarch64.so.1", "GLIBC_2.17")}


def libraries_of(machine):
    loader = MACHINES[machine][1]
    c = ["libc.so.6", loader]
    libraries = {
        loader: [], "libc.so.6": [loader], "libm.so.6": c, "libdl.so.2": c, "libpthread.so.0": c,
        "librt.so.1": c, "libutil.so.1": c, "libanl.so.1": c, "libresolv.so.2": c,
        "libmvec.so.1": ["libm.so.6", *c], "libgcc_s.so.1": c,
        "libstdc++.so.6": ["libm.so.6", *c, "libgcc_s.so.1"], "libz.so.1": c,
    }
    if machine != FIRST:
        del libraries["libmvec.so.1"]  # glibc 2.38 brings the first for others
    return libraries


MOST = 50  # characters taken over: the one that says so must not begin a word of the format


def control_file(deb, name):
    tar = subprocess.run(["dpkg-deb", "--ctrl-tarfile", deb], check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        return archive.extractfile(f"./{name}").read().decode()


def version_key(version):
    family, _, number = version.rpartition("_")
    numbers = re.findall(r"\d+", number)
    return not numbers, family, [int(n) for n in numbers]


def older(version, first):
    family, _, number = version.rpartition("_")
    first_family, _, first_number = first.rpartition("_")
    return family == first_family and version_key(version) < version_key(first)


def folded(versions, first):
    """The versions of the first machine as another one has them that began with `first`."""
    result = {}
    for version, symbols in versions.items():
        result.setdefault(first if older(version, first) else version, set()).update(symbols)
    return result


def write_versions(word, versions):
    for version in sorted(versions, key=version_key):
        if not versions[version]:
            continue
        print(f"{word} {version}")
        before = ""
        for symbol in sorted(versions[version]):
            shared = 0
            while (shared < min(MOST, len(before), len(symbol))
                   and before[shared] == symbol[shared]):
                shared += 1
            print(chr(ord("0") + shared) + symbol[shared:])
            before = symbol


def main():
    known = {machine: {} for machine in MACHINES}  # machine -> library -> version -> symbols
    packages = []
    glibc = set()
    for deb in sorted(sys.argv[1:]):
        control = dict(re.findall(r"^(Package|Version|Architecture): (.*)$",
                                  control_file(deb, "control"), re.M))
        packages.append(f"{control['Package']} {control['Version']} {control['Architecture']}")
        if control["Package"] == "libc6":
            glibc.add(re.match(r"[\d.]+\d", control["Version"])[0])
        machine = next(name for name, (debian, *_) in MACHINES.items()
                       if debian == control["Architecture"])
        library = None
        for line in control_file(deb, "symbols").splitlines():
            if not line.startswith((" ", "|", "*")):
                library = line.split()[0]
            match = re.match(r" ([^ @]+)@(\S+) ", line)
            if not match or library not in libraries_of(machine):
                continue
            symbol, version = match.groups()
            if version != "GLIBC_PRIVATE" and symbol != version:
                known[machine].setdefault(library, {}).setdefault(version, set()).add(symbol)
    if len(glibc) != 1:
        sys.exit(f"the packages are of glibc {sorted(glibc)}")
    print("# Made by generate_system_symbols.py from " + ", ".join(packages))
    print(f"glibc {glibc.pop()}")
    for machine, (_, loader, first) in MACHINES.items():
        print(f"machine {machine} {first}".rstrip())
        # Since 2.34 these are empty but for their versions.
        missing = set(libraries_of(machine)) - set(known[machine]) - {
            "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1", "libanl.so.1"}
        for library in missing:
            sys.exit(f"no package has the symbols of {library} for {machine}")
        for library, needed in libraries_of(machine).items():
            print(" ".join(["library", library, *needed]))
            versions = known[machine].get(library, {})
            if machine == FIRST:
                write_versions("version", versions)
                continue
            like = MACHINES[FIRST][1] if library == loader else library
            print(f"like {like}")
            begun = folded(known[FIRST].get(like, {}), first)
            write_versions("version", {version: symbols - begun.get(version, set())
                                       for version, symbols in versions.items()})
            write_versions("without", {version: symbols - versions.get(version, set())
                                       for version, symbols in begun.items()})


main()
