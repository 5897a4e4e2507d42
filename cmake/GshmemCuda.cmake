# gshmem_add_cuda(target...) - compiles the .cu sources of these targets for the CPU device,
# with the C++ compiler of the project, and links gshmem. Where the project has enabled
# CUDA, nvcc compiles them as usual, and gshmem is linked.
#
# CMake takes the sources for C++, so that folders, definitions, options, the standard and
# dependencies on headers are those of the target; the compiler is called through gshcc,
# which knows better.
# SPDX-License-Identifier: BSD-3-Clause

function(gshmem_add_cuda)
    foreach(target IN LISTS ARGN)
        target_link_libraries(${target} PRIVATE gshmem::gshmem)
        if(CMAKE_CUDA_COMPILER)
            continue()
        endif()
        if(NOT CMAKE_CXX_COMPILER)
            message(FATAL_ERROR "gshmem_add_cuda(${target}): the project must enable CXX")
        endif()
        get_target_property(sources ${target} SOURCES)
        list(FILTER sources INCLUDE REGEX "\\.cu$")
        set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS -xcu)
        set_target_properties(${target} PROPERTIES
            CXX_COMPILER_LAUNCHER "${GSHMEM_PREFIX}/bin/gshcc;--target=cpu;-ccbin")
        target_link_libraries(${target} PRIVATE gshmem::gshcudart)
    endforeach()
endfunction()
