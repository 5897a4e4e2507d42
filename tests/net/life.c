/* life - joins the job of its environment, says that it has, and prints what the life line
 * tells it, with the time in seconds. */
// SPDX-License-Identifier: BSD-3-Clause
#include "boot/boot.h"
#include "core/env.h"

#include <poll.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
    struct gsh_life_event event = { .kind = GSH_LIFE_NONE };
    struct gsh_boot boot;

    if (gsh_env_read() || gsh_boot_open(&boot, NULL, NULL) || boot.ops.barrier(&boot))
        return 1;
    printf("PE %d is in\n", boot.rank);
    fflush(stdout);
    while (event.kind == GSH_LIFE_NONE) {
        struct pollfd p = { .fd = boot.life_fd, .events = POLLIN };

        if (poll(&p, 1, 60000) < 1 || boot.ops.life_read(&boot, &event) < 0)
            return 2;
    }
    printf("PE %d at %lld: %s\n", boot.rank, (long long)time(NULL), event.text);
    return 3;
}
