# Compiler settings shared by every target of the project, and the two functions
# by which targets are made, so that no target can forget them.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)  # for clang-tidy
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_library(project_options INTERFACE)
target_include_directories(project_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(project_options INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wsign-conversion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wcast-qual -Wformat=2)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: std::string's operator+ is said to overlap itself at -O3.
  target_compile_options(project_options INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O3 GCC follows values into copies of code that no call reaches, and warns of them; where
  # differs by version. Shown then; builds at -O2, as ci/ makes them, keep watch.
  foreach(warning IN ITEMS array-bounds maybe-uninitialized restrict stringop-overflow stringop-overread)
    target_compile_options(project_options INTERFACE "$<$<CONFIG:Release>:-Wno-error=${warning}>")
  endforeach()
endif()
if(WHEELCHECK_SANITIZE)
  target_compile_options(project_options INTERFACE
    -fsanitize=${WHEELCHECK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(project_options INTERFACE -fsanitize=${WHEELCHECK_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # What the sanitizers insert makes GCC see uninitialised values, copies beyond an object's end and
    # more that is not there; its manual advises against -Werror beside them. Builds without
    # sanitizers keep watch.
    target_compile_options(project_options INTERFACE -Wno-error)
  endif()
endif()

if(WHEELCHECK_BUILD_FUZZERS)
  # Coverage feedback from every library, not only from the target's own file.
  target_compile_options(project_options INTERFACE -fsanitize=fuzzer-no-link)
  add_custom_target(fuzzers)
endif()

# require_package(NAME PACKAGE...): find_package, or a message that says what to install.
macro(require_package name)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. Install it with: apt-get install ${ARGN}")
  endif()
endmacro()

# require_pkgconfig(TARGET MODULE PACKAGE): an imported target from pkg-config.
function(require_pkgconfig target module package)
  find_package(PkgConfig QUIET)
  if(NOT PkgConfig_FOUND)
    message(FATAL_ERROR "pkg-config was not found. Install it with: apt-get install pkg-config")
  endif()
  pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} was not found. Install it with: apt-get install ${package}")
  endif()
endfunction()

# project_library(NAME SOURCES... [LINK TARGETS...])
function(project_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC project_options ${arg_LINK})
endfunction()

# project_fuzzer(NAME SOURCE CORPUS [LINK TARGETS...])
# Always builds a replay of the corpus as a test; with WHEELCHECK_BUILD_FUZZERS
# also the libFuzzer program fuzz_NAME.
function(project_fuzzer name source corpus)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "LINK")
  if(WHEELCHECK_BUILD_FUZZERS)
    add_executable(fuzz_${name} ${source} "${PROJECT_SOURCE_DIR}/fuzz/asan_options.cpp")
    target_link_libraries(fuzz_${name} PRIVATE project_options ${arg_LINK})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers fuzz_${name})
  endif()
  if(WHEELCHECK_BUILD_TESTS)
    add_executable(replay_${name} ${source} "${PROJECT_SOURCE_DIR}/fuzz/replay_main.cpp")
    target_link_libraries(replay_${name} PRIVATE project_options ${arg_LINK})
    add_test(NAME fuzz.${name}.corpus COMMAND replay_${name} "${corpus}")
  endif()
endfunction()
