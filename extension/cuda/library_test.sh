#!/usr/bin/env bash
# library_test.sh LIBRARY: the stream helper exports its five functions under the names that compiled
# consumers ask for, nothing else of its own, needs no CUDA library, and is called as its file is.
set -euo pipefail
library=$1
fail() { printf '%s\n' "$1" >&2; exit 1; }

expected='_ZN10executorch9extension4cuda15getCallerStreamEv
_ZN10executorch9extension4cuda17CallerStreamGuardC1EP11CUstream_st
_ZN10executorch9extension4cuda17CallerStreamGuardC2EP11CUstream_st
_ZN10executorch9extension4cuda17CallerStreamGuardD1Ev
_ZN10executorch9extension4cuda17CallerStreamGuardD2Ev'
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort)
[[ $exported == "$expected" ]] || fail "exported are:
$exported
and should be:
$expected"

dynamic=$(readelf -dW "$library")
if grep -E 'NEEDED.*(cuda|cudart|nvrtc|libc10|libtorch|libexecutorch)' <<<"$dynamic"; then
  fail "the helper must not need these"
fi
grep -qF "SONAME" <<<"$dynamic" || fail "there is no SONAME"
grep -qF "Library soname: [$(basename "$library")]" <<<"$dynamic" || fail "the SONAME is not the file's name"
