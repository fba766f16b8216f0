# Shared by the commands that look at an installed wheel. Sourced after common.sh, never run.

# fresh_environment FOLDER WHEEL: a virtual environment with the wheel and what it requires. PYTHON is
# the interpreter. With WHEELCHECK_OFFLINE=1, PIP_FIND_LINKS names the folder of what is required.
fresh_environment() {
  local folder=$1 wheel=$2 python=${PYTHON:-python3} pip options=()
  [[ -z ${WHEELCHECK_OFFLINE:-} ]] || options=(--no-index)
  say "installing $(basename "$wheel")"
  if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv "$folder"
    pip=("$folder/bin/python" -m pip)
  else
    # A Python of Debian or Ubuntu without python3-venv, or with its pip left out on purpose.
    "$python" -m venv --without-pip "$folder"
    pip=("$python" -m pip --python "$folder/bin/python")
  fi
  "${pip[@]}" install -q --disable-pip-version-check "${options[@]}" "$wheel"
  "${pip[@]}" check
}

# site_of FOLDER: where that environment has its packages.
site_of() {
  "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))'
}

# harness FOLDER WHEEL OPTIONS... : the tests of an installed wheel (release/harness), on the wheel in
# the environment FOLDER. What wheelcheck says of each library is compared with what ld.so says.
harness() {
  local folder=$1 wheel=$2 build=$root/build/harness work program
  shift 2
  program=${WHEELCHECK_PROGRAM:-$root/build/wheelcheck/verifier/cli/wheelcheck}
  # Built where it is not there yet.
  "$root/ci/wheelcheck" --version >&2
  configure_and_build "$build" installed_wheel_test -DWHEELCHECK_BUILD_VERIFIER=OFF \
    -DWHEELCHECK_BUILD_RUNTIME=OFF -DWHEELCHECK_BUILD_PYTHON=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo
  work=$(mktemp -d -p "$(dirname "$folder")")
  tar -xJf "$root/fixtures/exports/cpu.tar.xz" -C "$work" 1.5.1/cpu_add/model.pte
  tar -xJf "$root/fixtures/exports/cuda.tar.xz" -C "$work" 1.5.1/add/model.pte
  "$build/release/installed_wheel_test" --wheelcheck "$program" --wheel "$wheel" "$@" \
    "$(site_of "$folder")" "$folder/bin/python" "$root" \
    "$work/1.5.1/cpu_add/model.pte" "$work/1.5.1/add/model.pte"
}
