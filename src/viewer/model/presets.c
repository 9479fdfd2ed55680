#include "viewer/model/presets.h"

#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "algebra/operation/user_code.h"

/* "operation:pattern", if any frame matches. */
static bool add_operation(const struct flm_profile *p, const char *operation,
                          struct flm_bytes pattern, unsigned char *marks, struct flm_text *out,
                          struct flm_error *why)
{
    uint32_t matched = 0;
    if (!flm_pattern_mark(p, pattern, marks, &matched, why))
        return false;
    if (matched == 0)
        return true;
    flm_text_puts(out, operation);
    flm_text_putc(out, ':');
    flm_text_add(out, pattern);
    return !out->failed || flm_error_memory(why);
}

/* Functions that wait: a stack with one of them says where, not what costs. */
static const char idle_names[] =
    "/^(\\[?idle\\]?|\\(idle\\)|swapper.*|cpu_idle|do_idle|default_idle.*|intel_idle.*|mwait_idle.*"
    "|"
    "(__|_)?(epoll_p?wait|epoll_wait2|poll|ppoll|select|pselect|kevent|sigwait.*|nanosleep|"
    "clock_nanosleep|futex_wait.*|futex_abstimed_wait.*|pthread_cond_(timed)?wait.*|GI___poll)|"
    "futex_wait_queue(_me)?|runtime\\.(gopark|futex|notesleep|netpoll|usleep|stopm|mPark)|"
    "(java\\.lang\\.|java\\/lang\\/)?Object\\.wait0?|(jdk\\.internal\\.misc\\.)?Unsafe\\.park|"
    "(java\\.util\\.concurrent\\.locks\\.)?LockSupport\\.park.*|Unsafe_Park|"
    "uv__io_poll|(tokio|mio|parking_lot)::.*(park|poll|wait).*)$/";

static const char collector_names[] =
    "/^(runtime\\.gc(BgMarkWorker|Start|Drain|AssistAlloc).*|GCTaskThread.*|"
    "G1(ParTask|Conc|Young|Full).*|ParallelGC.*|ConcurrentMark.*|ZDriver.*|Shenandoah.*|"
    "\\(garbage collector\\)|v8::internal::(Heap::(CollectGarbage|PerformGarbageCollection)|"
    "Scavenger|MarkCompact).*|gc_collect_main|gc_collect_generations|rb_gc.*|gc_start|GC_mark.*|"
    "mono_gc.*|WKS::gc_heap.*|SVR::gc_heap.*)/";

static const struct {
    const char *title, *operation, *pattern;
} known[] = {
    {"Without stacks that wait", "drop", idle_names},
    {"Without garbage collection", "drop", collector_names},
    {"Without the kernel", "hide", "kind=kernel"},
    {"Without frames that have no name", "hide", "kind=unsymbolized"},
    {"Inlined functions in their callers", "hide", "kind=inlined"},
};

/* Adds a preset whose pattern matches some frames, and not all. */
static bool add_known(struct flm_presets *presets, const struct flm_profile *p, size_t index,
                      unsigned char *marks, struct flm_error *why)
{
    struct flm_preset *preset = &presets->at[presets->count];
    *preset = (struct flm_preset){.title = known[index].title};
    if (!add_operation(p, known[index].operation, flm_bytes_of(known[index].pattern), marks,
                       &preset->text, why)) {
        flm_text_clear(&preset->text);
        return false;
    }
    for (uint32_t i = 1; preset->text.size > 0 && i < p->sizes.frame_count; i++)
        if (!marks[i]) {
            presets->count++;
            return true;
        }
    flm_text_clear(&preset->text);
    return true;
}

static bool add_user_code(struct flm_presets *presets, const struct flm_profile *p,
                          unsigned char *marks, struct flm_error *why)
{
    struct flm_user_code counts;
    if (!flm_user_code_mark(p, marks, &counts, why))
        return false;
    if (flm_user_code_refusal(&counts))
        return true;
    struct flm_preset *preset = &presets->at[presets->count++];
    *preset = (struct flm_preset){.title = "Only my code"};
    flm_text_puts(&preset->text, FLM_USER_CODE);
    return !preset->text.failed || flm_error_memory(why);
}

bool flm_presets_init(struct flm_presets *presets, const struct flm_profile *p,
                      struct flm_error *why)
{
    *presets = (struct flm_presets){0};
    unsigned char *marks = malloc(p->sizes.frame_count);
    bool ok = marks ? add_user_code(presets, p, marks, why) : flm_error_memory(why);
    for (size_t i = 0; ok && i < sizeof known / sizeof known[0]; i++)
        ok = add_known(presets, p, i, marks, why);
    free(marks);
    if (!ok)
        flm_presets_clear(presets);
    return ok;
}

void flm_presets_clear(struct flm_presets *presets)
{
    for (unsigned i = 0; i < FLM_MOST_PRESETS; i++)
        flm_text_clear(&presets->at[i].text);
    *presets = (struct flm_presets){0};
}
