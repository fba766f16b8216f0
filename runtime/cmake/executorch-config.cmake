# CMake package of the ExecuTorch runtime.
#
#   find_package(executorch REQUIRED COMPONENTS kernels_optimized)
#   target_link_libraries(app PRIVATE executorch::runtime executorch::kernels_optimized)
#
# Targets, of which `runtime` is always there and the rest when the package has the library:
#   executorch::runtime            loads and executes programs
#   executorch::kernels_optimized  the CPU kernels of operators
#   executorch::kernels_quantized  kernels of quantised operators; only linked when named
#   executorch::backend_cuda       the CUDA delegate
#   executorch::extension_cuda     the caller's CUDA stream
#
# Variables, for projects that don't use targets (all of the first four have to be applied):
#   EXECUTORCH_LIBRARIES, EXECUTORCH_INCLUDE_DIRS, EXECUTORCH_COMPILE_DEFINITIONS,
#   EXECUTORCH_CXX_STANDARD, EXECUTORCH_RUNTIME_LIBRARY_DIR, EXECUTORCH_BUILD_VERSION (with the
#   local label, such as +cu130), EXECUTORCH_FOUND
#
# A component that isn't in the package sets executorch_<component>_FOUND to FALSE, and the whole
# package is not found when it is required. Works with CMake 3.19 and newer; the package may be
# moved, and this file may be read more than once.

if(CMAKE_VERSION VERSION_LESS 3.19)
  set(executorch_FOUND FALSE)
  set(executorch_NOT_FOUND_MESSAGE
    "the ExecuTorch package needs CMake 3.19 or newer, this is ${CMAKE_VERSION}")
  return()
endif()
cmake_policy(PUSH)
cmake_policy(VERSION 3.19)

set(EXECUTORCH_FOUND OFF)
set(EXECUTORCH_LIBRARIES "")

# The package's root. This file lies in share/cmake and in lib/cmake/executorch; the first is only
# in the root. Tested by name: a search would be redirected when cross-compiling.
set(_executorch_root "")
foreach(_executorch_up IN ITEMS .. ../.. ../../..)
  get_filename_component(_executorch_candidate "${CMAKE_CURRENT_LIST_DIR}/${_executorch_up}" ABSOLUTE)
  if(EXISTS "${_executorch_candidate}/share/cmake/executorch-config.cmake")
    set(_executorch_root "${_executorch_candidate}")
    break()
  endif()
endforeach()
set(_executorch_lib "${_executorch_root}/lib")
set(_executorch_rpath_file "${_executorch_root}/share/cmake/executorch-rpath.txt")

# What nothing works without.
set(EXECUTORCH_INCLUDE_DIRS
  "${_executorch_root}/include"
  "${_executorch_root}/include/executorch/runtime/core/portable_type/c10")
foreach(_executorch_needed IN LISTS EXECUTORCH_INCLUDE_DIRS ITEMS
    "${_executorch_lib}/libexecutorch.so" "${_executorch_rpath_file}")
  if(NOT EXISTS "${_executorch_needed}")
    set(executorch_FOUND FALSE)
    set(executorch_NOT_FOUND_MESSAGE "the ExecuTorch package lacks ${_executorch_needed}")
    unset(EXECUTORCH_INCLUDE_DIRS)
    cmake_policy(POP)
    return()
  endif()
endforeach()

set(EXECUTORCH_COMPILE_DEFINITIONS C10_USING_CUSTOM_GENERATED_MACROS ET_EVENT_TRACER_ENABLED)
set(EXECUTORCH_CXX_STANDARD 17)
set(EXECUTORCH_RUNTIME_LIBRARY_DIR "${_executorch_lib}")

# find_package() reads the version file in a scope of its own.
set(EXECUTORCH_BUILD_VERSION "")
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/executorch-config-version.cmake" _executorch_line
  REGEX "^set\\(EXECUTORCH_BUILD_VERSION")
if(_executorch_line MATCHES "\"(.*)\"")
  set(EXECUTORCH_BUILD_VERSION "${CMAKE_MATCH_1}")
endif()

# _executorch_add(COMPONENT FILE): the target for lib/FILE, unless it is there already. Libraries
# that only register something have no symbol that a program uses, so that a linker which drops
# unused libraries has to be told; SHELL: keeps CMake from merging the options of two components.
#
# A program finds the libraries next to itself or in ../lib, and, until it is moved, here. CMake
# before 3.28 can't write $ORIGIN in a link option (Makefiles double the dollar sign, Ninja drops
# the word), so the compiler reads it from a file.
function(_executorch_add component file)
  if(TARGET executorch::${component})
    return()
  endif()
  add_library(executorch::${component} SHARED IMPORTED)
  set_target_properties(executorch::${component} PROPERTIES
    IMPORTED_LOCATION "${_executorch_lib}/${file}"
    IMPORTED_SONAME "${file}"
    INTERFACE_INCLUDE_DIRECTORIES "${EXECUTORCH_INCLUDE_DIRS}"
    INTERFACE_COMPILE_FEATURES cxx_std_${EXECUTORCH_CXX_STANDARD}
    INTERFACE_COMPILE_DEFINITIONS "${EXECUTORCH_COMPILE_DEFINITIONS}")
  set(options "@${_executorch_rpath_file}" "LINKER:-rpath,${_executorch_lib}")
  if(NOT component STREQUAL "runtime")
    set_target_properties(executorch::${component} PROPERTIES
      INTERFACE_LINK_LIBRARIES executorch::runtime)
    list(APPEND options
      "SHELL:-Wl,--push-state,--no-as-needed \"${_executorch_lib}/${file}\" -Wl,--pop-state")
  endif()
  set_target_properties(executorch::${component} PROPERTIES INTERFACE_LINK_OPTIONS "${options}")
endfunction()

# Every component that a package may have; OPT_IN ones are not in EXECUTORCH_LIBRARIES.
set(_executorch_has "")
foreach(_executorch_component IN ITEMS runtime kernels_optimized kernels_quantized backend_cuda
    extension_cuda)
  set(_executorch_file "libexecutorch_${_executorch_component}.so")
  if(_executorch_component STREQUAL "runtime")
    set(_executorch_file "libexecutorch.so")
  elseif(_executorch_component STREQUAL "extension_cuda"
      AND NOT EXISTS "${_executorch_lib}/${_executorch_file}")
    # The name that it has beside a runtime that is not shared.
    set(_executorch_file "libextension_cuda.so")
  endif()
  if(NOT EXISTS "${_executorch_lib}/${_executorch_file}")
    continue()
  endif()
  _executorch_add(${_executorch_component} ${_executorch_file})
  list(APPEND _executorch_has ${_executorch_component})
  set(executorch_${_executorch_component}_FOUND TRUE)
  if(_executorch_component STREQUAL "kernels_quantized")
    set(EXECUTORCH_QUANTIZED_KERNELS_LIBRARY executorch::kernels_quantized)
  else()
    list(APPEND EXECUTORCH_LIBRARIES executorch::${_executorch_component})
  endif()
endforeach()

set(executorch_FOUND TRUE)
set(_executorch_missing "")
foreach(_executorch_component IN LISTS executorch_FIND_COMPONENTS)
  if(NOT _executorch_component IN_LIST _executorch_has)
    set(executorch_${_executorch_component}_FOUND FALSE)
    if(executorch_FIND_REQUIRED_${_executorch_component})
      list(APPEND _executorch_missing ${_executorch_component})
    endif()
  endif()
endforeach()
if(_executorch_missing)
  set(executorch_FOUND FALSE)
  list(JOIN _executorch_missing ", " _executorch_missing)
  list(JOIN _executorch_has ", " _executorch_has)
  set(executorch_NOT_FOUND_MESSAGE "the ExecuTorch package at ${_executorch_root} \
(${EXECUTORCH_BUILD_VERSION}) has no component ${_executorch_missing}; it has ${_executorch_has}")
endif()
set(EXECUTORCH_FOUND ${executorch_FOUND})

foreach(_executorch_name IN ITEMS root up candidate lib rpath_file needed line has component file
    missing)
  unset(_executorch_${_executorch_name})
endforeach()
unset(_executorch_name)
cmake_policy(POP)
