#!/usr/bin/env python3
"""Writes platforms.json from the policies that auditwheel carries as data.

    pip download --no-deps auditwheel==6.8.0
    rules/policy/generate_platforms.py auditwheel-6.8.0-py3-none-any.whl > rules/policy/platforms.json

What a platform tag allows is decided by the projects behind PEP 600 and PEP 656; auditwheel's
JSON is where they record it. One entry per policy; the versions and the names that differ by
architecture stand below it. Names of the dynamic loader, which auditwheel treats in code, and the
SONAME that musl's libc has on each architecture are added here.
"""
import json
import re
import sys
import zipfile

LOADERS = {
    "x86_64": "ld-linux-x86-64.so.2", "i686": "ld-linux.so.2", "aarch64": "ld-linux-aarch64.so.1",
    "armv7l": "ld-linux-armhf.so.3", "ppc64le": "ld64.so.2", "ppc64": "ld64.so.1",
    "s390x": "ld64.so.1", "riscv64": "ld-linux-riscv64-lp64d.so.1",
    "loongarch64": "ld-linux-loongarch-lp64d.so.1",
}
MUSL_ARCH = {"i686": "x86", "armv7l": "armv7"}

# On no list, yet on nearly every system of the kind; projects leave them out on purpose, because
# two copies in one process do harm. A wheel that needs one gets a warning.
COMMON = {
    "libgomp.so.1": "GCC's OpenMP runtime, part of the distribution's libgomp package",
    "libmvec.so.1": "glibc's vector maths library, on x86_64 and aarch64 only",
}


def version_key(version):
    return [int(part) if part.isdigit() else -1 for part in re.split(r"[._]", version)]


def main():
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        origin = next(n.split("/")[0] for n in wheel.namelist() if ".dist-info/" in n)
        load = lambda name: json.loads(wheel.read(f"auditwheel/policy/{name}-policy.json"))
        sources = {"manylinux": load("manylinux"), "musllinux": load("musllinux")}
    policies = []
    for kind, entries in sources.items():
        for entry in entries:
            match = re.fullmatch(rf"{kind}_(\d+)_(\d+)", entry["name"])
            if not match:
                continue  # "linux": promises nothing
            architectures = {}
            for arch, versions in sorted(entry["symbol_versions"].items()):
                libraries = []
                if kind == "manylinux":
                    libraries.append(LOADERS[arch])
                else:
                    name = MUSL_ARCH.get(arch, arch)
                    libraries += [f"libc.musl-{name}.so.1", f"ld-musl-{name}.so.1"]
                architectures[arch] = {
                    "libraries": libraries,
                    "symbol_versions": {
                        family: sorted(values, key=version_key)
                        for family, values in sorted(versions.items())
                    },
                }
            policies.append({
                "kind": kind, "major": int(match[1]), "minor": int(match[2]),
                "libraries": sorted(entry["lib_whitelist"]),
                "blacklist": {k: sorted(v) for k, v in sorted(entry["blacklist"].items())},
                "architectures": architectures,
            })
    policies.sort(key=lambda p: (p["kind"], p["major"], p["minor"]))
    common = [{"name": name, "what": what} for name, what in sorted(COMMON.items())]
    text = json.dumps({"generated_by": "generate_platforms.py", "from": origin,
                       "common": common, "policies": policies}, indent=1)
    # Lists of strings on one line: a person reads this file in reviews.
    print(re.sub(r"\[\s+((?:\"[^\"]*\",?\s*)+)\]",
                 lambda m: "[" + re.sub(r"\s+", " ", m[1]).strip() + "]", text))


main()
