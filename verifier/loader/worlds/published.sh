#!/usr/bin/env bash
# published.sh PROGRAM WHEELS SCRATCH NAME...: unpacks published wheels side by side and lets
# loader_differential compare every library of theirs. 77: a wheel is not there.
set -euo pipefail
program=$1 wheels=$2 scratch=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"
for name in "$@"; do
  found=("$wheels/$name"-*.whl)
  [[ -f ${found[0]} ]] || exit 77
  unzip -q -o "${found[0]}" -d "$scratch"
done
"$program" environment "$scratch"
