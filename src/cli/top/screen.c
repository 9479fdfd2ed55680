/* screen.c - the last seconds of a recording, in the viewer of the terminal. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/report/top_messages.h"
#include "cli/top/top.h"
#include "cli/tui/tui.h"
#include "flamel/builder.h"
#include "flamel/file.h"

struct screen {
    const struct flm_top *top;
    struct flm_live_state state;       /* of what is shown */
    const struct flm_profile *profile; /* the viewer's */
    bool is_frozen, all;
    char time[FLM_TOP_TIME_SIZE]; /* when it was frozen, or ended */
};

static struct flm_profile *next(void *context)
{
    struct screen *s = context;
    if (s->is_frozen)
        return NULL;
    bool ran = s->state.phase == FLM_LIVE_RUNS;
    struct flm_profile *profile = flm_live_next(s->top->recording, &s->state);
    if (ran && s->state.phase != FLM_LIVE_RUNS)
        flm_top_time("%H:%M:%S", s->time);
    if (profile)
        s->profile = profile;
    return profile;
}

static void describe(void *context, struct flm_text *word, struct flm_text *sentence)
{
    const struct screen *s = context;
    if (s->is_frozen)
        flm_text_format(word, "frozen at %s", s->time);
    else
        flm_top_write_phase(&s->state, s->time, word);
    flm_top_write_status(&s->state, sentence);
}

static void describe_empty(void *context, struct flm_text *sentence)
{
    const struct screen *s = context;
    flm_top_write_empty(&s->state, sentence);
}

static void freeze(void *context)
{
    struct screen *s = context;
    if (s->state.phase != FLM_LIVE_RUNS) /* it stands still */
        return;
    s->is_frozen = !s->is_frozen;
    flm_top_time("%H:%M:%S", s->time);
}

static void widen(void *context)
{
    struct screen *s = context;
    s->all = !s->all;
    s->is_frozen = false;
    flm_live_show_all(s->top->recording, s->all);
}

static void propose(void *context, struct flm_text *name)
{
    const struct screen *s = context;
    char time[FLM_TOP_TIME_SIZE];
    flm_top_time("%H%M%S", time);
    flm_top_write_file_name(s->top->name, time, name);
}

static bool save(void *context, const char *path, struct flm_error *why)
{
    const struct screen *s = context;
    const struct flm_save_options options = {.size = sizeof options, .compress = true};
    if (!*path || strcmp(path, "-") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "a file needs a name");
    if (access(path, F_OK) == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is a %s already", path);
    return flm_save(s->profile, path, &options, why);
}

bool flm_top_screen(struct flm_top *top, struct flm_error *why)
{
    struct screen s = {.top = top,
                       .state = {.size = sizeof s.state, .exit_status = -1, .processors_busy = -1}};
    const struct flm_tui_live live = {.context = &s,
                                      .name = top->name,
                                      .next = next,
                                      .describe = describe,
                                      .describe_empty = describe_empty,
                                      .freeze = freeze,
                                      .widen = widen,
                                      .propose = propose,
                                      .save = save};
    struct flm_viewer *viewer = flm_viewer_new(why);
    struct flm_builder *builder = viewer ? flm_builder_new(why) : NULL;
    struct flm_profile *nothing = NULL;
    if (builder) {
        flm_builder_metric(builder, "samples", "samples");
        s.profile = nothing = flm_builder_finish(builder, why);
    }
    bool good = nothing && flm_viewer_take(viewer, FLM_VIEWER_AFTER, nothing, top->name, why) &&
                flm_viewer_do(viewer, flm_bytes_of("view top"), why) &&
                flm_live_start(top->recording, why) && flm_tui_run_live(viewer, &live, why);
    flm_viewer_free(viewer);
    if (good && s.state.phase == FLM_LIVE_FAILED) {
        *why = s.state.why;
        return false;
    }
    return good;
}
