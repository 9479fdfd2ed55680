#include "algebra/expression/operation_table.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/labels.h"
#include "algebra/operation/operations.h"
#include "algebra/operation/thread_filter.h"
#include "algebra/operation/user_code.h"
#include "flamel/algebra.h"

/* ---- Frames ---------------------------------------------------------------------------------- */

static struct flm_profile *apply_focus(struct flm_operation_call *c)
{
    return flm_focus(c->profile, c->argument->marks, c->why);
}

static struct flm_profile *apply_hide(struct flm_operation_call *c)
{
    return flm_hide(c->profile, c->argument->marks, c->why);
}

static struct flm_profile *apply_prune(struct flm_operation_call *c)
{
    return flm_prune(c->profile, c->argument->marks, c->why);
}

static struct flm_profile *apply_keep(struct flm_operation_call *c)
{
    return flm_keep(c->profile, c->argument->marks, true, c->why);
}

static struct flm_profile *apply_drop(struct flm_operation_call *c)
{
    return flm_keep(c->profile, c->argument->marks, false, c->why);
}

static struct flm_profile *apply_my_code(struct flm_operation_call *c)
{
    struct flm_user_code counts;
    unsigned char *marks = malloc(c->profile->sizes.frame_count);
    struct flm_profile *made = NULL;
    if (!marks)
        flm_error_memory(c->why);
    else if (flm_user_code_mark(c->profile, marks, &counts, c->why)) {
        const char *refusal = flm_user_code_refusal(&counts);
        if (refusal)
            memset(marks, 0, c->profile->sizes.frame_count);
        if (refusal && c->note->size == 0)
            flm_text_puts(c->note, refusal);
        made = flm_hide(c->profile, marks, c->why);
    }
    free(marks);
    return made;
}

/* What a class merges frames by: 0 where the frame does not have it. */
static uint32_t class_member(const struct flm_frame_record *r, struct flm_bytes class)
{
    if (flm_bytes_are(class, "module"))
        return r->module;
    if (flm_bytes_are(class, "file"))
        return r->file;
    if (flm_bytes_are(class, "line"))
        return r->line;
    return 1;
}

/* Where no frame has what they are merged by, all of them become one, or none changes. A package is
 * guessed from names: only `made` tells whether there was one. */
static void note_missing(struct flm_operation_call *c, const struct flm_profile *made)
{
    struct flm_bytes class = c->argument->text;
    bool package = flm_bytes_are(class, "package");
    const struct flm_profile *p = package ? made : c->profile;
    bool any = c->profile->sizes.frame_count <= 1;
    for (uint32_t i = 1; i < p->sizes.frame_count && !any; i++)
        any = package ? p->frames[i].kind != FLM_KIND_LABEL &&
                            !flm_bytes_are(flm_frame_function(p, i), "[unknown]")
                      : class_member(&p->frames[i], class) != 0;
    if (!any && flm_bytes_are(class, "line"))
        flm_text_puts(c->note, "no frame has a line (--lines keeps those of recordings)");
    else if (!any)
        flm_text_format(c->note, "no frame has a %.*s: the profile has names of functions only",
                        (int)class.size, class.at);
}

static struct flm_profile *apply_by(struct flm_operation_call *c)
{
    struct flm_profile *made = flm_quotient(c->profile, flm_class_at(c->argument->choice), c->why);
    if (made && c->note->size == 0)
        note_missing(c, made);
    return made;
}

static struct flm_profile *apply_rename(struct flm_operation_call *c)
{
    uint32_t renamed;
    struct flm_profile *result = flm_rename(c->profile, c->argument->rule, &renamed, c->why);
    if (result && renamed == 0 && c->note->size == 0)
        flm_text_format(c->note, "no name is changed by '%.*s'", (int)c->argument->text.size,
                        c->argument->text.at);
    return result;
}

/* ---- The shape of stacks --------------------------------------------------------------------- */

static struct flm_profile *apply_invert(struct flm_operation_call *c)
{
    return flm_invert(c->profile, c->why);
}

static const char *recursion(size_t index, const char **description)
{
    static const struct {
        const char *name, *description;
    } choices[] = {
        [FLM_RECURSION_DIRECT] = {"direct", "a function that calls itself"},
        [FLM_RECURSION_ANY] = {"any", "also through other functions"},
    };
    if (index >= sizeof choices / sizeof choices[0])
        return NULL;
    if (description)
        *description = choices[index].description;
    return choices[index].name;
}

static struct flm_profile *apply_collapse(struct flm_operation_call *c)
{
    return flm_collapse(c->profile, (enum flm_recursion)c->argument[0].choice, c->argument[1].marks,
                        c->why);
}

static struct flm_profile *apply_depth(struct flm_operation_call *c)
{
    return flm_truncate(c->profile, c->argument->number, c->why);
}

static struct flm_profile *apply_nodes(struct flm_operation_call *c)
{
    return flm_limit_nodes(c->profile, c->argument->number, c->why);
}

static struct flm_profile *keep_path(struct flm_operation_call *c, bool with)
{
    uint32_t found = 0;
    struct flm_bytes path = c->argument->unquoted;
    struct flm_profile *result = flm_keep_path(c->profile, path, with, &found, c->why);
    if (result && found == 0 && c->note->size == 0)
        flm_text_format(c->note, "no stack begins with '%.*s'", (int)path.size, path.at);
    return result;
}

static struct flm_profile *apply_from(struct flm_operation_call *c)
{
    return keep_path(c, true);
}

static struct flm_profile *apply_cut(struct flm_operation_call *c)
{
    return keep_path(c, false);
}

/* ---- Metrics and samples --------------------------------------------------------------------- */

static struct flm_profile *apply_metric(struct flm_operation_call *c)
{
    return flm_select(c->profile, c->argument->metric.index, c->why);
}

/* Threads that started, and were not sampled, have labels too: of their markers. */
static struct flm_profile *note_unsampled(struct flm_operation_call *c, struct flm_profile *result)
{
    if (result && c->note->size == 0 && c->profile->sizes.sample_count > 0 &&
        result->sizes.sample_count == 0)
        flm_text_format(c->note, "no sample has '%.*s', only markers or counters have it",
                        (int)c->argument->text.size, c->argument->text.at);
    return result;
}

static struct flm_profile *keep_label(struct flm_operation_call *c, bool with)
{
    struct flm_bytes key = flm_label_key(c->profile, c->argument->label.key);
    struct flm_bytes value = c->argument->label.value;
    struct flm_profile *result = flm_keep_label(c->profile, key, value, with, c->why);
    if (result && c->note->size == 0)
        flm_label_exists(c->profile, key, value, c->note);
    return with ? note_unsampled(c, result) : result;
}

static struct flm_profile *apply_label(struct flm_operation_call *c)
{
    return keep_label(c, true);
}

static struct flm_profile *apply_unlabel(struct flm_operation_call *c)
{
    return keep_label(c, false);
}

static struct flm_profile *keep_threads(struct flm_operation_call *c, enum flm_thread_filter by)
{
    uint32_t count = c->profile->sizes.label_set_count;
    unsigned char *kept = malloc((size_t)count + 1), *agreeing = malloc((size_t)count + 1);
    struct flm_text *note = c->note, unused = {0};
    struct flm_profile *result = NULL;
    if (!kept || !agreeing)
        flm_error_memory(c->why);
    else if (flm_thread_filter_mark(c->profile, by, c->argument->text, kept, agreeing,
                                    note->size == 0 ? note : &unused, c->why))
        result = flm_keep_sets(c->profile, kept, agreeing, flm_thread_filter_name(by), c->why);
    flm_text_clear(&unused);
    free(agreeing);
    free(kept);
    return result;
}

static struct flm_profile *apply_thread(struct flm_operation_call *c)
{
    return note_unsampled(c, keep_threads(c, FLM_FILTER_THREAD));
}

static struct flm_profile *apply_process(struct flm_operation_call *c)
{
    return note_unsampled(c, keep_threads(c, FLM_FILTER_PROCESS));
}

static struct flm_profile *apply_command(struct flm_operation_call *c)
{
    return note_unsampled(c, keep_threads(c, FLM_FILTER_COMMAND));
}

static struct flm_profile *apply_state(struct flm_operation_call *c)
{
    return keep_threads(c, FLM_FILTER_STATE);
}

static struct flm_profile *apply_split(struct flm_operation_call *c)
{
    return flm_split(c->profile, flm_label_key(c->profile, c->argument->unquoted), c->why);
}

/* Files may have any time, up to the largest: nothing is later. */
static int64_t later(int64_t time_ns, double by_ns)
{
    int64_t by = (int64_t)by_ns;
    return time_ns > INT64_MAX - by ? INT64_MAX : time_ns + by;
}

static int64_t first_time(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME)
            return p->sample_time[i];
    return 0;
}

static struct flm_profile *apply_time(struct flm_operation_call *c)
{
    int64_t first = first_time(c->profile);
    bool ends = !flm_bytes_end_with(c->argument->text, "..");
    struct flm_profile *result =
        flm_keep_time(c->profile, later(first, c->argument->time.from_ns),
                      ends ? later(first, c->argument->time.to_ns) : INT64_MAX, c->why);
    if (result && result->sizes.sample_count == 0 && c->note->size == 0)
        flm_text_format(c->note, "no sample is in %.*s", (int)c->argument->text.size,
                        c->argument->text.at);
    return result;
}

/* ---- The table ------------------------------------------------------------------------------- */

/* clang-format off */
static const struct flm_operation_entry operations[] = {
    {"focus", "stacks from a matching frame on, which becomes the root",
     "focus:parse_json", apply_focus, {{"pattern", FLM_ARGUMENT_PATTERN, false, NULL}}},
    {"hide", "without matching frames; their callees become their caller's",
     "hide:module=libc.so.6", apply_hide, {{"pattern", FLM_ARGUMENT_PATTERN, false, NULL}}},
    {"drop", "without the stacks that contain a matching frame",
     "drop:/idle|poll/", apply_drop, {{"pattern", FLM_ARGUMENT_PATTERN, false, NULL}}},
    {"keep", "only the stacks that contain a matching frame",
     "keep:*alloc*", apply_keep, {{"pattern", FLM_ARGUMENT_PATTERN, false, NULL}}},
    {"prune", "nothing below matching frames",
     "prune:qsort", apply_prune, {{"pattern", FLM_ARGUMENT_PATTERN, false, NULL}}},
    {"my-code", "without frames of libraries, runtimes and the kernel",
     "my-code", apply_my_code, {{NULL, 0, false, NULL}}},
    {"by", "frames merged by function, module, file ...",
     "by:module", apply_by, {{"class", FLM_ARGUMENT_CHOICE, false, flm_class_name}}},
    {"rename", "functions under other names",
     "rename:s/_v[0-9]+$//", apply_rename, {{"rule", FLM_ARGUMENT_SUBSTITUTION, false, NULL}}},
    {"invert", "leaf first: callers below what they call",
     "invert", apply_invert, {{NULL, 0, false, NULL}}},
    {"collapse", "recursive calls merged into one frame",
     "collapse:direct", apply_collapse,
     {{"recursion", FLM_ARGUMENT_CHOICE, false, recursion},
      {"functions", FLM_ARGUMENT_SELECTION, true, NULL}}},
    {"depth", "stacks of at most so many frames",
     "depth:20", apply_depth, {{"frames", FLM_ARGUMENT_NUMBER, false, NULL}}},
    {"nodes", "only the largest nodes; what the others have is \"[other]\"",
     "nodes:1000", apply_nodes, {{"count", FLM_ARGUMENT_NUMBER, false, NULL}}},
    {"metric", "only one metric",
     "metric:cpu-clock", apply_metric, {{"name", FLM_ARGUMENT_METRIC, false, NULL}}},
    {"label", "only the samples with a label",
     "label:thread=main", apply_label, {{"key=value", FLM_ARGUMENT_LABEL, false, NULL}}},
    {"unlabel", "only the samples without a label",
     "unlabel:thread=main", apply_unlabel, {{"key=value", FLM_ARGUMENT_LABEL, false, NULL}}},
    {"thread", "only the samples of threads by name or number",
     "thread:http-*", apply_thread, {{"names", FLM_ARGUMENT_THREADS, false, NULL}}},
    {"process", "only the samples of processes by name or number",
     "process:4711", apply_process, {{"names", FLM_ARGUMENT_THREADS, false, NULL}}},
    {"command", "only the samples of commands",
     "command:cc1*", apply_command, {{"names", FLM_ARGUMENT_THREADS, false, NULL}}},
    {"state", "only the samples of threads in a state",
     "state:runnable,blocked", apply_state, {{"states", FLM_ARGUMENT_THREADS, false, NULL}}},
    {"time", "only a time range, from the first sample on",
     "time:1s..2.5s", apply_time, {{"from..to", FLM_ARGUMENT_TIME_RANGE, false, NULL}}},
    {"split", "a root for each value of a label",
     "split:thread", apply_split, {{"key", FLM_ARGUMENT_LABEL_KEY, false, NULL}}},
    {"from", "only the stacks that begin with a path",
     "from:main;parse", apply_from, {{"path", FLM_ARGUMENT_TEXT, false, NULL}}},
    {"cut", "without the stacks that begin with a path",
     "cut:main;parse", apply_cut, {{"path", FLM_ARGUMENT_TEXT, false, NULL}}},
};
/* clang-format on */

const struct flm_operation_entry *flm_operation_at(size_t index)
{
    return index < sizeof operations / sizeof operations[0] ? &operations[index] : NULL;
}

/* The name of the operation for perf's name of the label that it selects by: tid, pid, comm. */
static struct flm_bytes own_name(struct flm_bytes name)
{
    const char *own = flm_label_own_name(name);
    return own ? flm_bytes_of(own) : name;
}

const struct flm_operation_entry *flm_operation_named(struct flm_bytes name)
{
    name = own_name(name);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (flm_bytes_are(name, operations[i].name))
            return &operations[i];
    return NULL;
}

size_t flm_operation_argument_count(const struct flm_operation_entry *operation)
{
    size_t count = 0;
    while (count < FLM_MOST_ARGUMENTS && operation->arguments[count].name)
        count++;
    return count;
}

/* ---- For programs: include/flamel/algebra.h -------------------------------------------------- */

const char *flm_operation_name(size_t index)
{
    const struct flm_operation_entry *operation = flm_operation_at(index);
    return operation ? operation->name : NULL;
}

const char *flm_operation_summary(size_t index)
{
    assert(flm_operation_at(index));
    return operations[index].summary;
}

const char *flm_operation_example(size_t index)
{
    assert(flm_operation_at(index));
    return operations[index].example;
}

const char *flm_operation_argument(size_t index, size_t argument)
{
    assert(flm_operation_at(index));
    return argument < FLM_MOST_ARGUMENTS ? operations[index].arguments[argument].name : NULL;
}
