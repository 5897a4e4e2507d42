/* rewrite.h - what gshcu changes, a file a subject. Each looks at the whole source. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_CU_REWRITE_H
#define GSH_CU_REWRITE_H

#include "edit.h"

/* kernel<<<grid, block, bytes, stream>>>(arguments). */
void cu_launches(struct cu_edits *edits);

/* __global__ functions become able to launch themselves. */
void cu_kernels(struct cu_edits *edits);

/* __shared__ variables, static and dynamic. */
void cu_shared(struct cu_edits *edits);

/* asm of PTX: some known forms, an error for the others. */
void cu_ptx(struct cu_edits *edits);

#endif /* GSH_CU_REWRITE_H */
