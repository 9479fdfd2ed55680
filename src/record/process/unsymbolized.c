#include "record/process/unsymbolized.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "flamel/builder.h"
#include "record/perf/owned_string.h"

struct unsymbolized {
    struct flm_symbolizer symbolizer;                    /* first: callers have a pointer to it */
    struct FLM_ARRAY(struct flm_owned_string *) modules; /* paths, each at a fixed address */
    struct flm_index index;
};

static void unsymbolized_free(struct flm_symbolizer *self)
{
    struct unsymbolized *u = (struct unsymbolized *)self;
    if (!u)
        return;
    for (size_t i = 0; i < u->modules.count; i++) {
        free(u->modules.at[i]->at);
        free(u->modules.at[i]);
    }
    free(u->modules.at);
    flm_index_clear(&u->index);
    free(u);
}

/* Here a module is its path and nothing else. */
static struct flm_bytes path(const struct flm_module *module)
{
    return flm_owned_string_bytes((const struct flm_owned_string *)(const void *)module);
}

static struct flm_module *module(struct flm_symbolizer *self,
                                 const struct flm_module_request *request)
{
    struct unsymbolized *u = (struct unsymbolized *)self;
    uint32_t hash = (uint32_t)flm_hash(request->path.at, request->path.size);
    for (struct flm_probe at = flm_index_probe(&u->index, hash); flm_index_next(&u->index, &at);)
        if (flm_bytes_equal(flm_owned_string_bytes(u->modules.at[at.found]), request->path))
            return (struct flm_module *)(void *)u->modules.at[at.found];
    struct flm_owned_string *own = calloc(1, sizeof *own);
    if (!own || !flm_owned_string_init(own, request->path) || !FLM_ARRAY_RESERVE(&u->modules, 1) ||
        !flm_index_add(&u->index, hash, (uint32_t)u->modules.count)) {
        if (own)
            free(own->at);
        free(own);
        return NULL;
    }
    u->modules.at[u->modules.count++] = own;
    return (struct flm_module *)(void *)own;
}

static bool explain(struct flm_session *session, const bool *is_unsymbolized,
                    struct flm_builder *builder)
{
    (void)session, (void)is_unsymbolized;
    static const char text[] =
        "addresses only: run 'flamel view FILE' for names, where it was recorded";
    flm_builder_note(builder, "symbols", text, sizeof text - 1);
    return !flm_builder_failed(builder);
}

static const char *const unwind_losses[FLM_UNWIND_ENDS] = {
    [FLM_UNWIND_NOT_READ] = "user frames of stack dumps, which are unwound where they were "
                            "recorded (run 'flamel view FILE' there)",
};

static const struct flm_symbolizer_calls calls = {
    .free = unsymbolized_free,
    .module = module,
    .path = path,
    .unwind_losses = unwind_losses,
    .explain = explain,
};

struct flm_symbolizer *flm_unsymbolized_new(struct flm_error *why)
{
    struct unsymbolized *u = calloc(1, sizeof *u);
    if (u)
        u->symbolizer.calls = &calls;
    else
        flm_error_memory(why);
    return (struct flm_symbolizer *)u;
}
