#!/usr/bin/env bash
# why_published.sh PROGRAM WHEELS SCRATCH CC PATCHELF: the published torch-tensorrt-executorch-runtime
# 0.1.0, whose libraries have no search path and are found only as its extension names the same ones.
# The real loader refuses them; what `why` says to its message is done; the loader takes them. 77: a
# wheel is not there.
set -euo pipefail
program=$1 wheels=$2 scratch=$3 cc=$4 patchelf=$5
wheel=($wheels/torch_tensorrt_executorch_runtime-0.1.0-*.whl)
runtime=($wheels/nvidia_cuda_runtime-13.0.*.whl)
[[ -f ${wheel[0]} && -f ${runtime[0]} ]] || exit 77
rm -rf "$scratch"
mkdir -p "$scratch/site"
cd "$scratch/site"
unzip -q "${wheel[0]}"
unzip -q "${runtime[0]}"
cat >../host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** names) {
  if (count == 2 && dlopen(names[1], RTLD_NOW)) return 0;
  puts(dlerror());
  return 1;
}
END
"$cc" -o ../host ../host.c -ldl
# Without ld.so.cache: what this machine has installed is of no interest.
opens() { /lib64/ld-linux-x86-64.so.2 --inhibit-cache ../host "$PWD/torch_tensorrt_executorch_runtime/$1"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

for library in libextension_cuda.so libaoti_cuda_shims.so; do
  message=$(opens "$library") && fail "$library loads as it is published"
  status=0
  "$program" why "${wheel[0]}" "$message" >../why.txt || status=$?
  ((status == 1)) || fail "exit code $status for: $message"
  grep -q "FAIL  libcudart.so.13" ../why.txt || fail "the object that asked was not found"
done

status=0
"$program" why "${wheel[0]}" libaoti_cuda_shims.so >../why.txt || status=$?
((status == 1)) || fail "exit code $status"
grep -q '^fix, tried in the model:' ../why.txt || fail "no fix is suggested"
sed -n 's/^      patchelf/"$patchelf"/p' ../why.txt >../commands
(($(wc -l <../commands) == 2)) || fail "not two commands: $(cat ../commands)"
. ../commands

for library in libextension_cuda.so libaoti_cuda_shims.so; do
  opens "$library" || fail "$library does not load after the change"
  "$program" why . "torch_tensorrt_executorch_runtime/$library" >../why.txt ||
    fail "$library is still found wanting: $(cat ../why.txt)"
done
