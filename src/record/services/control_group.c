#include "record/services/control_group.h"

#include <string.h>

#include "base/number/number.h"

static bool is_hexadecimal(struct flm_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!flm_is_one_of(text.at[i], "0123456789abcdef"))
            return false;
    return true;
}

/* ---- One part of a path ---------------------------------------------------------------------- */

/* "4f2a...", "docker-4f2a....scope", "cri-containerd-4f2a....scope", "libpod-4f2a....scope"; podman's
 * conmon watches a container from outside. */
static void take_container(struct flm_bytes part, struct flm_control_group *group)
{
    enum { SIZE = FLM_CONTAINER_ID_SIZE };
    if (flm_bytes_end_with(part, ".scope"))
        part.size -= strlen(".scope");
    if (part.size < SIZE || flm_bytes_start_with(part, "libpod-conmon-"))
        return;
    struct flm_bytes id = flm_bytes_from(part, part.size - SIZE);
    if (is_hexadecimal(id) && (part.size == SIZE || id.at[-1] == '-')) {
        memcpy(group->container, id.at, SIZE);
        group->container[SIZE] = 0;
    }
}

/* "pod1a2b3c4d-...", "kubepods-burstable-pod1a2b3c4d_....slice": systemd has no dashes there. */
static void take_pod(struct flm_bytes part, struct flm_control_group *group)
{
    enum { SIZE = FLM_POD_ID_SIZE };
    if (flm_bytes_end_with(part, ".slice"))
        part.size -= strlen(".slice");
    if (part.size < SIZE + 3 || memcmp(part.at + part.size - SIZE - 3, "pod", 3) != 0)
        return;
    memcpy(group->pod, part.at + part.size - SIZE, SIZE);
    group->pod[SIZE] = 0;
    for (char *at = group->pod; *at; at++)
        if (*at == '_')
            *at = '-';
}

/* "nginx.service". That of a user's own systemd is none, since it has all that the user runs. In names
 * of units \x2d is a byte that is none of those that stand for themselves: systemd-escape(1). */
static void take_unit(struct flm_bytes part, struct flm_control_group *group)
{
    size_t size = 0;
    if (!flm_bytes_end_with(part, ".service") || flm_bytes_start_with(part, "user@"))
        return;
    part.size -= strlen(".service");
    for (size_t i = 0; i < part.size && size < FLM_UNIT_MOST - 1; i++) {
        bool is_escaped = i + 3 < part.size && part.at[i] == '\\' && part.at[i + 1] == 'x' &&
                          flm_hex_value(part.at[i + 2]) >= 0 && flm_hex_value(part.at[i + 3]) >= 0;
        char byte = part.at[i];
        if (is_escaped) {
            byte = (char)(flm_hex_value(part.at[i + 2]) << 4 | flm_hex_value(part.at[i + 3]));
            i += 3;
        }
        group->unit[size++] = byte;
    }
    group->unit[size] = 0;
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static void parse_path(struct flm_bytes path, struct flm_control_group *group)
{
    *group = (struct flm_control_group){0};
    while (path.size > 0) {
        const char *slash = memchr(path.at, '/', path.size);
        struct flm_bytes part = {path.at, slash ? (size_t)(slash - path.at) : path.size};
        take_container(part, group);
        take_pod(part, group);
        if (!group->container[0])
            take_unit(part, group);
        path = flm_bytes_from(path, part.size + (slash != NULL));
    }
    if (group->container[0])
        group->unit[0] = 0;
}

static int weight_of(const struct flm_control_group *group)
{
    return (group->container[0] ? 4 : 0) + (group->pod[0] ? 2 : 0) + (group->unit[0] ? 1 : 0);
}

void flm_control_group_parse(struct flm_bytes text, struct flm_control_group *group)
{
    *group = (struct flm_control_group){0};
    while (text.size > 0) {
        const char *end = memchr(text.at, '\n', text.size);
        struct flm_bytes line = {text.at, end ? (size_t)(end - text.at) : text.size};
        const char *path = memchr(line.at, '/', line.size); /* 12:cpu,cpuacct:/path */
        struct flm_control_group found = {0};
        if (path)
            parse_path(flm_bytes_from(line, (size_t)(path - line.at)), &found);
        if (weight_of(&found) > weight_of(group))
            *group = found;
        text = flm_bytes_from(text, line.size + (end != NULL));
    }
}
