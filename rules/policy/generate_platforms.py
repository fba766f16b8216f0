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

# On no list, yet on most systems of the kind. Projects leave them out on purpose, because two
# copies in one process do harm or because they talk to the system's own services. A wheel that
# needs one gets a warning. Left side: what they are part of; right side: names.
COMMON = {
    "GCC's OpenMP runtime": ["libgomp.so.1"],
    "glibc's vector maths library, on x86_64 and aarch64 only": ["libmvec.so.1"],
    "the system's graphics libraries (GLVND, Mesa, DRM)": [
        "libEGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libGLESv2.so.2", "libGLU.so.1",
        "libGLdispatch.so.0", "libdrm.so.2", "libgbm.so.1", "libvulkan.so.1", "libOpenCL.so.1"],
    "the X Window System": [
        "libX11-xcb.so.1", "libXcomposite.so.1", "libXcursor.so.1", "libXdamage.so.1",
        "libXfixes.so.3", "libXi.so.6", "libXinerama.so.1", "libXrandr.so.2", "libXtst.so.6",
        "libXss.so.1", "libXt.so.6", "libXau.so.6", "libXdmcp.so.6", "libxcb.so.1",
        "libxcb-cursor.so.0", "libxcb-glx.so.0", "libxcb-icccm.so.4", "libxcb-image.so.0",
        "libxcb-keysyms.so.1", "libxcb-randr.so.0", "libxcb-render.so.0",
        "libxcb-render-util.so.0", "libxcb-shape.so.0", "libxcb-shm.so.0", "libxcb-sync.so.1",
        "libxcb-util.so.1", "libxcb-xfixes.so.0", "libxcb-xinerama.so.0", "libxcb-xkb.so.1",
        "libxkbcommon.so.0", "libxkbcommon-x11.so.0", "libxkbfile.so.1", "libxshmfence.so.1"],
    "Wayland": ["libwayland-client.so.0", "libwayland-cursor.so.0", "libwayland-egl.so.1",
                "libwayland-server.so.0"],
    "the system's fonts and text": ["libfontconfig.so.1", "libfreetype.so.6", "libharfbuzz.so.0"],
    "GLib and GTK": [
        "libgio-2.0.so.0", "libgmodule-2.0.so.0", "libgtk-3.so.0", "libgdk-3.so.0",
        "libgdk_pixbuf-2.0.so.0", "libatk-1.0.so.0", "libatk-bridge-2.0.so.0", "libatspi.so.0",
        "libcairo.so.2", "libcairo-gobject.so.2", "libpango-1.0.so.0", "libpangocairo-1.0.so.0"],
    "the system's services (D-Bus, udev, sound, printing, Kerberos)": [
        "libdbus-1.so.3", "libudev.so.1", "libsystemd.so.0", "libasound.so.2", "libpulse.so.0",
        "libpulse-mainloop-glib.so.0", "libcups.so.2", "libgssapi_krb5.so.2", "libnss3.so",
        "libnssutil3.so", "libsmime3.so", "libplc4.so", "libplds4.so", "libnspr4.so"],
    "the system's compression libraries": ["libzstd.so.1", "libbrotlidec.so.1",
                                           "libbrotlicommon.so.1", "liblzma.so.5", "libbz2.so.1.0"],
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
                    "libraries": " ".join(libraries),
                    "symbol_versions": {
                        family: " ".join(sorted(values, key=version_key))
                        for family, values in sorted(versions.items())
                    },
                }
            policies.append({
                "kind": kind, "major": int(match[1]), "minor": int(match[2]),
                "libraries": " ".join(sorted(entry["lib_whitelist"])),
                "blacklist": {k: " ".join(sorted(v)) for k, v in sorted(entry["blacklist"].items())},
                "architectures": architectures,
            })
    policies.sort(key=lambda p: (p["kind"], p["major"], p["minor"]))
    common = [{"name": name, "what": what} for what, names in COMMON.items() for name in names]
    # Lists of names are one string each: a person reads this file in reviews, and every check
    # reads it when it starts.
    print(json.dumps({"generated_by": "generate_platforms.py", "from": origin,
                      "common": common, "policies": policies}, indent=1))


main()
