/* options.h - the command line of the demo. */
// SPDX-License-Identifier: BSD-3-Clause
#ifndef JACOBI_OPTIONS_H
#define JACOBI_OPTIONS_H

#include <stdbool.h>

struct options {
    const char *input;
    const char *output;
    int steps;
    bool check;
};

enum options_next { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Every PE parses the same arguments to the same end; only the one that is told
 * to speak prints the help or the mistake. */
enum options_next options_parse(struct options *opt, int argc, char **argv, bool speak);

#endif /* JACOBI_OPTIONS_H */
