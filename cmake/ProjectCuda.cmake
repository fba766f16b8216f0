# The part that needs a CUDA compiler: WHEELCHECK_BUILD_CUDA is OFF, ON, or AUTO (ON where nvcc is
# found). ON without nvcc stops the configuration: a library without its kernels would load and then
# fail in the hands of the user.
#
# WHEELCHECK_ROW is the row of the wheel that is built, if one is: it decides, and its toolkit alone
# will do.
#
# Sets WHEELCHECK_CUDA_FOUND, and defines cuda_options and CUDA::toolkit (headers only).

include(ProjectRowGuards)
set(WHEELCHECK_ROW "" CACHE STRING "Row of the wheel that is built: cpu, cu130; empty: no wheel")
set(PROJECT_ROW_LABEL "")
set(PROJECT_ROW_VERSION "")
if(NOT WHEELCHECK_ROW STREQUAL "")
  read_row(row "${WHEELCHECK_ROW}")
  if(NOT row_ERROR)
    row_contradiction(row_ERROR "${row_LABEL}" "${WHEELCHECK_BUILD_CUDA}")
  endif()
  if(NOT row_ERROR AND NOT row_LABEL STREQUAL "cpu")
    find_cuda_compiler(row_compiler)
    row_compiler_error(row_ERROR "${row_LABEL}" "${row_VERSION}" "${row_compiler}")
    # The one that was judged is the one that compiles.
    set(CMAKE_CUDA_COMPILER "${row_compiler}")
  endif()
  if(row_ERROR)
    message(FATAL_ERROR "${row_ERROR}")
  endif()
  set(PROJECT_ROW_LABEL "${row_LABEL}")
  set(PROJECT_ROW_VERSION "${row_VERSION}")
  if(row_LABEL STREQUAL "cpu")
    set(WHEELCHECK_BUILD_CUDA OFF CACHE STRING "" FORCE)
  else()
    set(WHEELCHECK_BUILD_CUDA ON CACHE STRING "" FORCE)
  endif()
endif()

set(WHEELCHECK_BUILD_CUDA OFF CACHE STRING "Build the CUDA libraries: OFF, ON or AUTO")
set_property(CACHE WHEELCHECK_BUILD_CUDA PROPERTY STRINGS OFF ON AUTO)
set(WHEELCHECK_CUDA_FOUND FALSE)

# The architectures of the newest train (rules/policy/trains.json, oldest first) that the toolkit is
# not older than; of the oldest for one that is older than all.
function(train_architectures result toolkit_version)
  set(machine x86_64)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(machine aarch64)
  endif()
  set(file "${PROJECT_SOURCE_DIR}/rules/policy/trains.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" policy)
  set(chosen 0)
  string(JSON count LENGTH "${policy}" trains)
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON major GET "${policy}" trains ${i} major)
    string(JSON minor GET "${policy}" trains ${i} minor)
    if(toolkit_version VERSION_GREATER_EQUAL "${major}.${minor}")
      set(chosen ${i})
    endif()
  endforeach()
  set(list)
  string(JSON count LENGTH "${policy}" trains ${chosen} architectures ${machine})
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON architecture GET "${policy}" trains ${chosen} architectures ${machine} ${i})
    list(APPEND list ${architecture})
  endforeach()
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
if("${PROJECT_SOURCE_DIR}${PROJECT_BINARY_DIR}" MATCHES ",")
  if(wanted STREQUAL "ON")
    message(FATAL_ERROR "nvcc takes a folder with a comma in its name for two. "
      "Build ${PROJECT_SOURCE_DIR} elsewhere, or without CUDA.")
  endif()
  set(wanted OFF)
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
    if(PROJECT_ROW_VERSION)
      row_runtime_error(row_ERROR "${PROJECT_ROW_LABEL}" "${PROJECT_ROW_VERSION}"
        "${CUDA_cudart_LIBRARY}" "${CUDAToolkit_INCLUDE_DIRS}")
      if(row_ERROR)
        message(FATAL_ERROR "${row_ERROR}")
      endif()
    endif()
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
    # A row has its own list: a variable that happens to be set must not leave any of it out.
    if(DEFINED ENV{TORCH_CUDA_ARCH_LIST} AND NOT "$ENV{TORCH_CUDA_ARCH_LIST}" STREQUAL ""
        AND NOT PROJECT_ROW_LABEL)
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

# cuda_sources_by_name(TARGET): nvcc makes names of the path of a source for what the source and its
# headers, CUDA's own among them, have in anonymous namespaces. This gives it the path below the
# project, so that the names are the same wherever the project lies.
function(cuda_sources_by_name target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cu$")
  foreach(source IN LISTS sources)
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${path}")
    set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS
      "-Xcudafe=--orig_src_path_name=${path}")
  endforeach()
endfunction()
