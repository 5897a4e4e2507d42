/* device.c - the one object of libnvshmem_device.a: device code lies in headers,
 * but projects that were written for NVSHMEM name an archive of it. */
// SPDX-License-Identifier: BSD-3-Clause
const char gsh_device_code_is_in_headers[] = "gshmem";
