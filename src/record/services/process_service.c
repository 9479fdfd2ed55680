#include "record/services/process_service.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text/utf.h"
#include "record/runtime/proc_stat.h"
#include "record/services/container_name.h"
#include "record/services/control_group.h"
#include "record/services/program_name.h"

enum { PATH_MOST = 4096, READ_MOST = 256 * 1024 }; /* command lines may be megabytes */
enum { KTHREADD = 2 };                             /* all threads of the kernel are its children */

/* ---- Files of /proc, which say no size ------------------------------------------------------- */

static bool read_file(const char *root, int32_t process, const char *name, struct flm_text *text)
{
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s/proc/%d/%s", root, process, name);
    text->size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return false;
    ssize_t size = 0;
    do {
        char *at = flm_text_reserve(text, 4096);
        size = at ? read(file, at, 4096) : -1;
        text->size += size > 0 ? (size_t)size : 0;
    } while (size > 0 && text->size < READ_MOST);
    close(file);
    return size >= 0;
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static struct flm_bytes read_program(const char *root, int32_t process, char path[PATH_MOST])
{
    char link[PATH_MOST];
    snprintf(link, sizeof link, "%s/proc/%d/exe", root, process);
    ssize_t size = readlink(link, path, PATH_MOST);
    return (struct flm_bytes){path, size > 0 ? (size_t)size : 0};
}

/* ---- What a process says of itself ----------------------------------------------------------- */

/* The value of "KEY=VALUE" in a list in which `gap` stands behind each. */
static struct flm_bytes value_in(struct flm_bytes list, const char *key, char gap)
{
    size_t key_size = strlen(key);
    while (list.size > 0) {
        const char *end = memchr(list.at, gap, list.size);
        struct flm_bytes item = {list.at, end ? (size_t)(end - list.at) : list.size};
        if (item.size > key_size && flm_bytes_start_with(item, key) && item.at[key_size] == '=')
            return flm_bytes_from(item, key_size + 1);
        list = flm_bytes_from(list, item.size + (end != NULL));
    }
    return (struct flm_bytes){0};
}

static struct flm_bytes own_name(struct flm_bytes environment)
{
    struct flm_bytes name = value_in(environment, "OTEL_SERVICE_NAME", 0);
    if (name.size > 0)
        return name;
    return value_in(value_in(environment, "OTEL_RESOURCE_ATTRIBUTES", 0), "service.name", ',');
}

/* ---- Putting it together --------------------------------------------------------------------- */

/* A program may call itself by any bytes. */
void flm_service_named(struct flm_bytes name, struct flm_text *text)
{
    size_t start = text->size;
    flm_text_add(text, name);
    if (!text->failed)
        text->size = start + flm_utf8_mask_hidden(text->at + start, text->size - start);
    flm_text_putc(text, 0);
}

static void add_label(struct flm_text *text, const char *key, const char *value)
{
    if (!value[0])
        return;
    flm_text_puts(text, key);
    flm_text_putc(text, '=');
    flm_service_named(flm_bytes_of(value), text);
}

/* The files of a container's runtime are the machine's, which a container with the machine's
 * processes sees through its first one. */
static bool find_container(const char *root, const char *id, struct flm_container_name *name)
{
    char machine[PATH_MOST];
    snprintf(machine, sizeof machine, "%s/proc/1/root", root);
    return flm_container_name_find(root, id, name) || flm_container_name_find(machine, id, name);
}

static void compose(const char *root, const struct flm_control_group *group, struct flm_bytes own,
                    struct flm_bytes program, struct flm_service_identity *identity)
{
    struct flm_container_name container = {0};
    struct flm_text *text = &identity->text;
    bool is_container = group->container[0] && find_container(root, group->container, &container);
    struct flm_bytes name = own.size > 0          ? own
                            : container.pod[0]    ? flm_pod_workload(flm_bytes_of(container.pod))
                            : is_container        ? flm_bytes_of(container.name)
                            : group->container[0] ? program
                            : group->unit[0]      ? flm_bytes_of(group->unit)
                                                  : program;
    char id[13] = "";
    memcpy(id, group->container, sizeof id - 1); /* as docker ps has it */
    flm_service_named(name, text);
    add_label(text, "container", is_container ? container.name : id);
    add_label(text, "namespace", container.space);
    add_label(text, "pod", container.pod[0] ? container.pod : group->pod);
    add_label(text, "unit", group->unit);
    identity->is_shared = own.size > 0 || is_container || (group->unit[0] && !group->container[0]);
}

enum flm_process_found flm_process_service(const char *root, int32_t process,
                                           struct flm_service_identity *identity)
{
    struct flm_text groups = {0}, arguments = {0}, environment = {0};
    struct flm_control_group group;
    char program[PATH_MOST];
    struct flm_proc_stat stat;
    *identity = (struct flm_service_identity){0};
    bool is_there = flm_proc_stat_read(root, process, 0, &stat) &&
                    read_file(root, process, "cgroup", &groups) &&
                    read_file(root, process, "cmdline", &arguments);
    struct flm_bytes file = is_there ? read_program(root, process, program) : (struct flm_bytes){0};
    struct flm_bytes name = flm_program_name(file, bytes_of(&arguments));
    if (is_there && (process == KTHREADD || stat.parent == KTHREADD)) {
        flm_service_named(flm_bytes_of("kernel"), &identity->text);
    } else if (is_there && name.size > 0) {
        flm_control_group_parse(bytes_of(&groups), &group);
        if (!read_file(root, process, "environ", &environment))
            environment.size = 0;
        compose(root, &group, own_name(bytes_of(&environment)), name, identity);
    } else {
        is_there = false; /* it has ended, and its parent has not asked for its status yet */
    }
    bool failed = groups.failed || arguments.failed || environment.failed || identity->text.failed;
    flm_text_clear(&groups);
    flm_text_clear(&arguments);
    flm_text_clear(&environment);
    return failed ? FLM_PROCESS_NO_MEMORY : is_there ? FLM_PROCESS_FOUND : FLM_PROCESS_GONE;
}
