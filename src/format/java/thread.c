#include "format/java/internal.h"

#include "base/number/number.h"
#include "format/java/java_file.h"
#include "profile/internal.h"

void flm_java_begin(struct flm_java_threads *t, struct flm_builder *builder,
                    const struct flm_read_options *options)
{
    *t = (struct flm_java_threads){.stack = {.builder = builder, .options = options}};
    t->metric = flm_builder_metric(builder, "threads", "threads");
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Takes the text before the last `separator` that is no part of the name of a hidden class
 * (VT$$Lambda/0x00007fd3a8003220): behind that '/' is a digit, with which no class begins. */
static struct flm_bytes take_prefix(struct flm_bytes *text, char separator)
{
    struct flm_bytes prefix = {text->at, 0};
    for (size_t i = 0; i + 1 < text->size; i++)
        if (text->at[i] == separator && !is_digit(text->at[i + 1]))
            prefix.size = i + 1;
    *text = flm_bytes_from(*text, prefix.size);
    prefix.size -= prefix.size > 0;
    return prefix;
}

/* The module of "java.base@17.0.15", "app//" and "loader/my.module@1.0": without its version, so
 * that runs under two versions have a module in common, and without the class loader. */
static struct flm_bytes module_of(struct flm_bytes prefix)
{
    size_t start = prefix.size, end;
    while (start > 0 && prefix.at[start - 1] != '/')
        start--;
    for (end = start; end < prefix.size && prefix.at[end] != '@';)
        end++;
    return (struct flm_bytes){prefix.at + start, end - start};
}

/* Reads "Arrays.java:99", "Arrays.java", "Native Method", "Unknown Source". */
static void read_location(struct flm_bytes text, struct flm_stack_frame *frame)
{
    if (flm_bytes_are(text, "Native Method")) {
        frame->kind = FLM_KIND_NATIVE;
        return;
    }
    if (flm_bytes_are(text, "Unknown Source") || flm_bytes_start_with(text, "<"))
        return;
    /* OpenJ9 adds in brackets that the method was compiled. */
    size_t end = 0;
    while (end < text.size && text.at[end] != '(')
        end++;
    size_t colon = end;
    while (colon > 0 && text.at[colon - 1] != ':')
        colon--;
    struct flm_bytes number = {text.at + colon, end - colon};
    if (colon > 0 && flm_number_parse_uint(number, &frame->line))
        end = colon - 1;
    frame->file = (struct flm_bytes){text.at, end};
}

/* Of "com.x.Foo.bar". */
static struct flm_bytes class_of(struct flm_bytes method)
{
    size_t end = method.size;
    while (end > 0 && method.at[end - 1] != '.')
        end--;
    return (struct flm_bytes){method.at, end > 0 ? end - 1 : 0};
}

void flm_java_frame(struct flm_java_threads *t, struct flm_bytes text, bool is_internal)
{
    struct flm_stack_frame frame = {0};
    size_t bracket = 0;
    while (bracket < text.size && text.at[bracket] != '(')
        bracket++;
    frame.function = flm_bytes_trimmed((struct flm_bytes){text.at, bracket});
    if (bracket < text.size && text.at[text.size - 1] == ')') {
        struct flm_bytes location = {text.at + bracket + 1, text.size - bracket - 2};
        frame.module = module_of(take_prefix(&location, '/'));
        read_location(location, &frame);
    }
    if (!is_internal) {
        struct flm_bytes prefix = take_prefix(&frame.function, '/');
        if (frame.module.size == 0)
            frame.module = module_of(prefix);
    }
    /* The name of the file alone says too little to find it, and classes of two packages may have
     * files of one name. */
    t->line_file.size = 0;
    if (frame.file.size > 0 && frame.line > 0)
        flm_java_file_add(&t->line_file, class_of(frame.function), frame.file);
    if (t->line_file.failed)
        flm_builder_fail_memory(t->stack.builder);
    else
        frame.line_file = (struct flm_bytes){t->line_file.at, t->line_file.size};
    if (frame.function.size > 0)
        flm_stack_frame(&t->stack, &frame);
}

/* ---- Threads --------------------------------------------------------------------------------- */

void flm_java_thread(struct flm_java_threads *t, const struct flm_java_thread *thread,
                     int64_t time_ns)
{
    struct flm_stack_buffer *s = &t->stack;
    static const struct flm_bytes yes = {"yes", 3};
    t->frameless += s->frames.count == 0;
    if (s->frames.count > 0 || s->options->by_thread) {
        const struct flm_bytes none = {NULL, 0};
        flm_stack_label(s, "thread name", thread->name);
        flm_stack_label(s, "thread", thread->id);
        flm_stack_label(s, "state", thread->state);
        flm_stack_label(s, "lock", thread->lock);
        flm_stack_label(s, "daemon", thread->is_daemon ? yes : none);
        flm_stack_label(s, "virtual", thread->is_virtual ? yes : none);
        flm_stack_label(s, "carrier", thread->carrier);
        flm_stack_label(s, "container", thread->container);
        flm_stack_label(s, "process", thread->process);
        flm_stack_thread(s, thread->name.size > 0 ? thread->name : thread->id);
        if (!t->series)
            flm_stack_add(s, FLM_LEAF_FIRST, time_ns, t->metric, 1);
    }
    if (t->series)
        flm_java_series_thread(t->series, s, thread);
    flm_stack_begin(s);
}

static void note_count(struct flm_builder *b, const char *key, uint64_t count)
{
    char number[FLM_NUMBER_SIZE];
    if (count > 0)
        flm_builder_note(b, key, number, flm_number_print((double)count, number));
}

void flm_java_end(struct flm_java_threads *t)
{
    struct flm_builder *b = t->stack.builder;
    note_count(b, "dumps", t->dumps);
    note_count(b, "threads without frames", t->frameless);
    note_count(b, "deadlocks", t->deadlocks);
    flm_stack_clear(&t->stack);
    flm_text_clear(&t->line_file);
}
