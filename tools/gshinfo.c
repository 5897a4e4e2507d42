/* gshinfo - what this build of gshmem is, and what it finds here: boot methods and
 * transports with the reason why one cannot be used, the machine, its GPUs, and every
 * environment variable with its value and where that comes from.
 *
 * It starts no job. The table of docs/environment.md is its --markdown.
 */
// SPDX-License-Identifier: BSD-3-Clause
#include "gpus.h"

#include "boot/boot.h"
#include "boot/interface.h"
#include "core/env.h"
#include "core/log.h"
#include "tr/transport.h"

#include <getopt.h>
#include <gshmem/version.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

enum { LONG_MARKDOWN = 256, LONG_VERSION };

static const char usage_text[] =
    "usage: gshinfo [-b] [-t] [-g] [-e] [-a] [-h]\n"
    "\n"
    "Shows what gshmem finds on this machine. Without options: all but -a.\n"
    "\n"
    "  -b           the build: version, compiler, options\n"
    "  -t           boot methods, transports, network interfaces, and the machine\n"
    "  -g           GPUs, how they reach each other, and what stands in for them\n"
    "  -e           environment variables: value, origin, meaning\n"
    "  -a           also those that are accepted and have no effect here\n"
    "  --markdown   the variables as a table for the documentation\n"
    "  --version    the version\n"
    "  -h, --help   this text\n";

static void show_build(void)
{
    printf("build\n");
    printf("  version      gshmem %s\n", GSHMEM_VERSION);
    printf("  interface    %s\n", NVSHMEM_VENDOR_STRING);
    printf("  compiler     %s\n", GSH_BUILD_COMPILER);
    printf("  type         %s\n", GSH_BUILD_TYPE);
    if (GSH_BUILD_SANITIZE[0])
        printf("  sanitizers   %s\n", GSH_BUILD_SANITIZE);
    printf("\n");
}

/* usable() as a boot method and a transport have it; without it, always. */
static void show_usable(const char *name, int (*usable)(const char **), const char *what)
{
    const char *why_not = "no reason given";

    if (!usable || usable(&why_not))
        printf("  %-12s usable%s%s\n", name, *what ? ": " : "", what);
    else
        printf("  %-12s not used: %s\n", name, why_not);
}

static void show_methods(void)
{
    printf("boot methods, in the order in which they are tried\n");
    for (size_t i = 0; gsh_boot_drivers[i]; i++)
        show_usable(gsh_boot_drivers[i]->name, gsh_boot_drivers[i]->usable, "");
    printf("\ntransports, in order of preference\n");
    for (size_t i = 0; gsh_tr_drivers[i]; i++)
        show_usable(gsh_tr_drivers[i]->name, gsh_tr_drivers[i]->usable, gsh_tr_drivers[i]->what);
    printf("\n");
}

static void show_interface(const char *interface, const char *address, const char *why)
{
    printf("  %-12s %-16s %s\n", interface, address, why);
}

/* Without an exchange of its own a job meets at an address of PE 0's machine. */
static void show_interfaces(void)
{
    printf("network interfaces, for PEs that meet over the network\n");
    if (!strcmp(gsh_env.BOOTSTRAP_UID_SOCK_FAMILY, "AF_UNIX"))
        printf("  none is needed: NVSHMEM_BOOTSTRAP_UID_SOCK_FAMILY is AF_UNIX\n");
    gsh_interface_explain(gsh_env.BOOTSTRAP_UID_SOCK_FAMILY, gsh_env.BOOTSTRAP_UID_SOCK_IFNAME,
                          show_interface);
    printf("\n");
}

/* Where it is on the bus, its model, and the names the system gives it. */
static void show_device(hwloc_obj_t obj, const char *class)
{
    const char *model = hwloc_obj_get_info_by_name(obj, "PCIDevice");
    const struct hwloc_pcidev_attr_s *pci = &obj->attr->pcidev;

    printf("  %-12s %04x:%02x:%02x.%x", class, (unsigned)pci->domain, pci->bus, pci->dev,
           pci->func);
    if (model)
        printf(" %s", model);
    for (hwloc_obj_t os = obj->io_first_child; os; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE)
            printf(" (%s)", os->name);
    printf("\n");
}

static void show_devices(hwloc_topology_t topology)
{
    hwloc_obj_t obj = NULL;
    int shown = 0;

    while ((obj = hwloc_get_next_pcidev(topology, obj))) {
        unsigned base = obj->attr->pcidev.class_id >> 8;

        if (base != 0x02 && base != 0x03)
            continue;
        show_device(obj, base == 0x02 ? "NIC" : "GPU");
        shown++;
    }
    if (!shown)
        printf("  %-12s no GPU and no NIC on the PCI bus\n", "devices");
}

static int count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topology, type);

    return n < 0 ? 0 : n;
}

static void show_node_memory(hwloc_topology_t topology)
{
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
        printf("  NUMA %-7u %llu MiB, %d cores\n", node->logical_index,
               (unsigned long long)node->attr->numanode.local_memory >> 20,
               hwloc_get_nbobjs_inside_cpuset_by_type(topology, node->cpuset, HWLOC_OBJ_CORE));
}

/* NULL, with a message, when there is none. */
static hwloc_topology_t read_machine(void)
{
    hwloc_topology_t topology;

    if (hwloc_topology_init(&topology)) {
        gsh_fail(-1, "hwloc cannot be started; check the installation of libhwloc");
        return NULL;
    }
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (!hwloc_topology_load(topology))
        return topology;
    hwloc_topology_destroy(topology);
    gsh_fail(-1, "hwloc cannot read the topology of this machine");
    return NULL;
}

static void show_machine(hwloc_topology_t topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

    printf("machine\n");
    printf("  %-12s %d x %s\n", "packages", count(topology, HWLOC_OBJ_PACKAGE),
           model ? model : "unknown model");
    printf("  %-12s %d, with %d hardware threads\n", "cores", count(topology, HWLOC_OBJ_CORE),
           count(topology, HWLOC_OBJ_PU));
    show_node_memory(topology);
    show_devices(topology);
    printf("\n");
}

static bool is_accepted(size_t row)
{
    return !strcmp(gsh_env_rows[row].kind, "accepted");
}

static void show_environment(void)
{
    printf("environment\n");
    for (size_t i = 0; i < gsh_env_n_rows; i++) {
        const char *origin;
        const char *text = gsh_env_text(i, &origin);

        if (is_accepted(i))
            continue;
        printf("  %s=%s  (%s)\n", gsh_env_rows[i].name, text, origin);
        printf("      %s; %s\n", gsh_env_rows[i].kind, gsh_env_rows[i].help);
    }
    printf("\n");
}

static void show_accepted(void)
{
    printf("accepted, without effect here\n");
    for (size_t i = 0; i < gsh_env_n_rows; i++) {
        const char *origin;
        const char *text = gsh_env_text(i, &origin);

        if (!is_accepted(i))
            continue;
        if (!strcmp(origin, "default"))
            printf("  %s\n", gsh_env_rows[i].name);
        else
            printf("  %s=%s  (%s)\n", gsh_env_rows[i].name, text, origin);
    }
    printf("\n");
}

static int show_markdown(void)
{
    printf("# Environment variables\n"
           "\n"
           "Read at init. `gshinfo -e` shows the values in force. A name with one of these\n"
           "prefixes that is not listed here draws a warning with the nearest name that is.\n"
           "This file is the output of `gshinfo --markdown`.\n\n");
    printf("| variable | kind | default | part | meaning |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < gsh_env_n_rows; i++) {
        const struct gsh_env_row *row = &gsh_env_rows[i];

        if (!is_accepted(i))
            printf("| `%s` | %s | %s | %s | %s |\n", row->name, row->kind,
                   *row->preset ? row->preset : "(empty)", row->part, row->help);
    }
    printf("\nAccepted, without effect here:\n\n");
    for (size_t i = 0; i < gsh_env_n_rows; i++)
        if (is_accepted(i))
            printf("- `%s`\n", gsh_env_rows[i].name);
    return EXIT_SUCCESS;
}

struct wish {
    bool build, methods, gpus, environment, accepted;
};

/* Returns -1, or the exit status when all is done. */
static int parse(int argc, char **argv, struct wish *wish)
{
    static const struct option longs[] = { { "help", no_argument, NULL, 'h' },
                                           { "markdown", no_argument, NULL, LONG_MARKDOWN },
                                           { "version", no_argument, NULL, LONG_VERSION },
                                           { 0 } };
    int option;

    while ((option = getopt_long(argc, argv, "btgaeh", longs, NULL)) != -1) {
        if (option == 'b')
            wish->build = true;
        else if (option == 't')
            wish->methods = true;
        else if (option == 'g')
            wish->gpus = true;
        else if (option == 'e')
            wish->environment = true;
        else if (option == 'a')
            wish->accepted = true;
        else if (option == 'h')
            return printf("%s", usage_text) < 0;
        else if (option == LONG_MARKDOWN)
            return show_markdown();
        else if (option == LONG_VERSION)
            return printf("gshinfo %s\n", GSHMEM_VERSION) < 0;
        else
            return EXIT_USAGE;
    }
    if (optind == argc)
        return -1;
    fprintf(stderr, "gshinfo: '%s': takes options only; gshinfo -h shows them\n", argv[optind]);
    return EXIT_USAGE;
}

static int show_hardware(const struct wish *wish)
{
    hwloc_topology_t topology = read_machine();

    if (!topology)
        return EXIT_FAILURE;
    if (wish->methods)
        show_machine(topology);
    if (wish->gpus)
        gsh_show_gpus(topology);
    hwloc_topology_destroy(topology);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    struct wish wish = { 0 };
    int status = parse(argc, argv, &wish);

    if (status >= 0)
        return status;
    if (!wish.build && !wish.methods && !wish.gpus && !wish.environment && !wish.accepted)
        wish.build = wish.methods = wish.gpus = wish.environment = true;
    /* Tells about bad and unknown variables; the others are in force. */
    status = gsh_env_read() ? EXIT_FAILURE : EXIT_SUCCESS;
    if (wish.build)
        show_build();
    if (wish.methods) {
        show_methods();
        show_interfaces();
    }
    if ((wish.methods || wish.gpus) && show_hardware(&wish))
        status = EXIT_FAILURE;
    if (wish.environment)
        show_environment();
    if (wish.accepted)
        show_accepted();
    return status;
}
