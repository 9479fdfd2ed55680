/* services.c - the processes of the machine, and the services that they belong to. */
#include "flamel/services.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "record/services/internal.h"
#include "record/services/process_service.h"

enum { USUAL_MOST = 200 };

/* ---- Services -------------------------------------------------------------------------------- */

static bool fill_labels(struct service *s)
{
    size_t count = 0;
    for (const char *at = s->text; at < s->text + s->size; at += strlen(at) + 1)
        count++;
    s->labels = malloc(count * sizeof *s->labels);
    if (!s->labels)
        return false;
    const char *at = s->text + strlen(s->text) + 1;
    for (size_t i = 0; i + 1 < count; i++, at += strlen(at) + 1)
        s->labels[i] = at;
    s->shown = (struct flm_service){.name = s->text, .labels = s->labels, .label_count = count - 1};
    return true;
}

/* The number of the service with that identity, which is added where there is none. FLM_NONE when
 * memory ran out. */
static uint32_t service_of(struct flm_services *s, struct flm_bytes identity)
{
    uint32_t hash = (uint32_t)flm_hash(identity.at, identity.size);
    for (struct flm_probe at = flm_index_probe(&s->index, hash); flm_index_next(&s->index, &at);) {
        const struct service *found = &s->services.at[at.found];
        if (flm_bytes_equal(identity, (struct flm_bytes){found->text, found->size}))
            return at.found;
    }
    struct service new = {.text = malloc(identity.size), .size = identity.size};
    uint32_t number = (uint32_t)s->services.count;
    if (new.text)
        memcpy(new.text, identity.at, identity.size);
    if (new.text && fill_labels(&new) && FLM_ARRAY_ADD(&s->services, new)) {
        if (flm_index_add(&s->index, hash, number))
            return number;
        s->services.count--;
    }
    free(new.labels);
    free(new.text);
    return FLM_NONE;
}

uint32_t flm_services_named(struct flm_services *s, struct flm_bytes name)
{
    struct flm_text text = {0};
    flm_service_named(name, &text);
    uint32_t number =
        text.failed ? FLM_NONE : service_of(s, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
    return number;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Where it is, or would be. */
static size_t place_of(const struct flm_services *s, int32_t id)
{
    size_t from = 0, to = s->processes.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (s->processes.at[middle].id < id)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct process *find(const struct flm_services *s, int32_t id)
{
    size_t at = place_of(s, id);
    return at < s->processes.count && s->processes.at[at].id == id ? &s->processes.at[at] : NULL;
}

static bool insert(struct flm_services *s, struct process process)
{
    size_t at = place_of(s, process.id);
    if (!FLM_ARRAY_ADD(&s->processes, process))
        return false;
    memmove(&s->processes.at[at + 1], &s->processes.at[at],
            (s->processes.count - 1 - at) * sizeof process);
    s->processes.at[at] = process;
    return true;
}

/* Reads what it is, where it is there. False when memory ran out. */
static bool read_process(struct flm_services *s, int32_t id)
{
    struct flm_service_identity identity;
    enum flm_process_found found = flm_process_service(s->root, id, &identity);
    bool good = found != FLM_PROCESS_NO_MEMORY;
    if (found == FLM_PROCESS_FOUND) {
        struct flm_bytes text = {identity.text.at, identity.text.size};
        struct process new = {id, service_of(s, text), identity.is_shared, true};
        struct process *known = find(s, id);
        good = new.service != FLM_NONE;
        if (good && known)
            *known = new;
        else if (good)
            good = insert(s, new);
    }
    flm_text_clear(&identity.text);
    return good;
}

bool flm_services_look(struct flm_services *s, struct flm_error *why)
{
    assert(s);
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc", s->root);
    for (size_t i = 0; i < s->processes.count; i++)
        s->processes.at[i].is_there = false;
    DIR *folder = opendir(path);
    if (!folder)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(folder));) {
        uint64_t id;
        if (!flm_number_parse_uint(flm_bytes_of(entry->d_name), &id) || id == 0 || id > INT32_MAX)
            continue;
        struct process *known = find(s, (int32_t)id);
        if (known)
            known->is_there = true;
        else
            good = read_process(s, (int32_t)id);
    }
    closedir(folder);
    return good || flm_error_memory(why);
}

const struct process *flm_services_process(struct flm_services *s, int32_t id, bool *good)
{
    const struct process *known = find(s, id);
    *good = true;
    if (!known && id > 0) {
        *good = read_process(s, id);
        known = find(s, id);
    }
    return known;
}

void flm_services_forget(struct flm_services *s, int32_t id)
{
    size_t at = place_of(s, id);
    if (at == s->processes.count || s->processes.at[at].id != id)
        return;
    s->processes.count--;
    memmove(&s->processes.at[at], &s->processes.at[at + 1],
            (s->processes.count - at) * sizeof *s->processes.at);
}

void flm_services_forget_ended(struct flm_services *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->processes.count; i++)
        if (s->processes.at[i].is_there)
            s->processes.at[kept++] = s->processes.at[i];
    s->processes.count = kept;
}

/* ---- All of it ------------------------------------------------------------------------------- */

struct flm_services *flm_services_new(const struct flm_services_options *o, struct flm_error *why)
{
    assert(o && why);
    if (o->size == 0 || o->size > sizeof *o) {
        flm_error_set(why, FLM_ERROR_USAGE, "struct flm_services_options has a size of %zu bytes",
                      o->size);
        return NULL;
    }
    struct flm_services_options options = {0};
    memcpy(&options, o, o->size);
    struct flm_services *s = calloc(1, sizeof *s);
    if (s)
        s->root = strdup(options.root ? options.root : "");
    if (!s || !s->root) {
        free(s);
        flm_error_memory(why);
        return NULL;
    }
    s->most = options.most ? options.most : USUAL_MOST;
    return s;
}

void flm_services_free(struct flm_services *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->services.count; i++) {
        free(s->services.at[i].text);
        free(s->services.at[i].labels);
    }
    FLM_ARRAY_CLEAR(&s->services);
    FLM_ARRAY_CLEAR(&s->processes);
    flm_index_clear(&s->index);
    free(s->root);
    free(s);
}

static int by_text(const void *a, const void *b)
{
    const struct service *x = *(const struct service *const *)a,
                         *y = *(const struct service *const *)b;
    return flm_bytes_compare((struct flm_bytes){x->text, x->size},
                             (struct flm_bytes){y->text, y->size});
}

bool flm_services_visit(struct flm_services *s, flm_service_visitor visit, void *context,
                        struct flm_error *why)
{
    if (!flm_services_look(s, why))
        return false;
    flm_services_forget_ended(s);
    struct service **sorted = malloc((s->services.count + 1) * sizeof(struct service *));
    if (!sorted)
        return flm_error_memory(why);
    size_t count = s->services.count;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &s->services.at[i];
        sorted[i]->shown.processes = 0;
    }
    for (size_t i = 0; i < s->processes.count; i++)
        s->services.at[s->processes.at[i].service].shown.processes++;
    qsort(sorted, count, sizeof *sorted, by_text);
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = sorted[i]->shown.processes == 0 || visit(context, &sorted[i]->shown, NULL, why);
    free(sorted);
    return good;
}
