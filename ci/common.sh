# Shared by the commands in ci/. Sourced, never run.
#
# Everything slow lives in one cache outside the checkout, in folders keyed by
# version, so that a second checkout (or a second run) builds only the project.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${WHEELCHECK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wheelcheck}
jobs=${WHEELCHECK_JOBS:-$(nproc)}

say() { printf '%s\n' "== $*" >&2; }
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 3
}

# Distribution packages: what it takes to build and run wheelcheck.
apt_build=(g++ cmake ninja-build pkg-config python3-venv unzip libzip-dev libisal-dev
  libssl-dev libcli11-dev nlohmann-json3-dev libeigen3-dev)
# ... and what the tests need besides: oracles, compilers for fixtures, gtest.
apt_test=(libgtest-dev libgmock-dev libbenchmark-dev binutils gcc-aarch64-linux-gnu musl-tools
  patchelf python3-dev)

# apt_install PACKAGE... : installs those that are missing; with WHEELCHECK_OFFLINE=1 only names them.
apt_install() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    [[ -z ${WHEELCHECK_OFFLINE:-} ]] || return 0
    die "this is not a Debian or Ubuntu system; install by hand: $*"
  fi
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if [[ -n ${WHEELCHECK_OFFLINE:-} ]]; then
    # Whatever is really missing fails where it is used: a tool may have come from elsewhere.
    say "not installed, as WHEELCHECK_OFFLINE is set: ${missing[*]}"
    return 0
  fi
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "missing packages; as root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# once KEY FUNCTION: runs FUNCTION with a fresh folder as its argument and, if
# it succeeds, moves that folder to $cache/KEY. Later calls find it there.
# Prints the folder. Two runs at once are kept apart by a lock.
once() {
  local key=$1 make=$2 dir=$cache/$1
  mkdir -p "$cache"
  (
    flock 9
    if [[ ! -d $dir ]]; then
      local partial=$dir.partial
      rm -rf "$partial"
      mkdir -p "$partial"
      # Not in a condition: `set -e` must stay in force inside.
      "$make" "$partial" >&2
      mv "$partial" "$dir"
    fi
  ) 9>"$cache/$key.lock"
  printf '%s\n' "$dir"
}

# --- Python tools -----------------------------------------------------------

python_env_key=python-$(cat "$root/ci/requirements.txt" <(python3 -V 2>&1) | sha256sum | cut -c1-12)
make_python_env() {
  say "creating a Python environment for the test oracles"
  # Built at its final place: a virtual environment cannot be moved.
  local final=${1%.partial}
  python3 -m venv "$final.venv"
  "$final.venv/bin/python" -m pip install -q --require-hashes -r "$root/ci/requirements.txt"
  printf '%s\n' "$final.venv" >"$1/path"
}
python_env() { cat "$(once "$python_env_key" make_python_env)/path"; }

# --- LIEF -------------------------------------------------------------------

lief_version=0.12.3
lief_sha256=62e81d2f1a827d43152aed12446a604627e8833493a51dca027026eed0ce7128
# The flags are part of the key: changing them must rebuild.
lief_flags=(-DCMAKE_BUILD_TYPE=Release -DLIEF_PYTHON_API=OFF -DLIEF_C_API=OFF
  -DLIEF_EXAMPLES=OFF -DLIEF_TESTS=OFF -DLIEF_DOC=OFF -DLIEF_ENABLE_JSON=OFF
  -DLIEF_ART=OFF -DLIEF_DEX=OFF -DLIEF_OAT=OFF -DLIEF_VDEX=OFF -DLIEF_LOGGING=OFF)
lief_key=lief-$lief_version-$(printf '%s\n' "${lief_flags[@]}" "$(c++ --version 2>/dev/null | head -n1)" |
  sha256sum | cut -c1-8)

make_lief() {
  local out=$1 work
  work=$(mktemp -d)
  say "fetching and building LIEF $lief_version (about five minutes, once)"
  # pip prepares metadata with the release's own setup.py, which needs an older
  # setuptools; nothing of it is installed.
  printf 'setuptools<80\n' >"$work/constraints.txt"
  printf 'lief==%s --hash=sha256:%s\n' "$lief_version" "$lief_sha256" >"$work/lief.txt"
  python3 -m venv "$work/venv"
  PIP_CONSTRAINT=$work/constraints.txt "$work/venv/bin/python" -m pip download -q --no-deps \
    --no-binary :all: --require-hashes -r "$work/lief.txt" -d "$work"
  unzip -q "$work/lief-$lief_version.zip" -d "$work"
  cmake -S "$work/lief-$lief_version" -B "$work/build" -G Ninja "${lief_flags[@]}" \
    -DCMAKE_INSTALL_PREFIX="$out" -DCMAKE_POLICY_VERSION_MINIMUM=3.5 >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; die "LIEF did not configure"; }
  cmake --build "$work/build" -j "$jobs" --target install >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log"; die "LIEF did not build"; }
  rm -rf "$work"
}
lief_dir() { once "$lief_key" make_lief; }

# --- Published wheels -------------------------------------------------------

# One folder for all pins: a changed pin fetches one wheel, not all.
wheels_dir() { printf '%s\n' "$cache/wheels"; }

# upstream_sdk: the folder of upstream's SDK, from the pinned wheel.
upstream_wheel=executorch-1.5.1-cp312-cp312-manylinux_2_28_x86_64.whl
make_upstream_sdk() {
  unzip -q "$("$root/ci/fetch-wheels")/$upstream_wheel" 'executorch/include/*' 'executorch/lib/*' \
    'executorch/share/cmake/*' -d "$1"
}
upstream_sdk() { printf '%s\n' "$(once "sdk-${upstream_wheel%%-cp*}" make_upstream_sdk)/executorch"; }

# --- Versions of CMake ------------------------------------------------------

# That of Ubuntu 22.04, of Debian 12, the first that upstream's package supports, the newest.
cmake_pins=(
  3.22.6:a2357c510e37db7df156c31ab43857b4583e3a2ece8220747e8a007aea50aa45
  3.25.2:f9587645cea5298d5eb20649f58a83cc53c9efa7d57b0716449a39f366a74986
  3.28.4:bc06b483cb2bcaf78184e66ac7fd0f3bbe4ed9a690369b1e4897b19568d566dd
  4.4.5:85625a9b6d5e88ff99c7eb79123d85570844e77ac076366cf75c609cc0b1b579)
make_cmake() {
  say "fetching CMake ${pin%%:*}"
  printf 'cmake==%s --hash=sha256:%s\n' "${pin%%:*}" "${pin#*:}" >"$1/pin.txt"
  "$(python_env)/bin/python" -m pip install -q --no-deps --only-binary=:all: --require-hashes \
    -r "$1/pin.txt" --target "$1/python"
  chmod +x "$1"/python/cmake/data/bin/*
}
# pinned_cmake VERSION: the program of that version.
pinned_cmake() {
  local pin
  for pin in "${cmake_pins[@]}"; do
    [[ ${pin%%:*} != "$1" ]] ||
      printf '%s\n' "$(once "cmake-$1" make_cmake)/python/cmake/data/bin/cmake"
  done
}

# --- The project itself -----------------------------------------------------

# configure_and_build FOLDER TARGET CMAKE-OPTIONS... : quiet unless it fails.
configure_and_build() {
  local folder=$1 target=$2
  shift 2
  mkdir -p "$folder"
  [[ -e $folder/build.log ]] || say "building (once; later runs build only what changed)"
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  if ! cmake -S "$root" -B "$folder" -G Ninja "${launcher[@]}" "$@" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    die "configuring failed"
  fi
  if ! cmake --build "$folder" -j "$jobs" --target "$target" >"$folder/build.log" 2>&1; then
    tail -n 60 "$folder/build.log" >&2
    die "the build failed; the whole log is $folder/build.log"
  fi
}
