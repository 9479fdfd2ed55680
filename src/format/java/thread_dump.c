/* thread_dump.c - thread dumps of HotSpot as text: jstack, jcmd Thread.print, SIGQUIT, and jcmd
 * Thread.dump_to_file.
 *
 *     31673:                                                        jcmd: the process
 *     2026-11-20 07:26:06
 *     Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):
 *
 *     "main" #1 [27735] prio=5 os_prio=0 cpu=213.48ms tid=0x00007fd428017ea0 nid=0x7bbb runnable
 *        java.lang.Thread.State: BLOCKED (on object monitor)
 *     	at Work.contend(Work.java:8)
 *     	- waiting to lock <0x000000069ec18258> (a java.lang.Object)
 *     	at java.lang.Thread.run(java.base@17.0.15/Thread.java:840)
 *
 *     "ForkJoinPool-1-worker-1" #28 [27760] daemon ... tid=0x00007f0b1c0edd50  [0x00007f0afc942000]
 *        Carrying virtual thread #27
 *     	at jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)
 *        Mounted virtual thread #27                                 a thread of its own
 *     	at VT.fib(VT.java:3)
 *
 *     Found one Java-level deadlock:                                says again what is above
 *     ...
 *     Found 1 deadlock.
 *
 * and what Thread.dump_to_file writes, which knows virtual threads that are not mounted, too:
 *
 *     31673
 *     2026-11-20T07:24:07.264202454Z
 *     25.0.3+9-LTS
 *
 *     #29 "name" virtual RUNNABLE 2026-11-20T07:24:07.468740948Z    JDK 21: only #29 "name" virtual
 *         at java.base/java.lang.Thread.run(Thread.java:1474)       JDK 21: without "at"
 *
 * Any number of dumps may follow each other, with other output of the program before, between and
 * behind them. Names of threads may hold quotes and line breaks, so a header is recognized by what
 * follows the last quote. The number of a thread is decimal since JDK 21, hexadecimal before. What
 * begins with '{' is JSON (thread_dump_json.c). */
#include "format/java/internal.h"

#include "base/number/number.h"
#include "base/text/line_reader.h"

/* A name with more lines is no name. */
enum { MOST_NAME_LINES = 5 };

/* Texts that outlive the line that they are from. */
enum owned { NAME, ID, STATE, LOCK, CARRIER, PROCESS, NUMBER, OWNED_COUNT };

struct reading {
    struct flm_java_threads *threads;
    struct flm_text owned[OWNED_COUNT];
    int64_t date_ns, dump_ns,
        thread_ns; /* of the last line with a date; of the dump; of a thread */
    uint64_t native, thread_count;
    int64_t cpu_ns;
    bool in_dump, in_deadlock, in_thread, is_daemon, is_virtual, is_carrier;
    bool has_number; /* the line before was a number alone, which may be that of a process */
    int open_lines;  /* a header's name goes on in the next line, of so many: 0: it does not */
    bool has_runtime, has_date;
};

static void end_thread(struct reading *r)
{
    if (r->in_thread) {
        const struct flm_java_thread thread = {
            .name = flm_java_kept(&r->owned[NAME]),
            .id = flm_java_kept(&r->owned[ID]),
            .state = flm_java_kept(&r->owned[STATE]),
            .lock = flm_java_kept(&r->owned[LOCK]),
            .carrier = flm_java_kept(&r->owned[CARRIER]),
            .process = flm_java_kept(&r->owned[PROCESS]),
            .is_daemon = r->is_daemon,
            .is_virtual = r->is_virtual,
            /* What a carrier uses is the work of the thread that it carries, which comes next. */
            .native = r->is_carrier ? 0 : r->native,
            .cpu_ns = r->is_carrier ? -1 : r->cpu_ns,
        };
        flm_java_thread(r->threads, &thread, r->thread_ns);
        r->thread_count++;
    }
    r->in_thread = r->is_daemon = r->is_virtual = r->is_carrier = false;
    r->native = 0;
    r->cpu_ns = -1;
    r->thread_ns = r->dump_ns;
    for (int i = ID; i < PROCESS; i++)
        r->owned[i].size = 0;
}

static void begin_dump(struct reading *r)
{
    end_thread(r);
    r->in_dump = true;
    r->in_deadlock = false;
    r->open_lines = 0;
    r->dump_ns = r->thread_ns = r->date_ns;
    r->date_ns = FLM_NO_TIME;
    r->threads->dumps++;
}

/* ---- Parts of lines -------------------------------------------------------------------------- */

/* Passes `text` at the beginning of the line. */
static bool skip(struct flm_bytes *line, const char *text)
{
    if (!flm_bytes_start_with(*line, text))
        return false;
    *line = flm_bytes_from(*line, strlen(text));
    return true;
}

static struct flm_bytes take_word(struct flm_bytes *line)
{
    *line = flm_bytes_trimmed(*line);
    struct flm_bytes word = {line->at, 0};
    while (word.size < line->size && !flm_is_space(word.at[word.size]))
        word.size++;
    *line = flm_bytes_from(*line, word.size);
    return word;
}

static bool is_number(struct flm_bytes text)
{
    uint64_t value;
    return flm_number_parse_uint(text, &value);
}

static struct flm_bytes before_space(struct flm_bytes line)
{
    return take_word(&line);
}

/* Splits a header behind its last quote. */
static bool split_at_quote(struct flm_bytes line, struct flm_bytes *name, struct flm_bytes *rest)
{
    size_t quote = line.size;
    while (quote > 0 && line.at[quote - 1] != '"')
        quote--;
    if (quote == 0)
        return false;
    *name = (struct flm_bytes){line.at, quote - 1};
    *rest = flm_bytes_from(line, quote);
    return true;
}

/* ---- Headers of threads ---------------------------------------------------------------------- */

/* What follows the name in a dump: #12 [27752] daemon prio=5 ... tid=0x... nid=0x7bbb runnable. */
static bool is_attributes(struct flm_bytes rest)
{
    return flm_bytes_start_with(rest, " ") &&
           (flm_bytes_contain(rest, " tid=") || flm_bytes_contain(rest, " nid="));
}

/* What follows it in a dump to a file: [virtual] [RUNNABLE 2026-11-20T07:24:07.468740948Z]. */
static bool is_short_attributes(struct flm_bytes rest, struct reading *r)
{
    struct flm_bytes word = take_word(&rest);
    bool is_virtual = flm_bytes_are(word, "virtual");
    if (is_virtual)
        word = take_word(&rest);
    struct flm_bytes state = word, when = take_word(&rest);
    int64_t time_ns = FLM_NO_TIME;
    if (take_word(&rest).size > 0 || (when.size > 0 && !flm_date_parse(when, &time_ns)))
        return false;
    for (size_t i = 0; i < state.size; i++)
        if (state.at[i] != '_' && (state.at[i] < 'A' || state.at[i] > 'Z'))
            return false;
    if (r) {
        r->is_virtual = is_virtual;
        flm_java_keep(&r->owned[STATE], state);
        if (time_ns != FLM_NO_TIME)
            r->thread_ns = time_ns;
    }
    return true;
}

static void add_number(struct reading *r, struct flm_bytes text)
{
    uint64_t number;
    r->owned[ID].size = 0;
    if (flm_number_parse_uint(text, &number) ||
        (skip(&text, "0x") && flm_number_parse_hex(text, &number))) {
        flm_text_uint(&r->owned[ID], number);
        r->native = number;
    }
}

/* "213.48ms", since JDK 11. */
static void read_cpu(struct reading *r, struct flm_bytes text)
{
    double ms;
    if (!flm_bytes_end_with(text, "ms"))
        return;
    text.size -= 2;
    if (flm_number_parse(text, &ms) != FLM_NUMBER_NONE && ms >= 0 && ms < 1e12)
        r->cpu_ns = (int64_t)(ms * 1e6 + 0.5);
}

static void read_attributes(struct reading *r, struct flm_bytes rest)
{
    for (struct flm_bytes word; (word = take_word(&rest)).size > 0;) {
        if (word.at[0] == '#' && r->owned[ID].size == 0)
            flm_java_keep(&r->owned[ID], word);
        else if (flm_bytes_are(word, "daemon"))
            r->is_daemon = true;
        else if (skip(&word, "nid="))
            add_number(r, word);
        else if (skip(&word, "cpu="))
            read_cpu(r, word);
        else if (word.at[0] == '[' && flm_bytes_end_with(word, "]") && word.size > 2 &&
                 is_number((struct flm_bytes){word.at + 1, word.size - 2}))
            add_number(r, (struct flm_bytes){word.at + 1, word.size - 2});
    }
}

/* #12 "main": the number is before the name. */
static bool is_short_header(struct flm_bytes line)
{
    if (!skip(&line, "#"))
        return false;
    struct flm_bytes number = before_space(line);
    return is_number(number) && flm_bytes_start_with(flm_bytes_from(line, number.size), " \"");
}

static void begin_thread(struct reading *r, struct flm_bytes name)
{
    if (r->open_lines > 0) {
        flm_text_putc(&r->owned[NAME], '\n');
        flm_text_add(&r->owned[NAME], name);
    } else {
        flm_java_keep(&r->owned[NAME], name);
    }
    r->in_thread = true;
    r->open_lines = 0;
}

/* Takes the line if it is a header, or a part of one. */
static bool read_header(struct reading *r, struct flm_bytes line)
{
    bool is_short = is_short_header(line), begins = is_short || flm_bytes_start_with(line, "\"");
    if (!begins && r->open_lines == 0)
        return false;
    if (begins) {
        end_thread(r);
        r->open_lines = 0;
    }
    if (is_short)
        flm_java_keep(&r->owned[ID], before_space(line));
    /* A name that goes on has its number already. */
    struct flm_bytes name, rest;
    size_t start = !begins ? 0 : is_short ? r->owned[ID].size + 2 : 1;
    bool is_closed = split_at_quote(flm_bytes_from(line, start), &name, &rest);
    if (is_closed && is_attributes(rest)) {
        begin_thread(r, name);
        read_attributes(r, rest);
    } else if (is_closed && r->owned[ID].size > 0 && is_short_attributes(rest, r)) {
        begin_thread(r, name);
    } else if (begins) {
        flm_java_keep(&r->owned[NAME], flm_bytes_from(line, start));
        r->open_lines = 1;
    } else {
        flm_text_putc(&r->owned[NAME], '\n');
        flm_text_add(&r->owned[NAME], line);
        r->open_lines = (r->open_lines + 1) % MOST_NAME_LINES;
    }
    return true;
}

/* ---- Other lines ----------------------------------------------------------------------------- */

/* "- waiting on <0x...> (a X)": the first one is what the thread waits for. */
static void read_lock(struct reading *r, struct flm_bytes line)
{
    static const char *const waits[] = {"- waiting on", "- waiting to lock",
                                        "- waiting to re-lock in wait()", "- parking to wait for",
                                        "- blocked on"};
    if (r->owned[LOCK].size > 0)
        return;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (skip(&line, waits[i]) && flm_bytes_start_with(flm_bytes_trimmed(line), "<"))
            flm_java_keep(&r->owned[LOCK], flm_bytes_trimmed(line));
}

/* A carrier's frames are followed by those of the virtual thread that is mounted on it. Its state
 * is not written. */
static void read_mounted(struct reading *r, struct flm_bytes number)
{
    struct flm_text carrier = {0};
    flm_text_add(&carrier, flm_java_kept(&r->owned[NAME]));
    int64_t time_ns = r->thread_ns, cpu_ns = r->cpu_ns;
    uint64_t native = r->native;
    end_thread(r);
    r->thread_ns = time_ns;
    r->cpu_ns = cpu_ns;
    r->native = native;
    flm_java_keep(&r->owned[CARRIER], (struct flm_bytes){carrier.at, carrier.size});
    flm_java_keep(&r->owned[NAME], (struct flm_bytes){"", 0});
    flm_java_keep(&r->owned[ID], before_space(number));
    r->in_thread = r->is_virtual = true;
    if (carrier.failed)
        r->owned[NAME].failed = true;
    flm_text_clear(&carrier);
}

static void read_in_thread(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes text = flm_bytes_trimmed(line);
    if (skip(&text, "at "))
        flm_java_frame(r->threads, text, false);
    else if (flm_bytes_start_with(text, "- "))
        read_lock(r, text);
    else if (skip(&text, "java.lang.Thread.State: "))
        flm_java_keep(&r->owned[STATE], before_space(text));
    else if (flm_bytes_start_with(text, "Carrying virtual thread "))
        r->is_carrier = true;
    else if (skip(&text, "Mounted virtual thread "))
        read_mounted(r, text);
    else if (flm_bytes_start_with(line, "      ") && flm_bytes_end_with(text, ")") &&
             text.at[0] != '(')
        flm_java_frame(r->threads, text, false); /* dump_to_file of JDK 21 */
}

static void note_runtime(struct reading *r, struct flm_bytes runtime)
{
    if (!r->has_runtime)
        flm_builder_note(r->threads->stack.builder, "runtime", runtime.at, runtime.size);
    r->has_runtime = true;
}

/* A line with only the number of a process: "31673:" of jcmd, "31673" of a dump to a file. */
static bool read_number(struct reading *r, struct flm_bytes line)
{
    line.size -= flm_bytes_end_with(line, ":");
    if (!is_number(line))
        return false;
    flm_java_keep(&r->owned[NUMBER], line);
    return true;
}

/* A line with only a date begins a dump, behind the number of the process where that is written. */
static bool read_date(struct reading *r, struct flm_bytes line)
{
    if (!flm_date_parse(line, &r->date_ns))
        return false;
    end_thread(r);
    r->open_lines = 0;
    flm_java_keep(&r->owned[PROCESS],
                  r->has_number ? flm_java_kept(&r->owned[NUMBER]) : (struct flm_bytes){"", 0});
    if (!r->has_date)
        flm_builder_note(r->threads->stack.builder, "recorded", line.at, line.size);
    return r->has_date = true;
}

/* "Full thread dump", which other output may precede on its line. */
static const char title[] = "Full thread dump ";

static bool read_title(struct reading *r, struct flm_bytes line)
{
    if (!flm_bytes_contain(line, title))
        return false;
    while (!skip(&line, title))
        line = flm_bytes_from(line, 1);
    begin_dump(r);
    line = flm_bytes_trimmed(line);
    line.size -= flm_bytes_end_with(line, ":");
    note_runtime(r, line);
    return true;
}

/* The third line of a dump to a file, behind that of the date: the version. */
static bool read_version(struct reading *r, struct flm_bytes line)
{
    if (r->date_ns == FLM_NO_TIME || line.size == 0 || line.at[0] < '0' || line.at[0] > '9' ||
        flm_bytes_contain(line, " "))
        return false;
    begin_dump(r);
    note_runtime(r, line);
    return true;
}

/* "Found one Java-level deadlock:" and "Found 1 deadlock." */
static void read_found(struct reading *r, struct flm_bytes line)
{
    uint64_t count;
    if (!skip(&line, "Found "))
        return;
    struct flm_bytes word = take_word(&line);
    if (flm_bytes_start_with(line, " Java-level deadlock")) {
        end_thread(r);
        r->in_deadlock = true;
    } else if (flm_bytes_start_with(line, " deadlock") && flm_number_parse_uint(word, &count)) {
        if (count > r->threads->deadlocks) /* every dump says again those that there are */
            r->threads->deadlocks = count;
        r->in_deadlock = false;
    }
}

static bool belongs_to_thread(struct flm_bytes line)
{
    return flm_is_space(line.at[0]) || flm_bytes_start_with(line, "at ") ||
           flm_bytes_start_with(line, "- ");
}

static void read_line(struct reading *r, struct flm_bytes line)
{
    if (line.size == 0) {
        end_thread(r);
        r->open_lines = 0;
        return;
    }
    if (r->in_thread && r->open_lines == 0 && belongs_to_thread(line)) {
        read_in_thread(r, line);
        return;
    }
    bool is_number = read_number(r, line);
    if (!is_number && !read_date(r, line) && !read_title(r, line) &&
        (!r->in_dump || r->in_deadlock || !read_header(r, line)) && !read_version(r, line))
        read_found(r, line);
    r->has_number = is_number;
}

bool flm_java_read_text(struct flm_source *source, struct flm_java_threads *threads,
                        uint64_t *count, struct flm_error *why)
{
    struct reading r = {.threads = threads,
                        .date_ns = FLM_NO_TIME,
                        .dump_ns = FLM_NO_TIME,
                        .thread_ns = FLM_NO_TIME,
                        .cpu_ns = -1};
    struct flm_builder *builder = threads->stack.builder;
    struct flm_line_reader lines = {.source = source, .why = why};
    struct flm_bytes line;
    while (flm_line_next(&lines, &line) && !flm_builder_failed(builder))
        read_line(&r, line);
    if (r.in_thread && lines.number > 0 && !lines.is_ended)
        flm_builder_lost(builder, "threads at the end of the text, without a line break: cut off?",
                         "line", lines.number, 1);
    end_thread(&r);
    bool memory = true;
    for (int i = 0; i < OWNED_COUNT; i++) {
        memory &= !r.owned[i].failed;
        flm_text_clear(&r.owned[i]);
    }
    *count = r.thread_count;
    return !lines.failed && (memory || flm_error_memory(why));
}

static bool read_text(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct flm_java_threads threads;
    uint64_t count;
    flm_java_begin(&threads, builder, options);
    bool good = flm_java_read_text(source, &threads, &count, why);
    flm_java_end(&threads);
    return good && (count > 0 || flm_builder_failed(builder) ||
                    flm_error_set(why, FLM_ERROR_FORMAT, "it has no threads"));
}

static bool read_dump(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_fill(source, 64, why))
        return false;
    struct flm_bytes head = {source->at, (size_t)(source->end - source->at)};
    bool is_json = flm_bytes_start_with(flm_bytes_trimmed(head), "{");
    return (is_json ? flm_java_read_json : read_text)(source, options, builder, why);
}

/* ---- Recognizing it -------------------------------------------------------------------------- */

static int sniff_dump(struct flm_bytes head, bool whole)
{
    (void)whole;
    int json = flm_java_sniff_json(head);
    if (json > FLM_SNIFF_NO)
        return json;
    struct flm_source source = flm_source_of(head);
    struct flm_line_reader lines = {.source = &source};
    int64_t time_ns = FLM_NO_TIME;
    struct flm_bytes line, name, rest;
    bool has_title = false, has_time = false;
    while (flm_line_next(&lines, &line)) {
        has_title |= flm_bytes_start_with(line, title);
        has_time |= flm_date_parse(line, &time_ns);
        if (flm_bytes_start_with(line, "\"") && split_at_quote(line, &name, &rest) &&
            is_attributes(rest) && (has_title || flm_bytes_contain(rest, "prio=")))
            return has_title ? FLM_SNIFF_SURE + 5 : FLM_SNIFF_LIKELY;
        if (has_time && is_short_header(line))
            return FLM_SNIFF_SURE;
    }
    return has_title ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_thread_dump = {
    .name = "thread-dump",
    .title = "Java thread dump",
    .extensions = ".tdump",
    .description =
        "Java thread dumps: jstack, jcmd Thread.print, Thread.dump_to_file (JSON too), kill -3",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_dump,
    .read = read_dump,
};
