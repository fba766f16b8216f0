# How the libraries of a wheel are compiled: with debug information, which is taken out afterwards
# (release/finish.py), and without a trace of where they were built.

add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g1>)
# The later of two that fit is used.
foreach(place IN ITEMS "${PROJECT_SOURCE_DIR}=." "${PROJECT_BINARY_DIR}=build")
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${place}>"
    # nvcc hands on through a shell, which takes these quotes away.
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=\"${place}\">")
endforeach()

# A search path of the build folder would go into what the build id is made of.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

# The names of nvcc's intermediate files become symbols: kept, they are named for the source, else for
# the process. Sources of one name would need folders of their own. (Other names that nvcc makes up:
# cuda_sources_by_name.)
set(intermediate "${PROJECT_BINARY_DIR}/nvcc")
file(MAKE_DIRECTORY "${intermediate}")
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-keep --keep-dir=\"${intermediate}\">")
