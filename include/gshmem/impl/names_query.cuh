/* names_query.cuh - what kernels can ask, and fence and quiet: names. */
// SPDX-License-Identifier: BSD-3-Clause

GSH_ANY_ROW(void, nvshmem_fence, (void), (), gsh_impl::fence())
GSH_ANY_ROW(void, nvshmem_quiet, (void), (), gsh_impl::quiet())

GSH_SAME_ROW(int, nvshmem_my_pe, (void), return gsh_impl::state().my_pe)
GSH_SAME_ROW(int, nvshmem_n_pes, (void), return gsh_impl::state().n_pes)
GSH_SAME_ROW(void *, nvshmem_ptr, (const void *ptr, int pe), return gsh_impl::reach(ptr, pe))
GSH_SAME_ROW(int, nvshmemx_ptr_accessible, (const void *ptr, int pe),
             return gsh_impl::reach(ptr, pe) != NULL)
GSH_SAME_ROW(void *, nvshmemx_mc_ptr, (nvshmem_team_t, const void *), return NULL)

GSH_SAME_ROW(int, nvshmem_team_my_pe, (nvshmem_team_t team), return gsh_impl::team_my_pe(team))
GSH_SAME_ROW(int, nvshmem_team_n_pes, (nvshmem_team_t team), return gsh_impl::team_n_pes(team))
GSH_SAME_ROW(int, nvshmem_team_translate_pe,
             (nvshmem_team_t src_team, int src_pe, nvshmem_team_t dest_team),
             return gsh_impl::team_translate(src_team, src_pe, dest_team))

GSH_SAME_ROW(void, nvshmem_info_get_version, (int *major, int *minor),
             *major = NVSHMEM_MAJOR_VERSION;
             *minor = NVSHMEM_MINOR_VERSION)
GSH_SAME_ROW(void, nvshmemx_vendor_get_version_info, (int *major, int *minor, int *patch),
             *major = NVSHMEM_VENDOR_MAJOR_VERSION;
             *minor = NVSHMEM_VENDOR_MINOR_VERSION; *patch = NVSHMEM_VENDOR_PATCH_VERSION)
GSH_SAME_ROW(void, nvshmem_info_get_name, (char *name),
             memcpy(name, NVSHMEM_VENDOR_STRING, sizeof(NVSHMEM_VENDOR_STRING)))

/* A kernel cannot give the job a status: it stops, and the host sees its launch fail. */
GSH_SAME_ROW(void, nvshmem_global_exit, (int status),
             gsh_impl::fail(__func__, "ends the job (status, PE)", status, gsh_impl::state().my_pe))
