#include "record/services/container_name.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/text/json_read.h"
#include "os/file_bytes.h"

enum { PATH_MOST = 4096 };

static bool copy(char out[FLM_CONTAINER_NAME_MOST], struct flm_bytes text)
{
    if (text.size == 0 || text.size >= FLM_CONTAINER_NAME_MOST)
        return false;
    memcpy(out, text.at, text.size);
    out[text.size] = 0;
    return true;
}

/* ---- Kubernetes ------------------------------------------------------------------------------ */

/* "POD_NAMESPACE_CONTAINER-ID.log": none of the names has an underscore. */
static bool parse_log(struct flm_bytes file, const char *id, struct flm_container_name *name)
{
    char end[80];
    snprintf(end, sizeof end, "-%s.log", id);
    if (!flm_bytes_end_with(file, end))
        return false;
    file.size -= strlen(end);
    const char *first = memchr(file.at, '_', file.size);
    if (!first)
        return false;
    struct flm_bytes pod = {file.at, (size_t)(first - file.at)};
    file = flm_bytes_from(file, pod.size + 1);
    const char *second = memchr(file.at, '_', file.size);
    if (!second)
        return false;
    struct flm_bytes space = {file.at, (size_t)(second - file.at)};
    return copy(name->pod, pod) && copy(name->space, space) &&
           copy(name->name, flm_bytes_from(file, space.size + 1));
}

static bool find_in_pods(const char *root, const char *id, struct flm_container_name *name)
{
    char path[PATH_MOST];
    snprintf(path, sizeof path, "%s/var/log/containers", root);
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(folder));)
        found = parse_log(flm_bytes_of(entry->d_name), id, name);
    closedir(folder);
    return found;
}

static bool is_suffix(struct flm_bytes text, size_t least, size_t most, const char *set)
{
    if (text.size < least || text.size > most)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (!flm_is_one_of(text.at[i], set))
            return false;
    return true;
}

/* Splits off what follows the last dash. */
static struct flm_bytes split_last(struct flm_bytes text, struct flm_bytes *last)
{
    size_t at = text.size;
    while (at > 0 && text.at[at - 1] != '-')
        at--;
    *last = flm_bytes_from(text, at);
    return at > 1 ? (struct flm_bytes){text.at, at - 1} : (struct flm_bytes){text.at, 0};
}

struct flm_bytes flm_pod_workload(struct flm_bytes pod)
{
    static const char safe[] = "bcdfghjklmnpqrstvwxz2456789", digits[] = "0123456789";
    struct flm_bytes last, before = split_last(pod, &last);
    if (before.size == 0)
        return pod;
    if (is_suffix(last, 1, 4, digits))
        return before;
    if (!is_suffix(last, 5, 5, safe))
        return pod;
    struct flm_bytes name = split_last(before, &last);
    bool is_numbered = is_suffix(last, 6, 10, safe) || is_suffix(last, 8, 11, digits);
    return name.size > 0 && is_numbered ? name : before;
}

/* ---- Docker and podman ----------------------------------------------------------------------- */

static bool start(const char *path, struct flm_text *text, struct flm_source *source,
                  struct flm_json *json, struct flm_error *why)
{
    if (!flm_file_read(path, text, why))
        return false;
    *source = flm_source_of((struct flm_bytes){text->at, text->size});
    flm_json_init(json, source, why);
    return true;
}

static bool find_in_docker(const char *root, const char *id, struct flm_container_name *name)
{
    char path[PATH_MOST];
    struct flm_text text = {0};
    struct flm_source source;
    struct flm_json json;
    struct flm_error why;
    struct flm_bytes key, value;
    bool found = false;
    snprintf(path, sizeof path, "%s/var/lib/docker/containers/%s/config.v2.json", root, id);
    if (start(path, &text, &source, &json, &why)) {
        flm_json_enter_object(&json);
        while (!found && flm_json_next_key(&json, &key))
            found = flm_bytes_are(key, "Name") && flm_json_string(&json, &value) &&
                    copy(name->name, flm_bytes_from(value, flm_bytes_start_with(value, "/")));
        flm_json_clear(&json);
    }
    flm_text_clear(&text);
    return found;
}

/* {"id": ..., "names": ["web"]} */
static bool read_podman_item(struct flm_json *json, const char *id, struct flm_container_name *name)
{
    struct flm_bytes key, value;
    bool is_it = false, is_named = false;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key)) {
        if (flm_bytes_are(key, "id")) {
            is_it = flm_json_string(json, &value) && flm_bytes_are(value, id);
        } else if (flm_bytes_are(key, "names") && flm_json_enter_array(json)) {
            while (flm_json_next_item(json))
                is_named = is_named || (flm_json_string(json, &value) && copy(name->name, value));
        }
    }
    return is_it && is_named;
}

static bool find_in_podman(const char *root, const char *id, struct flm_container_name *name)
{
    char path[PATH_MOST];
    struct flm_text text = {0};
    struct flm_source source;
    struct flm_json json;
    struct flm_error why;
    bool found = false;
    snprintf(path, sizeof path, "%s/var/lib/containers/storage/overlay-containers/containers.json",
             root);
    if (start(path, &text, &source, &json, &why)) {
        flm_json_enter_array(&json);
        while (!found && flm_json_next_item(&json))
            found = read_podman_item(&json, id, name);
        flm_json_clear(&json);
    }
    flm_text_clear(&text);
    return found;
}

bool flm_container_name_find(const char *root, const char *id, struct flm_container_name *name)
{
    bool found = false;
    *name = (struct flm_container_name){0};
    found = find_in_pods(root, id, name) || find_in_docker(root, id, name) ||
            find_in_podman(root, id, name);
    if (!found)
        *name = (struct flm_container_name){0};
    return found;
}
