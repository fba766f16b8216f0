# Tests stand beside what they test: foo.cpp, foo_test.cpp.

require_package(GTest libgtest-dev libgmock-dev)
include(GoogleTest)

# project_test(NAME SOURCES... [LINK TARGETS...] [LABELS LABELS...])
function(project_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;LABELS")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE project_options ${arg_LINK} GTest::gmock GTest::gtest_main)
  set(properties TIMEOUT 300)
  if(arg_LABELS)
    # One label, since discovery keeps only the first of several; `ctest -L` takes a pattern, and
    # finds each of its parts.
    list(JOIN arg_LABELS "+" label)
    list(APPEND properties LABELS "${label}")
  endif()
  # Without pretty values: those of a struct are its bytes, pointers among them, and a test whose
  # name differs from build to build cannot be named.
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 120 NO_PRETTY_VALUES
    PROPERTIES ${properties})
endfunction()
