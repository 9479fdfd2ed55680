#include <stdio.h>
#include <stdlib.h>

#include "record/java/internal.h"

/* Samples keep addresses of it. NULL when memory ran out. */
static struct flm_java_virtual_thread *find(struct flm_java *j, uint64_t vm, uint64_t number)
{
    uint32_t hash = flm_hash_numbers(number, vm);
    for (struct flm_probe at = flm_index_probe(&j->by_number, hash);
         flm_index_next(&j->by_number, &at);) {
        struct flm_java_virtual_thread *t = j->virtual_threads.at[at.found];
        if (t->vm == vm && t->number == number)
            return t;
    }
    struct flm_java_virtual_thread *new = malloc(sizeof *new);
    if (!new)
        return NULL;
    *new = (struct flm_java_virtual_thread){.vm = vm, .number = number};
    snprintf(new->digits, sizeof new->digits, "#%llu", (unsigned long long)number);
    if (!FLM_ARRAY_ADD(&j->virtual_threads, new)) {
        free(new);
        return NULL;
    }
    return flm_index_add(&j->by_number, hash, (uint32_t)j->virtual_threads.count - 1) ? new : NULL;
}

struct flm_runtime_label flm_java_virtual_label(struct flm_java *j, uint64_t vm, uint64_t number)
{
    static const char key[] = "virtual thread";
    const struct flm_java_virtual_thread *t = number ? find(j, vm, number) : NULL;
    if (!t)
        return (struct flm_runtime_label){0};
    return (struct flm_runtime_label){key, flm_bytes_of(t->digits), &t->name};
}

bool flm_java_take_virtual(struct flm_java *j, uint64_t vm, const struct flm_java_virtual *r)
{
    if (r->record.size < sizeof *r || r->record.size - sizeof *r < r->name_size || !r->number)
        return true;
    struct flm_java_virtual_thread *t = find(j, vm, r->number);
    if (t && r->name_size > 0)
        t->name =
            flm_lasting_text(&j->names, (struct flm_bytes){(const char *)(r + 1), r->name_size});
    return t != NULL;
}

void flm_java_virtual_clear(struct flm_java *j)
{
    for (size_t i = 0; i < j->virtual_threads.count; i++)
        free(j->virtual_threads.at[i]);
    FLM_ARRAY_CLEAR(&j->virtual_threads);
    flm_index_clear(&j->by_number);
}
