/* report.h - what the engine says before it ends the job. All run on the thread's own
 * stack (gsh_cpu_at_home()); of several that find something at once, the first speaks. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_GPU_CPU_REPORT_H
#define GSH_GPU_CPU_REPORT_H

#include "gpu/cpu/block.h"

/* The threads of the block wait for each other and can never meet. */
_Noreturn void gsh_cpu_report_apart(struct block *block);
/* block->text is what block->caller has met. */
_Noreturn void gsh_cpu_report_trap(struct block *block);
/* The same, said without ending the job. */
void gsh_cpu_report_wait(struct block *block);
/* block->caller has used more than its stack. */
_Noreturn void gsh_cpu_report_stack(struct block *block);
/* Sets same_place: both block->places are the same line of the source. */
void gsh_cpu_compare_places(struct block *block);

#endif /* GSH_GPU_CPU_REPORT_H */
