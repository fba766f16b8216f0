#!/usr/bin/env bash
# sdk_test.sh CMAKE BUILD COMPILER CUDART_FOLDER: installs the package with its CUDA components somewhere,
# moves it, builds a user's project that asks for them, and runs it without a GPU: the delegate and the
# memory of devices are registered, and the caller's stream is the one state of the process.
set -euo pipefail
cmake=$1 build=$2 compiler=$3 cudart=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --component runtime --prefix "$work/first" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
mv "$work/first" "$work/sdk"
mkdir "$work/app"
cat >"$work/app/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.19)
project(app LANGUAGES CXX)
find_package(executorch 1.5 REQUIRED COMPONENTS kernels_optimized backend_cuda extension_cuda)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE executorch::runtime executorch::backend_cuda executorch::extension_cuda)
PROJECT
cat >"$work/app/main.cpp" <<'PROGRAM'
#include <cstdio>
#include <executorch/extension/cuda/caller_stream.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>

namespace et = executorch::runtime;
namespace cuda = executorch::extension::cuda;

int main() {
  const cuda::CallerStreamGuard guard(nullptr);
  const bool good = et::get_backend_class("CudaBackend") != nullptr &&
                    et::get_device_allocator(et::etensor::DeviceType::CUDA) != nullptr &&
                    cuda::getCallerStream().has_value();
  std::puts(good ? "all there" : "something is missing");
  return good ? 0 : 1;
}
PROGRAM
{
  # The CUDA runtime is where its own package puts it: here, in the toolkit.
  "$cmake" -S "$work/app" -B "$work/app/build" -DCMAKE_PREFIX_PATH="$work/sdk" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$cudart" &&
    "$cmake" --build "$work/app/build"
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH=$cudart "$work/app/build/app"
for library in lib/libexecutorch_backend_cuda.so backends/cuda/libaoti_cuda_shims.so; do
  ! readelf -dW "$work/sdk/$library" | grep -F RUNPATH | grep -q '[[:]/' ||
    { echo "$library has a path of the machine that built it" >&2; exit 1; }
done
