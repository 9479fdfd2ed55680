/* stacks.c - stacks, methods and threads of a chunk, as those of the profile.
 *
 * A VM runs one method in several ways: interpreted, compiled by either compiler, inlined into its
 * callers. A frame for each would draw most functions three times, so a method of Java code is one
 * frame, as in every viewer of these recordings, and its kind is the one that most of its frames
 * had. That is known only at the end: until then such frames have the kind FLM_KIND_JIT, which
 * frames of machine code never have.
 *
 * The frame type "Native" means two things: in recordings of a VM a Java method that is written in
 * C, in those of async-profiler any machine code. Only async-profiler has the frame type "Kernel",
 * too. A frame of machine code is a function in a module: its class is the library. */
#include "format/java/java_file.h"
#include "format/jfr/internal.h"
#include "profile/internal.h"
#include "record/perf/event.h"

static const char unknown_stack[] = "[unknown stack]";

#define MADE_TRUNCATED (1u << 31) /* a bit of the node of a stack; nodes are below 2^30 */

enum { INTERPRETED, JIT, INLINED, TIER1, JAVA_KINDS };
enum { NATIVE = JAVA_KINDS, CPP, KERNEL, KIND_COUNT };

static const uint32_t kinds[KIND_COUNT] = {
    [INTERPRETED] = FLM_KIND_INTERPRETED, [JIT] = FLM_KIND_JIT,       [INLINED] = FLM_KIND_INLINED,
    [TIER1] = FLM_KIND_JIT_TIER1,         [NATIVE] = FLM_KIND_NATIVE, [CPP] = FLM_KIND_NATIVE,
    [KERNEL] = FLM_KIND_KERNEL,
};

static const char *const kind_names[KIND_COUNT] = {[INTERPRETED] = "Interpreted",
                                                   [JIT] = "JIT compiled",
                                                   [INLINED] = "Inlined",
                                                   [TIER1] = "C1 compiled",
                                                   [NATIVE] = "Native",
                                                   [CPP] = "C++",
                                                   [KERNEL] = "Kernel"};

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at ? text->at : "", text->size};
}

/* Replaces `out` by the text of a string or a constant. */
static bool take_text(struct flm_jfr_stacks *s, const struct flm_jfr_value *value,
                      struct flm_text *out)
{
    out->size = 0;
    bool has = false;
    if (value->kind == FLM_JFR_STRING && !value->is_array)
        has = flm_jfr_string_add(s->constants, value->at, out);
    else if (value->kind == FLM_JFR_CONSTANT && !value->is_array)
        has = flm_jfr_constant_add(s->constants, value->type, value->number, out);
    s->no_memory |= out->failed;
    return has;
}

static uint32_t string_of(struct flm_jfr_stacks *s, const struct flm_text *text)
{
    struct flm_bytes bytes = bytes_of(text);
    return flm_builder_string(s->builder, bytes.at, bytes.size).index;
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { OS_NAME, OS_ID, JAVA_NAME, JAVA_ID, THREAD_SLOTS };

/* The label of a Java thread is its Java number, as in `jfr print` and thread dumps. Other threads
 * have "os" and their system's number, which could be the same as a Java number. */
static void name_thread(struct flm_jfr_stacks *s, const struct flm_jfr_constant *constant,
                        struct flm_jfr_thread *thread)
{
    struct flm_jfr_value values[THREAD_SLOTS] = {0};
    struct flm_jfr_cursor c = flm_jfr_constant_value(s->constants, constant);
    flm_jfr_plan_read(&s->thread_plan, s->constants->types, &c, values);
    if (!(take_text(s, &values[JAVA_NAME], &s->text) && s->text.size > 0) &&
        !take_text(s, &values[OS_NAME], &s->text))
        s->text.size = 0;
    thread->name = s->text.size > 0 ? string_of(s, &s->text) : 0;
    s->text.size = 0;
    if ((int64_t)values[JAVA_ID].number > 0)
        flm_text_uint(&s->text, values[JAVA_ID].number);
    else
        flm_text_format(&s->text, "os %llu", (unsigned long long)values[OS_ID].number);
    s->no_memory |= s->text.failed;
    thread->id = string_of(s, &s->text);
}

struct flm_jfr_thread *flm_jfr_thread_of(struct flm_jfr_stacks *s, uint64_t key)
{
    /* A thread often writes several events in a row. */
    if (s->last_thread && s->last_thread_key == key)
        return &s->threads.at[s->last_thread];
    struct flm_jfr_constant *constant =
        s->has_threads ? flm_jfr_constant_find(s->constants, s->thread_type, key) : NULL;
    if (!constant)
        return &s->threads.at[0];
    if (constant->made == 0) {
        struct flm_jfr_thread thread = {0};
        name_thread(s, constant, &thread);
        if (!FLM_ARRAY_ADD(&s->threads, thread)) {
            s->no_memory = true;
            return &s->threads.at[0];
        }
        constant->made = (uint32_t)s->threads.count;
    }
    s->last_thread = constant->made - 1;
    s->last_thread_key = key;
    return &s->threads.at[s->last_thread];
}

static void put(struct flm_jfr_stacks *s, struct flm_string *labels, size_t *count, const char *key,
                struct flm_string value)
{
    labels[(*count)++] = flm_builder_string(s->builder, key, strlen(key));
    labels[(*count)++] = value;
}

struct flm_label_set flm_jfr_labels(struct flm_jfr_stacks *s, struct flm_jfr_thread *thread,
                                    enum flm_jfr_state state)
{
    static const char *const names[FLM_JFR_STATES] = {
        [FLM_JFR_ON_CPU] = "on-CPU",
        [FLM_JFR_SLEEPING] = "sleeping",
        [FLM_JFR_LOCK] = "lock",
        [FLM_JFR_BLOCKED] = "blocked",
    };
    if (thread->has[state])
        return thread->labels[state];
    struct flm_string labels[10];
    size_t count = 0;
    if (s->process.size > 0)
        put(s, labels, &count, "process", (struct flm_string){string_of(s, &s->process)});
    if (s->process_name.size > 0)
        put(s, labels, &count, "process name", (struct flm_string){string_of(s, &s->process_name)});
    if (thread->id)
        put(s, labels, &count, "thread", (struct flm_string){thread->id});
    if (thread->name)
        put(s, labels, &count, "thread name", (struct flm_string){thread->name});
    if (state != FLM_JFR_UNSTATED)
        put(s, labels, &count, "state",
            flm_builder_string(s->builder, names[state], strlen(names[state])));
    thread->has[state] = true;
    return thread->labels[state] = flm_builder_label_set(s->builder, labels, count / 2);
}

enum flm_jfr_state flm_jfr_state_of(struct flm_jfr_stacks *s, uint64_t key)
{
    static const struct {
        const char *name;
        enum flm_jfr_state state;
    } states[] = {
        {"STATE_DEFAULT", FLM_JFR_ON_CPU}, /* async-profiler: on a processor */
        {"STATE_RUNNABLE", FLM_JFR_ON_CPU},         {"STATE_SLEEPING", FLM_JFR_SLEEPING},
        {"STATE_IN_OBJECT_WAIT", FLM_JFR_SLEEPING}, /* and _TIMED; these are beginnings */
        {"STATE_PARKED", FLM_JFR_SLEEPING},         {"STATE_BLOCKED", FLM_JFR_LOCK},
    };
    struct flm_jfr_constant *constant =
        s->state_type == FLM_NONE ? NULL : flm_jfr_constant_find(s->constants, s->state_type, key);
    if (!constant)
        return FLM_JFR_UNSTATED;
    if (constant->made == 0) {
        constant->made = 1 + FLM_JFR_UNSTATED;
        s->text.size = 0;
        flm_jfr_constant_add(s->constants, s->state_type, key, &s->text);
        s->no_memory |= s->text.failed;
        for (size_t i = 0; i < sizeof states / sizeof *states; i++)
            if (flm_bytes_start_with(bytes_of(&s->text), states[i].name))
                constant->made = 1 + states[i].state;
    }
    return (enum flm_jfr_state)(constant->made - 1);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { METHOD_CLASS, METHOD_NAME, METHOD_SLOTS };
enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_SLOTS };
enum { STACK_TRUNCATED, STACK_FRAMES, STACK_SLOTS };

/* Reads the class of a method into s->text, empty if it is unknown, and its name into s->text2. */
static bool read_method(struct flm_jfr_stacks *s, const struct flm_jfr_constant *constant)
{
    struct flm_jfr_value values[METHOD_SLOTS] = {0};
    struct flm_jfr_cursor c = flm_jfr_constant_value(s->constants, constant);
    flm_jfr_plan_read(&s->method_plan, s->constants->types, &c, values);
    s->text.size = 0;
    if (values[METHOD_CLASS].kind == FLM_JFR_CONSTANT)
        flm_jfr_class_add(s->constants, values[METHOD_CLASS].number, &s->text);
    s->no_memory |= s->text.failed;
    return take_text(s, &values[METHOD_NAME], &s->text2) || s->text.size > 0;
}

/* Joins them in s->text as in Java code: "java.lang.String.valueOf". */
static void join_method(struct flm_jfr_stacks *s)
{
    for (size_t i = 0; i < s->text.size; i++)
        s->text.at[i] = s->text.at[i] == '/' ? '.' : s->text.at[i];
    if (s->text.size > 0 && s->text2.size > 0)
        flm_text_putc(&s->text, '.');
    flm_text_add(&s->text, bytes_of(&s->text2));
    s->no_memory |= s->text.failed;
}

/* NULL: unknown, or memory ran out. */
static struct flm_jfr_method *method_of(struct flm_jfr_stacks *s, uint64_t key)
{
    struct flm_jfr_constant *constant =
        s->has_methods ? flm_jfr_constant_find(s->constants, s->method_type, key) : NULL;
    if (!constant)
        return NULL;
    if (constant->made == 0) {
        if (!read_method(s, constant))
            return NULL;
        struct flm_jfr_method method = {.module = string_of(s, &s->text),
                                        .native = string_of(s, &s->text2)};
        s->file.size = 0;
        flm_java_file_add(&s->file, bytes_of(&s->text), (struct flm_bytes){"", 0});
        s->no_memory |= s->file.failed;
        join_method(s);
        method.name = string_of(s, &s->text);
        method.file = string_of(s, &s->file);
        if (s->no_memory || !FLM_ARRAY_ADD(&s->methods, method)) {
            s->no_memory = true;
            return NULL;
        }
        constant->made = (uint32_t)s->methods.count;
    }
    return &s->methods.at[constant->made - 1];
}

bool flm_jfr_method_add(struct flm_jfr_stacks *s, uint64_t key, struct flm_text *out)
{
    const struct flm_jfr_method *method = method_of(s, key);
    if (method && !flm_builder_failed(s->builder))
        flm_text_add(out, flm_interner_text(&s->builder->interner, method->name));
    return method;
}

/* The kind that a constant of type jdk.types.FrameType stands for. */
static unsigned kind_of(struct flm_jfr_stacks *s, uint64_t key)
{
    if (key < s->kind_count)
        return s->kind_of[key];
    struct flm_jfr_constant *constant =
        s->frame_type == FLM_NONE ? NULL : flm_jfr_constant_find(s->constants, s->frame_type, key);
    if (!constant)
        return JIT;
    if (constant->made == 0) {
        constant->made = 1 + JIT;
        s->text.size = 0;
        flm_jfr_constant_add(s->constants, s->frame_type, key, &s->text);
        s->no_memory |= s->text.failed;
        for (unsigned i = 0; i < KIND_COUNT; i++)
            if (flm_bytes_are(bytes_of(&s->text), kind_names[i]))
                constant->made = 1 + i;
    }
    return constant->made - 1;
}

static struct flm_frame label_frame(struct flm_jfr_stacks *s, const char *name)
{
    uint32_t frame =
        flm_interner_function(&s->builder->interner, flm_bytes_of(name), FLM_KIND_LABEL);
    if (frame == FLM_NONE)
        flm_builder_fail_memory(s->builder);
    return (struct flm_frame){frame == FLM_NONE ? 0 : frame};
}

static void count_kind(struct flm_jfr_stacks *s, uint32_t frame, unsigned kind)
{
    while (s->kinds.count <= frame)
        if (!FLM_ARRAY_ADD(&s->kinds, (struct flm_jfr_kinds){{0}})) {
            s->no_memory = true;
            return;
        }
    if (s->kinds.at[frame].count[kind] < UINT32_MAX)
        s->kinds.at[frame].count[kind]++;
}

/* The frame at a line; the one without where that is not known. The file is that in which the class
 * of the method is by convention, for JFR names none. */
static struct flm_frame at_line(struct flm_jfr_stacks *s, struct flm_frame frame, uint32_t file,
                                int32_t line)
{
    if (line <= 0)
        return frame;
    const struct flm_location where = {.file = file, .line = (uint32_t)line};
    return flm_builder_frame_at(s->builder, frame, &where);
}

static struct flm_frame frame_of(struct flm_jfr_stacks *s, const uint64_t *numbers)
{
    unsigned kind = kind_of(s, numbers[FRAME_TYPE]);
    bool is_java = kind < JAVA_KINDS;
    bool is_machine = kind > NATIVE || (kind == NATIVE && s->has_native);
    struct flm_jfr_method *method = method_of(s, numbers[FRAME_METHOD]);
    struct flm_frame_record record = {.kind = is_java ? FLM_KIND_JIT : kinds[kind]};
    int32_t line = (int32_t)numbers[FRAME_LINE];
    if (!method) {
        s->unknown_methods++;
        record.function = flm_builder_string(s->builder, "[unknown]", 9).index;
        record.flags = FLM_FRAME_UNSYMBOLIZED;
        return at_line(s, flm_builder_frame(s->builder, &record), 0, line);
    }
    struct flm_frame frame = {method->frame[!is_java]};
    if (frame.index == 0 || (!is_java && method->native_kind != record.kind)) {
        record.function = is_machine ? method->native : method->name;
        record.module = is_machine ? method->module : 0;
        frame = flm_builder_frame(s->builder, &record);
        method->frame[!is_java] = frame.index;
        if (!is_java)
            method->native_kind = record.kind;
    }
    struct flm_frame located = at_line(s, frame, is_java ? method->file : 0, line);
    /* Its locations have the kind of the frame, but with --lines each is a frame of its own. */
    if (is_java)
        count_kind(s, s->builder->locations == FLM_LOCATIONS_AS_LINES ? located.index : frame.index,
                   kind);
    return located;
}

/* Reads the fields of a frame, and moves behind it. */
static void read_frame(struct flm_jfr_stacks *s, struct flm_jfr_cursor *c, uint64_t *numbers)
{
    const struct flm_jfr_types *types = s->constants->types;
    const struct flm_jfr_type *type = &types->types.at[s->frame_plan.type];
    const struct flm_jfr_plan *plan = &s->frame_plan;
    if (type->is_plain && !c->is_fixed) { /* as in all known recordings */
        uint64_t skipped;
        for (uint32_t i = 0; i < type->operation_count; i++) {
            uint8_t slot = i < plan->operation_count ? plan->slot[i] : FLM_JFR_NO_SLOT;
            *(slot < FRAME_SLOTS ? &numbers[slot] : &skipped) = flm_jfr_varint(c);
        }
        return;
    }
    struct flm_jfr_value values[FRAME_SLOTS] = {0};
    flm_jfr_plan_read(plan, types, c, values);
    for (uint32_t i = plan->operation_count; i < type->operation_count; i++)
        flm_jfr_operation_skip(c, types, &types->operations.at[type->first_operation + i]);
    for (size_t i = 0; i < FRAME_SLOTS; i++)
        numbers[i] = values[i].number;
}

/* Reads the frames of a stack into s->frames, leaf first. */
static void read_frames(struct flm_jfr_stacks *s, const struct flm_jfr_value *frames)
{
    struct flm_jfr_cursor c = {.at = frames->at,
                               .end = (const unsigned char *)s->constants->chunk.at +
                                      s->constants->chunk.size,
                               .is_fixed = s->constants->is_fixed};
    for (uint32_t left = flm_jfr_int(&c); left > 0; left--) {
        uint64_t numbers[FRAME_SLOTS] = {0};
        read_frame(s, &c, numbers);
        if (c.failed || s->no_memory)
            break;
        if (!FLM_ARRAY_ADD(&s->frames, frame_of(s, numbers)))
            s->no_memory = true;
    }
}

/* Adds a label in front of the outermost frame. */
static void add_label(struct flm_jfr_stacks *s, struct flm_frame frame)
{
    if (!FLM_ARRAY_ADD(&s->frames, frame))
        s->no_memory = true;
}

/* The frames of a constant, or [unknown stack]. */
static void make_frames(struct flm_jfr_stacks *s, const struct flm_jfr_constant *constant)
{
    struct flm_jfr_value values[STACK_SLOTS] = {0};
    s->frames.count = 0;
    if (constant) {
        struct flm_jfr_cursor c = flm_jfr_constant_value(s->constants, constant);
        flm_jfr_plan_read(&s->stack_plan, s->constants->types, &c, values);
        if (values[STACK_FRAMES].kind == FLM_JFR_STRUCTURES && s->frame_plan.operation_count > 0)
            read_frames(s, &values[STACK_FRAMES]);
    }
    s->is_truncated = s->frames.count > 0 && values[STACK_TRUNCATED].number != 0;
    if (s->frames.count == 0)
        add_label(s, label_frame(s, unknown_stack));
    else if (s->is_truncated)
        add_label(s, label_frame(s, FLM_TRUNCATED_STACK));
}

static struct flm_frame thread_frame(struct flm_jfr_stacks *s, struct flm_jfr_thread *thread)
{
    if (thread->frame == 0) {
        s->text.size = 0;
        uint32_t name = thread->name ? thread->name : thread->id;
        if (!flm_builder_failed(s->builder) && name)
            flm_text_add(&s->text, flm_interner_text(&s->builder->interner, name));
        else
            flm_text_puts(&s->text, "[unknown thread]");
        flm_text_putc(&s->text, 0);
        s->no_memory |= s->text.failed;
        thread->frame = label_frame(s, s->no_memory ? "" : s->text.at).index;
    }
    return (struct flm_frame){thread->frame};
}

struct flm_node flm_jfr_stack_node(struct flm_jfr_stacks *s, uint64_t key,
                                   struct flm_jfr_thread *thread)
{
    struct flm_jfr_constant *constant =
        s->has_stacks ? flm_jfr_constant_find(s->constants, s->stack_type, key) : NULL;
    bool by_thread = s->options->by_thread;
    s->unknown_stacks += !constant && key != 0; /* 0: the event has none */
    if (constant && constant->made && !by_thread) {
        s->truncated += (constant->made & MADE_TRUNCATED) != 0;
        return (struct flm_node){(constant->made & ~MADE_TRUNCATED) - 1};
    }
    make_frames(s, constant);
    s->truncated += s->is_truncated;
    if (by_thread)
        add_label(s, thread_frame(s, thread));
    for (size_t i = 0, j = s->frames.count; i + 1 < j; i++) {
        struct flm_frame outer = s->frames.at[--j];
        s->frames.at[j] = s->frames.at[i];
        s->frames.at[i] = outer;
    }
    if (s->no_memory || flm_builder_failed(s->builder))
        return flm_builder_root(s->builder);
    struct flm_node node = flm_builder_descend(s->builder, flm_builder_root(s->builder),
                                               s->frames.at, s->frames.count);
    if (constant)
        constant->made = (node.index + 1) | (s->is_truncated ? MADE_TRUNCATED : 0);
    return node;
}

static bool make_class_frame(struct flm_jfr_stacks *s, struct flm_jfr_constant *constant)
{
    s->text.size = s->text2.size = 0;
    if (!flm_jfr_class_add(s->constants, constant->key, &s->text2))
        return false;
    flm_jfr_class_show(bytes_of(&s->text2), &s->text);
    s->no_memory |= s->text.failed || s->text2.failed;
    if (s->no_memory || flm_builder_failed(s->builder))
        return false;
    uint32_t frame =
        flm_interner_function(&s->builder->interner, bytes_of(&s->text), FLM_KIND_LABEL);
    s->no_memory |= frame == FLM_NONE;
    constant->made = frame + 1;
    return frame != FLM_NONE;
}

struct flm_node flm_jfr_leaf_node(struct flm_jfr_stacks *s, struct flm_node node,
                                  const struct flm_jfr_value *leaf)
{
    if (leaf->kind != FLM_JFR_CONSTANT || leaf->is_array || leaf->type == FLM_NONE)
        return node;
    if (leaf->type == s->method_type) {
        struct flm_jfr_method *method = method_of(s, leaf->number);
        struct flm_frame_record record = {.kind = FLM_KIND_JIT};
        if (!method)
            return node;
        record.function = method->name;
        return flm_builder_child(s->builder, node, flm_builder_frame(s->builder, &record));
    }
    struct flm_jfr_constant *constant =
        leaf->type == s->constants->classes
            ? flm_jfr_constant_find(s->constants, leaf->type, leaf->number)
            : NULL;
    if (!constant || (!constant->made && !make_class_frame(s, constant)))
        return node;
    return flm_builder_child(s->builder, node, (struct flm_frame){constant->made - 1});
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

void flm_jfr_stacks_begin(struct flm_jfr_stacks *s, struct flm_jfr_constants *constants)
{
    static const struct flm_jfr_wanted stack[] = {{"truncated", STACK_TRUNCATED},
                                                  {"frames", STACK_FRAMES}};
    static const struct flm_jfr_wanted frame[] = {
        {"method", FRAME_METHOD}, {"lineNumber", FRAME_LINE}, {"type", FRAME_TYPE}};
    static const struct flm_jfr_wanted method[] = {{"type", METHOD_CLASS}, {"name", METHOD_NAME}};
    static const struct flm_jfr_wanted thread[] = {{"osName", OS_NAME},
                                                   {"osThreadId", OS_ID},
                                                   {"javaName", JAVA_NAME},
                                                   {"javaThreadId", JAVA_ID}};
    struct flm_jfr_types *types = constants->types;
    s->constants = constants;
    s->stack_type = flm_jfr_type_named(types, "jdk.types.StackTrace");
    s->thread_type = flm_jfr_type_named(types, "java.lang.Thread");
    s->state_type = flm_jfr_type_named(types, "jdk.types.ThreadState");
    s->frame_type = flm_jfr_type_named(types, "jdk.types.FrameType");
    s->method_type = flm_jfr_type_named(types, "jdk.types.Method");
    s->has_stacks = flm_jfr_plan_make(&s->stack_plan, types, s->stack_type, stack, 2);
    s->has_methods = flm_jfr_plan_make(&s->method_plan, types, s->method_type, method, 2);
    s->has_threads = flm_jfr_plan_make(&s->thread_plan, types, s->thread_type, thread, 4);
    flm_jfr_plan_make(&s->frame_plan, types, flm_jfr_type_named(types, "jdk.types.StackFrame"),
                      frame, 3);
    if (s->has_stacks) { /* the frames are what the field says, whatever it is called */
        const struct flm_jfr_type *type = &types->types.at[s->stack_type];
        for (uint32_t i = 0; i < type->operation_count && i < FLM_JFR_MOST_FIELDS; i++) {
            const struct flm_jfr_operation *o = &types->operations.at[type->first_operation + i];
            if (s->stack_plan.slot[i] == STACK_FRAMES && o->kind == FLM_JFR_STRUCTURES)
                flm_jfr_plan_make(&s->frame_plan, types, o->type, frame, 3);
        }
    }
    s->has_native = false;
    s->kind_count = 0;
    for (uint64_t key = 0; key < FLM_JFR_KNOWN_KINDS; key++) {
        s->kind_of[key] = (uint8_t)kind_of(s, key);
        s->has_native |= s->kind_of[key] == KERNEL;
    }
    s->kind_count = FLM_JFR_KNOWN_KINDS;
    s->methods.count = s->threads.count = 0;
    s->last_thread = 0;
    if (!FLM_ARRAY_ADD(&s->threads, (struct flm_jfr_thread){0}))
        s->no_memory = true;
    s->no_memory |= types->no_memory;
}

void flm_jfr_stacks_clear(struct flm_jfr_stacks *s)
{
    FLM_ARRAY_CLEAR(&s->methods);
    FLM_ARRAY_CLEAR(&s->threads);
    FLM_ARRAY_CLEAR(&s->frames);
    FLM_ARRAY_CLEAR(&s->kinds);
    flm_text_clear(&s->process);
    flm_text_clear(&s->process_name);
    flm_text_clear(&s->text);
    flm_text_clear(&s->text2);
    flm_text_clear(&s->file);
}

void flm_jfr_stacks_finish(struct flm_jfr_stacks *s)
{
    static const unsigned order[JAVA_KINDS] = {JIT, TIER1, INLINED, INTERPRETED}; /* of equals */
    struct flm_interner *interner = &s->builder->interner;
    uint32_t *base = s->builder->failed ? NULL : flm_interner_bases(interner);
    s->no_memory |= !base;
    for (uint32_t i = 0; base && i < interner->frame_count; i++) {
        if (base[i] >= s->kinds.count)
            continue;
        const uint32_t *count = s->kinds.at[base[i]].count;
        unsigned best = JIT;
        for (size_t j = 0; j < JAVA_KINDS; j++)
            if (count[order[j]] > count[best])
                best = order[j];
        if (count[best] > 0)
            interner->frames[i].kind = kinds[best];
    }
    s->no_memory |= base && !flm_interner_index_frames(interner);
    free(base);
    if (s->truncated)
        flm_builder_lost(s->builder,
                         "outer frames of truncated stacks (deeper than the recording keeps)", "",
                         0, (double)s->truncated);
    if (s->unknown_stacks)
        flm_builder_lost(s->builder, "stacks that the recording does not have", "", 0,
                         (double)s->unknown_stacks);
    if (s->unknown_methods)
        flm_builder_lost(s->builder, "frames whose method the recording does not have", "", 0,
                         (double)s->unknown_methods);
}
