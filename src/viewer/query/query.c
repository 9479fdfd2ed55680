#include "viewer/query/query.h"

#include "viewer/internal.h"
#include "viewer/query/internal.h"
#include "viewer/state.h"

static bool answer_state(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                         struct flm_error *why)
{
    (void)none, (void)why;
    flm_state_write(v, out);
    return true;
}

static bool answer_copy(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                        struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_add(out, (struct flm_bytes){v->query.copied.at, v->query.copied.size});
    return true;
}

static bool answer_ask(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                       struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_add(out, (struct flm_bytes){v->query.asked.at, v->query.asked.size});
    return true;
}

static bool answer_notice(struct flm_viewer *v, struct flm_bytes none, struct flm_text *out,
                          struct flm_error *why)
{
    (void)none, (void)why;
    flm_text_puts(out, v->query.notice.text);
    return true;
}

static const struct flm_answer answers[] = {
    {"hello", false, flm_answer_hello},
    {"tools", false, flm_answer_tools},
    {"chips", false, flm_answer_chips},
    {"searches", false, flm_answer_searches},
    {"legend", false, flm_answer_legend},
    {"hover", false, flm_answer_hover},
    {"detail", false, flm_answer_detail},
    {"status", false, flm_answer_status},
    {"overlay", false, flm_answer_overlay},
    {"top", false, flm_answer_top},
    {"list", false, flm_answer_list},
    {"tree", false, flm_answer_tree},
    {"aria", false, flm_answer_aria},
    {"tracks", false, flm_answer_tracks},
    {"complete", false, flm_answer_complete},
    {"export", true, flm_answer_export},
    {"state", true, answer_state},
    {"copy", true, answer_copy},
    {"ask", true, answer_ask},
    {"notice", true, answer_notice},
};

const struct flm_answer *flm_answer_to(struct flm_bytes text, struct flm_bytes *argument)
{
    size_t size = 0;
    while (size < text.size && text.at[size] != ' ')
        size++;
    size_t next = size + (size < text.size);
    *argument = (struct flm_bytes){text.at + next, text.size - next};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (flm_bytes_are((struct flm_bytes){text.at, size}, answers[i].question))
            return &answers[i];
    return NULL;
}

bool flm_viewer_ask(struct flm_viewer *v, struct flm_bytes question, struct flm_text *out,
                    struct flm_error *why)
{
    struct flm_bytes argument;
    const struct flm_answer *answer = flm_answer_to(question, &argument);
    if (!answer)
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is no question", (int)question.size,
                             question.at);
    /* That memory ran out is told without any. */
    bool resolved = answer->write == answer_notice || flm_viewer_update(v, why);
    return resolved && answer->write(v, argument, out, why);
}
