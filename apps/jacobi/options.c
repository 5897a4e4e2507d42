/* options.c - the command line of the demo: defaults, help and number checks. */
// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: gshrun -n PES jacobi [options]\n"
    "\n"
    "Lets the heat of a picture spread: bright is hot, dark is cold, the edge keeps\n"
    "its temperature. The rows are divided among the PEs, which exchange the rows at\n"
    "their borders in every step. The result is compared with a serial run and\n"
    "written as a picture.\n"
    "\n"
    "  -i, --input FILE    PNG with the temperatures at the start (heat.png)\n"
    "  -o, --output FILE   PNG to write (jacobi.png)\n"
    "  -s, --steps N       time steps, 1 or more (500)\n"
    "      --no-check      leave out the serial run\n"
    "  -h, --help          this text\n"
    "\n"
    "Ends with 0 when the result equals the serial run, with 1 when it does not or\n"
    "something failed, with 2 when an option is wrong.\n";

static const struct option names[] = {
    { "input", required_argument, NULL, 'i' }, { "output", required_argument, NULL, 'o' },
    { "steps", required_argument, NULL, 's' }, { "no-check", no_argument, NULL, 'n' },
    { "help", no_argument, NULL, 'h' },        { NULL, 0, NULL, 0 },
};

static bool read_steps(const char *text, int *steps)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < 1 || value > INT_MAX)
        return false;
    *steps = (int)value;
    return true;
}

static enum options_next wrong(bool speak, const char *what, const char *text)
{
    if (speak)
        fprintf(stderr, "jacobi: %s %s; --help shows the options\n", what, text);
    return OPTIONS_WRONG;
}

enum options_next options_parse(struct options *opt, int argc, char **argv, bool speak)
{
    *opt = (struct options){
        .input = "heat.png", .output = "jacobi.png", .steps = 500, .check = true
    };
    opterr = speak;
    for (int c; (c = getopt_long(argc, argv, "i:o:s:h", names, NULL)) != -1;) {
        switch (c) {
        case 'i':
            opt->input = optarg;
            break;
        case 'o':
            opt->output = optarg;
            break;
        case 's':
            if (!read_steps(optarg, &opt->steps))
                return wrong(speak, "steps must be a whole number of 1 or more, not", optarg);
            break;
        case 'n':
            opt->check = false;
            break;
        case 'h':
            if (speak)
                fputs(help, stdout);
            return OPTIONS_DONE;
        default: /* getopt_long() has said what is wrong */
            return OPTIONS_WRONG;
        }
    }
    if (optind < argc)
        return wrong(speak, "no use for the argument", argv[optind]);
    return OPTIONS_RUN;
}
