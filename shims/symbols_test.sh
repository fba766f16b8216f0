#!/usr/bin/env bash
# symbols_test.sh LIBRARY LIST HELPER: the library exports the names of LIST and nothing else, needs the
# CUDA runtime and the stream helper under the name that was built, and nothing of torch.
set -euo pipefail
library=$1 list=$2 helper=$3
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort)
if ! diff <(grep -v '^#' "$list" | LC_ALL=C sort) <(printf '%s\n' "$exported"); then
  echo "the exported names (>) are not those of $list (<)" >&2
  exit 1
fi
dynamic=$(readelf -dW "$library")
for needed in libcudart.so. "$(basename "$helper")"; do
  grep -F NEEDED <<<"$dynamic" | grep -qF "[$needed" || { echo "$needed is not needed" >&2; exit 1; }
done
if grep -F NEEDED <<<"$dynamic" | grep -E '\[lib(torch|c10|cuda\.so|curand|nvrtc)'; then
  echo "these must not be needed" >&2
  exit 1
fi
grep -qF 'soname: [libaoti_cuda_shims.so]' <<<"$dynamic" || { echo "wrong SONAME" >&2; exit 1; }
