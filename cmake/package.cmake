# What makes an installed copy usable from elsewhere: the libraries under all their
# names, pkg-config and CMake packages. All of it finds its prefix from its own
# place, so that a copy can be moved.
# SPDX-License-Identifier: BSD-3-Clause
include(CMakePackageConfigHelpers)

install(TARGETS gshmem gshmem_static nvshmem_device)

foreach(name libnvshmem.so libnvshmem_host.so libnvshmem_host.so.${NVSHMEM_VENDOR_MAJOR})
    gsh_link(lib ${name} libgshmem.so.${PROJECT_VERSION_MAJOR})
endforeach()
gsh_link(lib libnvshmem.a libgshmem.a)

# In the build tree the files lie where an installed copy has them.
set(place ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
configure_file(cmake/gshmem.pc.in ${place}/pkgconfig/gshmem.pc @ONLY)
configure_file(cmake/gshmemConfig.cmake.in ${place}/cmake/gshmem/gshmemConfig.cmake @ONLY)
configure_file(cmake/GshmemCuda.cmake ${place}/cmake/gshmem/GshmemCuda.cmake COPYONLY)
configure_file(cmake/NVSHMEMConfig.cmake.in ${place}/cmake/nvshmem/NVSHMEMConfig.cmake @ONLY)
write_basic_package_version_file(${place}/cmake/gshmem/gshmemConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
write_basic_package_version_file(${place}/cmake/nvshmem/NVSHMEMConfigVersion.cmake
    VERSION ${NVSHMEM_VENDOR} COMPATIBILITY SameMajorVersion)

install(FILES ${place}/pkgconfig/gshmem.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${place}/cmake/gshmem ${place}/cmake/nvshmem DESTINATION lib/cmake)
install(FILES LICENSE DESTINATION share/doc/gshmem)
