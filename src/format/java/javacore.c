/* javacore.c - javacores of OpenJ9 and IBM's Java: their thread dumps.
 *
 *     1TIDATETIME    Date: 2023/08/23 at 14:05:01:337
 *     1CICMDLINE     /opt/java/bin/java -jar app.jar
 *     3XMTHREADINFO      "main" J9VMThread:0x1E00, omrthread_t:0x7F, ..., state:R, prio=5
 *     3XMJAVALTHREAD            (java/lang/Thread getId:0x1, isDaemon:false)
 *     3XMTHREADINFO1            (native thread ID:0x2A5C, native priority:0x5, ...)
 *     3XMTHREADBLOCK     Blocked on: java/lang/Object@0xE0 Owned by: "worker" (...)
 *     3XMTHREADINFO3           Java callstack:
 *     4XESTACKTRACE                at java/lang/Object.wait(Object.java:167(Compiled Code))
 *     5XESTACKTRACE                   (entered lock: java/lang/Object@0xE0, entry count: 1)
 *     3XMTHREADINFO3           Native callstack:
 *     4XENATIVESTACK               read+0x45 (0x00007F5B [libc.so.6+0x1234])
 *
 * Every line begins with its kind. The stacks of native code are left out: they are of the VM,
 * below the Java methods that are counted. States become those of java.lang.Thread.State. */
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "format/java/internal.h"

enum owned { NAME, ID, STATE, LOCK, OWNED_COUNT };

struct reading {
    struct flm_java_threads threads;
    struct flm_text owned[OWNED_COUNT];
    int64_t time_ns;
    bool in_thread, is_daemon, has_threads;
};

static void end_thread(struct reading *r)
{
    if (r->in_thread) {
        const struct flm_java_thread thread = {
            .name = flm_java_kept(&r->owned[NAME]),
            .id = flm_java_kept(&r->owned[ID]),
            .state = flm_java_kept(&r->owned[STATE]),
            .lock = flm_java_kept(&r->owned[LOCK]),
            .is_daemon = r->is_daemon,
        };
        flm_java_thread(&r->threads, &thread, r->time_ns);
        r->has_threads = true;
    }
    r->in_thread = r->is_daemon = false;
    for (int i = 0; i < OWNED_COUNT; i++)
        r->owned[i].size = 0;
}

/* The text from behind `mark` to the next byte of `ends`; empty where there is no mark. */
static struct flm_bytes after(struct flm_bytes line, const char *mark, const char *ends)
{
    size_t size = strlen(mark);
    for (size_t i = 0; i + size <= line.size; i++) {
        if (memcmp(line.at + i, mark, size) != 0)
            continue;
        struct flm_bytes found = {line.at + i + size, 0};
        while (i + size + found.size < line.size && !flm_is_one_of(found.at[found.size], ends))
            found.size++;
        return flm_bytes_trimmed(found);
    }
    return (struct flm_bytes){"", 0};
}

/* Java's name of a state. */
static struct flm_bytes state_named(struct flm_bytes state)
{
    static const char *const names[][2] = {
        {"R", "RUNNABLE"},  {"B", "BLOCKED"}, {"CW", "WAITING"}, {"P", "WAITING"},
        {"S", "SUSPENDED"}, {"Z", "ZOMBIE"},  {"MW", "BLOCKED"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flm_bytes_are(state, names[i][0]))
            return flm_bytes_of(names[i][1]);
    return state;
}

/* A name may hold quotes: it ends at the last one that is not in another member. */
static void begin_thread(struct reading *r, struct flm_bytes text)
{
    end_thread(r);
    r->in_thread = true;
    if (!flm_bytes_start_with(text, "\"")) { /* Anonymous native thread */
        flm_java_keep(&r->owned[NAME], text);
        return;
    }
    size_t end = text.size;
    while (end > 1 && text.at[end - 1] != '"')
        end--;
    flm_java_keep(&r->owned[NAME],
                  (struct flm_bytes){text.at + 1, end > 1 ? end - 2 : text.size - 1});
    flm_java_keep(&r->owned[STATE], state_named(after(flm_bytes_from(text, end), "state:", ",")));
}

static void read_id(struct reading *r, struct flm_bytes text)
{
    uint64_t number;
    struct flm_bytes id = after(text, "native thread ID:", ",) ");
    if (flm_bytes_start_with(id, "0x") && flm_number_parse_hex(flm_bytes_from(id, 2), &number)) {
        r->owned[ID].size = 0;
        flm_text_uint(&r->owned[ID], number);
    }
}

/* "2023/08/23 at 14:05:01:337" as Java's other dumps have it. */
static void read_date(struct reading *r, struct flm_bytes text)
{
    char date[23];
    text = after(text, "Date:", "(");
    if (text.size != 26 || memcmp(text.at + 10, " at ", 4) != 0)
        return;
    memcpy(date, text.at, 10);
    memcpy(date + 11, text.at + 14, 12);
    date[4] = date[7] = '-';
    date[10] = 'T';
    date[19] = '.';
    const struct flm_bytes iso = {date, sizeof date};
    if (flm_date_parse(iso, &r->time_ns))
        flm_builder_note(r->threads.stack.builder, "recorded", iso.at, iso.size);
}

static void read_line(struct reading *r, struct flm_bytes line)
{
    struct flm_builder *b = r->threads.stack.builder;
    struct flm_bytes kind = line;
    kind.size = 0;
    while (kind.size < line.size && !flm_is_space(line.at[kind.size]))
        kind.size++;
    struct flm_bytes text = flm_bytes_trimmed(flm_bytes_from(line, kind.size));
    if (flm_bytes_are(kind, "1TIDATETIME"))
        read_date(r, text);
    else if (flm_bytes_are(kind, "1CICMDLINE"))
        flm_builder_note(b, "command", text.at, text.size);
    else if (flm_bytes_are(kind, "1CIJAVAVERSION"))
        flm_builder_note(b, "runtime", text.at, text.size);
    else if (flm_bytes_are(kind, "3XMTHREADINFO"))
        begin_thread(r, text);
    else if (flm_bytes_are(kind, "1XMTHDINFO") || flm_bytes_are(kind, "0SECTION"))
        end_thread(r);
    else if (flm_bytes_are(kind, "3XMTHREADINFO1") && flm_bytes_contain(text, "native thread ID:"))
        read_id(r, text);
    else if (flm_bytes_are(kind, "3XMJAVALTHREAD"))
        r->is_daemon = flm_bytes_contain(text, "isDaemon:true");
    else if (flm_bytes_are(kind, "3XMTHREADBLOCK"))
        flm_java_keep(&r->owned[LOCK], after(text, " on: ", " "));
    else if (flm_bytes_are(kind, "4XESTACKTRACE") && flm_bytes_start_with(text, "at ") &&
             r->in_thread)
        flm_java_frame(&r->threads, flm_bytes_trimmed(flm_bytes_from(text, 3)), true);
}

static bool read_javacore(struct flm_source *source, const struct flm_read_options *options,
                          struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.time_ns = FLM_NO_TIME};
    flm_java_begin(&r.threads, builder, options);
    struct flm_line_reader lines = {.source = source, .why = why};
    struct flm_bytes line;
    while (flm_line_next(&lines, &line) && !flm_builder_failed(builder)) {
        if (flm_bytes_start_with(line, "1TIDATETIME"))
            r.threads.dumps++;
        read_line(&r, line);
    }
    end_thread(&r);
    bool memory = true;
    for (int i = 0; i < OWNED_COUNT; i++) {
        memory &= !r.owned[i].failed;
        flm_text_clear(&r.owned[i]);
    }
    flm_java_end(&r.threads);
    if (lines.failed)
        return false;
    if (!memory)
        return flm_error_memory(why);
    return r.has_threads || flm_builder_failed(builder) ||
           flm_error_set(why, FLM_ERROR_FORMAT, "it has no threads (3XMTHREADINFO)");
}

/* Whether a line of the head, or the first `most` bytes of it, begins so. */
static bool has_line(struct flm_bytes head, const char *start, size_t most)
{
    size_t size = strlen(start);
    if (head.size > most)
        head.size = most;
    for (size_t at = 0; at + size < head.size;) {
        if (memcmp(head.at + at, start, size) == 0)
            return true;
        const char *end = head.at + head.size;
        at = (size_t)(flm_find(head.at + at, end, '\n') - head.at) + 1;
    }
    return false;
}

/* Parts of one are javacores too: threads, with their stacks. A program that reads them has these
 * words elsewhere than where lines begin. */
static int sniff_javacore(struct flm_bytes head, bool whole)
{
    enum { NEAR = 4096 };
    (void)whole;
    bool is_dump = has_line(head, "0SECTION ", NEAR) && has_line(head, "1TIDATETIME ", head.size);
    bool is_part =
        has_line(head, "3XMTHREADINFO ", head.size) && has_line(head, "4XESTACKTRACE ", head.size);
    return is_dump || is_part ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_javacore = {
    .name = "javacore",
    .title = "OpenJ9 javacore",
    .extensions = "",
    .description = "thread dumps of OpenJ9 and IBM's Java",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_javacore,
    .read = read_javacore,
};
