# embed_file(TARGET FILE): puts FILE into TARGET as
#   std::string_view wheelcheck::embedded::<name>_<extension>();
# made when it is built, so that the program needs no file at run time. Declare it in
# rules/embedded.h. This file is also the script that does the work.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE "${OUTPUT}.new"
    "#include \"rules/embedded.h\"\n"
    "namespace wheelcheck::embedded {\n"
    "namespace {\n"
    "constexpr unsigned char kBytes[] = {\n${bytes}0x00};\n"
    "}\n"
    "std::string_view ${NAME}() {\n"
    "  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes) - 1};\n"
    "}\n"
    "}\n")
  file(RENAME "${OUTPUT}.new" "${OUTPUT}")
  return()
endif()

set(EMBED_FILE_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(embed_file target file)
  get_filename_component(input "${file}" ABSOLUTE)
  get_filename_component(base "${file}" NAME)
  string(MAKE_C_IDENTIFIER "${base}" name)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name}
      -P "${EMBED_FILE_SCRIPT}"
    DEPENDS "${input}" "${EMBED_FILE_SCRIPT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
