# How the libraries of a wheel are compiled: with debug information, which is taken out afterwards
# (release/finish.py), and without a trace of where they were built.

add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g1>)
# The later of two that fit is used.
foreach(place IN ITEMS "${PROJECT_SOURCE_DIR}=." "${PROJECT_BINARY_DIR}=build")
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${place}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffile-prefix-map=${place}>")
endforeach()

# A search path of the build folder would go into what the build id is made of.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)

# name_device_code(TARGET): nvcc makes names of random numbers, unless it is given one for each file.
function(name_device_code target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cu$")
      set_property(SOURCE "${source}" TARGET_DIRECTORY ${target} APPEND PROPERTY
        COMPILE_OPTIONS "-frandom-seed=${source}")
    endif()
  endforeach()
endfunction()
