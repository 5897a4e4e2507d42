/* view.h - a buffer of the program as a second view of pages in the window. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef GSH_HEAP_VIEW_H
#define GSH_HEAP_VIEW_H

#include <stddef.h>

/* Is it private memory of this process, for reading and writing? -EINVAL after gsh_miss(). */
int gsh_view_check(const char *call, const char *buffer, size_t bytes);

/* Whole pages. The contents move to `pages`, which come to lie at the buffer as well; end()
 * copies them to pages of the buffer's own. Nobody may write meanwhile. */
int gsh_view_begin(char *buffer, char *pages, size_t bytes);
void gsh_view_end(char *buffer, size_t bytes);

#endif /* GSH_HEAP_VIEW_H */
