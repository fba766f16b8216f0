# The part that needs a CUDA compiler: WHEELCHECK_BUILD_CUDA is OFF, ON, or AUTO (ON where nvcc is
# found). ON without nvcc stops the configuration: a library without its kernels would load and then
# fail in the hands of the user.
#
# Sets WHEELCHECK_CUDA_FOUND, and defines cuda_options and CUDA::toolkit (headers only).

set(WHEELCHECK_BUILD_CUDA OFF CACHE STRING "Build the CUDA libraries: OFF, ON or AUTO")
set_property(CACHE WHEELCHECK_BUILD_CUDA PROPERTY STRINGS OFF ON AUTO)
set(WHEELCHECK_CUDA_FOUND FALSE)

# The architectures of the published trains, x86_64 first; PTX for the numerically newest alone.
function(train_architectures result toolkit_version)
  set(aarch64 FALSE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(aarch64 TRUE)
  endif()
  if(toolkit_version VERSION_GREATER_EQUAL 13)
    set(list 80 86 89 90 100 120)
    if(aarch64)
      set(list 80 90 100 110 120)
    endif()
  else()
    set(list 80 86 89 90)
    if(aarch64)
      set(list 80 87 90)
    endif()
  endif()
  set(${result} "${list}" PARENT_SCOPE)
endfunction()

# torch_cuda_arch_list(RESULT "8.0;9.0+PTX 12.0"): as 80 90 120; anything that is not a number with a
# dot is refused, since an architecture left out is found by the user only.
function(torch_cuda_arch_list result text)
  string(REGEX REPLACE "[ ,]+" ";" entries "${text}")
  set(list)
  foreach(entry IN LISTS entries)
    if(entry STREQUAL "")
      continue()
    endif()
    string(REGEX REPLACE "\\+PTX$" "" entry "${entry}")
    if(NOT entry MATCHES "^([0-9]+)\\.([0-9])(a?)$")
      message(FATAL_ERROR "TORCH_CUDA_ARCH_LIST: '${entry}' is not an architecture such as 9.0")
    endif()
    list(APPEND list "${CMAKE_MATCH_1}${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
  endforeach()
  set(${result} "${list}" PARENT_SCOPE)
endfunction()

# 80 90 120 -> 80-real 90-real 120-real 120-virtual
function(real_and_newest_virtual result)
  set(list ${ARGN})
  list(SORT list COMPARE NATURAL)
  list(REMOVE_DUPLICATES list)
  list(GET list -1 newest)
  list(TRANSFORM list APPEND "-real")
  list(APPEND list "${newest}-virtual")
  set(${result} "${list}" PARENT_SCOPE)
endfunction()

string(TOUPPER "${WHEELCHECK_BUILD_CUDA}" wanted)
if(NOT wanted MATCHES "^(OFF|ON|AUTO)$")
  message(FATAL_ERROR "WHEELCHECK_BUILD_CUDA is '${WHEELCHECK_BUILD_CUDA}'; it can be OFF, ON or AUTO")
endif()
if(NOT wanted STREQUAL "OFF")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # Chosen below, when the version is known; this one only lets the language be enabled.
    set(CMAKE_CUDA_ARCHITECTURES OFF)
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(WHEELCHECK_CUDA_FOUND TRUE)
  elseif(wanted STREQUAL "ON")
    message(FATAL_ERROR "WHEELCHECK_BUILD_CUDA is ON, but no CUDA compiler was found. "
      "Name it with -DCMAKE_CUDA_COMPILER=.../nvcc or the environment variable CUDACXX.")
  else()
    message(STATUS "No CUDA compiler: the CUDA libraries are not built (WHEELCHECK_BUILD_CUDA=AUTO)")
  endif()
endif()

if(WHEELCHECK_CUDA_FOUND)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    if(DEFINED ENV{TORCH_CUDA_ARCH_LIST} AND NOT "$ENV{TORCH_CUDA_ARCH_LIST}" STREQUAL "")
      torch_cuda_arch_list(architectures "$ENV{TORCH_CUDA_ARCH_LIST}")
    else()
      train_architectures(architectures "${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
    real_and_newest_virtual(CMAKE_CUDA_ARCHITECTURES ${architectures})
  endif()
  message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}, code for ${CMAKE_CUDA_ARCHITECTURES}")
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake before 3.26 does not know that nvcc has it.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)

  add_library(cuda_options INTERFACE)
  target_include_directories(cuda_options INTERFACE "${PROJECT_SOURCE_DIR}")
  target_compile_options(cuda_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=-Wall,-Wextra,-Werror -Werror all-warnings>"
    "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>")
endif()
