#include "viewer/query/query.h"

#include <assert.h>

#include "viewer/internal.h"
#include "viewer/query/internal.h"
#include "viewer/state.h"

static bool write_state(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                        struct flm_error *why)
{
    (void)none, (void)why;
    flm_state_write(v, out);
    return true;
}

static bool write_copied(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                         struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_add(out, (struct flm_bytes){v->query.copied.at, v->query.copied.size});
    return true;
}

static bool write_prompt(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                         struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_add(out, (struct flm_bytes){v->query.prompt.at, v->query.prompt.size});
    return true;
}

static bool write_notice(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                         struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_puts(out, v->query.notice.text);
    return true;
}

static bool write_notice_kind(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                              struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_puts(out, v->query.notice.kind == FLM_ERROR_NONE ? "information" : "error");
    return true;
}

static const struct flm_query_entry queries[] = {
    {.name = "hello", .make = flm_query_hello},
    {.name = "tools", .make = flm_query_tools},
    {.name = "chips", .make = flm_query_chips},
    {.name = "searches", .make = flm_query_searches},
    {.name = "legend", .make = flm_query_legend},
    {.name = "hover", .make = flm_query_hover},
    {.name = "detail", .make = flm_query_detail},
    {.name = "status", .make = flm_query_status},
    {.name = "overlay", .make = flm_query_overlay},
    {.name = "top", .make = flm_query_top},
    {.name = "list", .make = flm_query_list},
    {.name = "tree", .make = flm_query_tree},
    {.name = "aria", .make = flm_query_aria},
    {.name = "tracks", .make = flm_query_tracks},
    {.name = "complete", .make = flm_query_complete},
    {.name = "palette", .make = flm_query_palette},
    {.name = "menu", .make = flm_query_menu},
    {.name = "notes", .make = flm_query_notes},
    {.name = "code", .make = flm_query_code},
    {.name = "code-rows", .make = flm_query_code_rows},
    {.name = "code-wanted", .make = flm_query_code_wanted},
    {.name = "export", .write = flm_query_export},
    {.name = "state", .write = write_state},
    {.name = "copy", .write = write_copied},
    {.name = "prompt", .write = write_prompt},
    {.name = "notice", .write = write_notice},
    {.name = "notice-kind", .write = write_notice_kind},
};

const struct flm_query_entry *flm_query_named(struct flm_bytes text, struct flm_bytes *argument)
{
    assert(argument && (text.at || text.size == 0));
    size_t size = 0;
    while (size < text.size && text.at[size] != ' ')
        size++;
    size_t next = size + (size < text.size);
    *argument = (struct flm_bytes){text.at + next, text.size - next};
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        if (flm_bytes_are((struct flm_bytes){text.at, size}, queries[i].name))
            return &queries[i];
    return NULL;
}

static bool refuse(struct flm_bytes query, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is not a query", (int)query.size, query.at);
}

bool flm_viewer_query(struct flm_viewer *v, struct flm_bytes query, struct flm_response *response,
                      struct flm_error *why)
{
    assert(v && response);
    struct flm_bytes argument;
    const struct flm_query_entry *entry = flm_query_named(query, &argument);
    response->any = NULL;
    if (!entry || !entry->make)
        return refuse(query, why);
    return entry->make(v, argument, response, why);
}

bool flm_viewer_query_text(struct flm_viewer *v, struct flm_bytes query, struct flm_text *out,
                           struct flm_error *why)
{
    assert(v && out);
    struct flm_bytes argument;
    const struct flm_query_entry *entry = flm_query_named(query, &argument);
    if (!entry || !entry->write)
        return refuse(query, why);
    /* That memory ran out is said without any. */
    bool updated = entry->write == write_notice || entry->write == write_notice_kind ||
                   flm_viewer_update(v, why);
    return updated && entry->write(v, argument, out, why);
}

void flm_response_clear(struct flm_response *response)
{
    flm_arena_clear(&response->arena);
    *response = (struct flm_response){0};
}
