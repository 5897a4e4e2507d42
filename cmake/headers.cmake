# The include folder of the build tree, which is what gets installed: links to
# the headers of the source tree, the generated version, and the names under
# which NVSHMEM programs include parts of the interface.
# SPDX-License-Identifier: BSD-3-Clause

set(GSHMEM_INCLUDE ${PROJECT_BINARY_DIR}/include)

# Each is one line that includes nvshmem.h.
set(GSHMEM_FORWARDED
    host/nvshmem_api.h
    host/nvshmem_coll_api.h
    host/nvshmem_macros.h
    host/nvshmemx_api.h
    host/nvshmemx_coll_api.h
    device/nvshmem_coll_defines.cuh
    device/nvshmem_defines.h
    device/nvshmemx_coll_defines.cuh
    device/nvshmemx_collective_launch_apis.h
    device/nvshmemx_defines.h
    device_host/nvshmem_common.cuh
    device_host/nvshmem_types.h
    device_host_transport/nvshmem_common_ibgda.h
    bootstrap_device_host/nvshmem_uniqueid.h
    non_abi/nvshmem_build_options.h
    non_abi/nvshmemx_error.h
    non_abi/device/threadgroup/nvshmemi_common_device_defines.cuh)

foreach(name IN LISTS GSHMEM_FORWARDED)
    configure_file(cmake/forward.h.in ${GSHMEM_INCLUDE}/${name} @ONLY)
endforeach()

# Build systems read the release from the text of the second.
foreach(name gshmem/version.h non_abi/nvshmem_version.h)
    configure_file(cmake/version.h.in ${GSHMEM_INCLUDE}/${name} @ONLY)
endforeach()

file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS
    include/*.h include/*.cuh include/gshmem/cpu/cuda/*)
foreach(name IN LISTS headers)
    get_filename_component(folder ${name} DIRECTORY)
    file(MAKE_DIRECTORY ${GSHMEM_INCLUDE}/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/${name} ${GSHMEM_INCLUDE}/${name} SYMBOLIC)
    install(FILES include/${name} DESTINATION include/${folder})
endforeach()

foreach(name IN LISTS GSHMEM_FORWARDED ITEMS gshmem/version.h non_abi/nvshmem_version.h)
    get_filename_component(folder ${name} DIRECTORY)
    install(FILES ${GSHMEM_INCLUDE}/${name} DESTINATION include/${folder})
endforeach()
