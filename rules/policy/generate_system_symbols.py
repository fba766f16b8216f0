#!/usr/bin/env python3
"""Writes system_symbols.txt from the symbols files that Debian's packages carry.

    apt-get download libc6=2.36-9+deb12u14 libgcc-s1=12.2.0-14+deb12u1 \\
        libstdc++6=12.2.0-14+deb12u1 zlib1g=1:1.2.13.dfsg-1
    rules/policy/generate_system_symbols.py *.deb > rules/policy/system_symbols.txt

The C library and GCC's libraries never take a symbol back, so what a system of a platform tag has
are those symbols whose version the tag allows. Lines of the result:

    # comment
    glibc 2.36                      what is newer than this is not known
    library NAME NEEDED...          until the next such line, all is of this library
    version NAME                    until the next such line, symbols have this version
    N...                            a symbol: as many characters of the one before as N says
                                    ('0' is none, each further character in ASCII one more), then
                                    the rest

Versions are in the order in which they were made, symbols sorted. Names of versions, which linkers
write as symbols, and those that libraries of one package keep to themselves are left out.
"""
import io
import re
import subprocess
import sys
import tarfile

C = ["libc.so.6", "ld-linux-x86-64.so.2"]
LIBRARIES = {
    "ld-linux-x86-64.so.2": [], "libc.so.6": ["ld-linux-x86-64.so.2"], "libm.so.6": C,
    "libdl.so.2": C, "libpthread.so.0": C, "librt.so.1": C, "libutil.so.1": C, "libanl.so.1": C,
    "libresolv.so.2": C, "libmvec.so.1": ["libm.so.6", *C], "libgcc_s.so.1": C,
    "libstdc++.so.6": ["libm.so.6", *C, "libgcc_s.so.1"], "libz.so.1": C,
}
MOST = 50  # characters taken over: the one that says so must not begin a word of the format


def control_file(deb, name):
    tar = subprocess.run(["dpkg-deb", "--ctrl-tarfile", deb], check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(tar.stdout)) as archive:
        return archive.extractfile(f"./{name}").read().decode()


def version_key(version):
    family, _, number = version.rpartition("_")
    numbers = re.findall(r"\d+", number)
    return not numbers, family, [int(n) for n in numbers]


def main():
    versions_of = {}  # library -> version -> symbols
    packages = []
    glibc = ""
    for deb in sorted(sys.argv[1:]):
        control = dict(re.findall(r"^(Package|Version|Architecture): (.*)$",
                                  control_file(deb, "control"), re.M))
        packages.append(f"{control['Package']} {control['Version']} {control['Architecture']}")
        if control["Package"] == "libc6":
            glibc = re.match(r"[\d.]+\d", control["Version"])[0]
        library = None
        for line in control_file(deb, "symbols").splitlines():
            if not line.startswith((" ", "|", "*")):
                library = line.split()[0]
            match = re.match(r" ([^ @]+)@(\S+) ", line)
            if not match or library not in LIBRARIES:
                continue
            symbol, version = match.groups()
            if version != "GLIBC_PRIVATE" and symbol != version:
                versions_of.setdefault(library, {}).setdefault(version, set()).add(symbol)
    missing = set(LIBRARIES) - set(versions_of)
    # Since 2.34 these are empty but for their versions.
    for library in missing - {"libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1",
                              "libanl.so.1"}:
        sys.exit(f"no package has the symbols of {library}")
    print("# Made by generate_system_symbols.py from " + ", ".join(packages))
    print(f"glibc {glibc}")
    for library, needed in LIBRARIES.items():
        print(" ".join(["library", library, *needed]))
        for version in sorted(versions_of.get(library, {}), key=version_key):
            print(f"version {version}")
            before = ""
            for symbol in sorted(versions_of[library][version]):
                shared = 0
                while (shared < min(MOST, len(before), len(symbol))
                       and before[shared] == symbol[shared]):
                    shared += 1
                print(chr(ord("0") + shared) + symbol[shared:])
                before = symbol


main()
