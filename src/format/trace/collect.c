/* collect.c - keeps what an event becomes: a call, GPU work, a marker, a point of a counter, a
 * sample, a name, a part of a CPU profile. finish.c adds it to the profile at the end. */
#include "base/core/hash.h"
#include "format/trace/internal.h"

static bool is_one_of(struct flm_bytes category, const char *const *categories)
{
    for (; *categories; categories++)
        if (flm_bytes_are(category, *categories))
            return true;
    return false;
}

/* The categories of GPU work, and of other spans on the stream of a GPU, as Kineto and its
 * predecessors name them. */
static const char *const gpu_work[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel",
                                       "Memcpy", "Memset",     NULL};
static const char *const spans[] = {"gpu_user_annotation", "cuda_sync", "Trace", NULL};

/* The category of the event, which is mostly that of the one before. */
static const struct flm_trace_category *category_of(struct flm_trace *t)
{
    struct flm_trace_category *c = &t->category;
    struct flm_bytes text = {t->event.category.at, t->event.category.size};
    if (c->is_known && flm_bytes_equal((struct flm_bytes){c->text.at, c->text.size}, text))
        return c;
    c->text.size = 0;
    flm_text_add(&c->text, text);
    if (c->text.failed)
        flm_builder_fail_memory(t->builder);
    c->module = text.size > 0 ? flm_builder_string(t->builder, text.at, text.size).index : 0;
    c->is_gpu_work = is_one_of(text, gpu_work);
    c->is_span = is_one_of(text, spans);
    c->is_known = true;
    return c;
}

static uint32_t make_frame(struct flm_trace *t, uint32_t kind)
{
    struct flm_trace_event *e = &t->event;
    struct flm_builder *b = t->builder;
    uint32_t module = category_of(t)->module;
    struct flm_trace_frame *known = &t->frames[e->name % FLM_TRACE_FRAMES];
    bool is_plain = kind == FLM_KIND_PLAIN && e->url == 0 && !t->options->lines;
    if (is_plain && known->frame && known->name == e->name && known->module == module)
        return known->frame;
    struct flm_frame_record frame = {
        .function = e->name, .file = e->url, .line = e->url ? e->line : 0, .kind = kind};
    if (frame.function == 0)
        frame.function = flm_builder_string(b, "(unnamed)", 9).index;
    frame.module = module;
    if (t->options->lines && e->args.size > 2 && e->url == 0) {
        struct flm_text name = {0};
        flm_text_add(&name, flm_interner_text(&b->interner, frame.function));
        flm_text_putc(&name, ' ');
        flm_text_add(&name, (struct flm_bytes){e->args.at, e->args.size});
        if (name.failed)
            flm_builder_fail_memory(t->builder);
        else
            frame.function = flm_builder_string(b, name.at, name.size).index;
        flm_text_clear(&name);
    }
    uint32_t made = flm_builder_frame(b, &frame).index;
    if (is_plain)
        *known = (struct flm_trace_frame){e->name, module, made};
    return made;
}

static void add_marker(struct flm_trace *t, int64_t time_ns, int64_t duration_ns, uint32_t name,
                       uint32_t detail, uint32_t thread)
{
    if (!t->options->keep_times)
        return;
    struct flm_trace_marker marker = {time_ns, duration_ns, name, detail, thread};
    if (!FLM_ARRAY_ADD(&t->markers, marker))
        flm_builder_fail_memory(t->builder);
}

/* The arguments as the detail of a marker, if they are short enough to show; where the only one is
 * "detail", that is it. */
static uint32_t make_detail(struct flm_trace *t)
{
    enum { MOST_SIZE = 400 };
    const struct flm_text *args = &t->event.args;
    if (t->event.argument_count == 1 && t->event.detail)
        return t->event.detail;
    return args->size > 2 && args->size < MOST_SIZE
               ? flm_builder_string(t->builder, args->at, args->size).index
               : 0;
}

static void add_gpu(struct flm_trace *t, uint32_t thread)
{
    const struct flm_trace_event *e = &t->event;
    struct flm_trace_gpu gpu = {
        e->time_ns, e->duration_ns, e->correlation, e->external, make_frame(t, FLM_KIND_GPU),
        thread};
    if (!FLM_ARRAY_ADD(&t->gpu, gpu))
        flm_builder_fail_memory(t->builder);
}

static void add_call(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_event *e = &t->event;
    struct flm_call call = {.time_ns = e->time_ns, .name = e->name, .mark = FLM_NONE};
    if (e->phase == 'X') {
        if (e->duration_ns < 0) {
            e->duration_ns = 0;
            t->negative++;
        }
        if (e->is_work || category_of(t)->is_gpu_work) {
            add_gpu(t, thread);
            return;
        }
        if (category_of(t)->is_span) {
            add_marker(t, e->time_ns, e->duration_ns, e->name, 0, thread);
            return;
        }
        call.duration_ns = e->duration_ns;
    } else {
        call.duration_ns = e->phase == 'B' ? FLM_CALL_BEGIN : FLM_CALL_END;
    }
    if (e->phase == 'E') {
        if (e->name == 0)
            call.name = FLM_NONE;
    } else {
        call.frame = make_frame(t, FLM_KIND_PLAIN);
        if (e->correlation >= 0 || e->external >= 0) {
            struct flm_trace_launch launch = {e->correlation, e->external, FLM_NONE};
            call.mark = (uint32_t)t->launches.count;
            if (!FLM_ARRAY_ADD(&t->launches, launch))
                flm_builder_fail_memory(t->builder);
        }
    }
    if (!FLM_ARRAY_ADD(&t->threads.at[thread].calls, call))
        flm_builder_fail_memory(t->builder);
}

static uint64_t async_key(const struct flm_trace_event *e)
{
    return flm_mix(e->id ^ flm_hash(e->category.at, e->category.size),
                   flm_hash(e->process.at, e->process.size) | 1);
}

static void add_async(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_event *e = &t->event;
    struct flm_async_event event = {async_key(e), e->time_ns, e->name, 0, thread, FLM_NONE};
    if (e->phase == 'b' || e->phase == 'S') {
        event.detail = make_detail(t);
        if (!flm_async_begin(&t->async, &event))
            flm_builder_fail_memory(t->builder);
        return;
    }
    if (!flm_async_end(&t->async, event.key, &event)) {
        t->without_begin++;
        return;
    }
    int64_t duration =
        e->time_ns > event.time_ns ? flm_trace_duration(t, event.time_ns, e->time_ns) : 0;
    add_marker(t, event.time_ns, duration, event.name, event.detail, event.owner);
}

static void add_counter(struct flm_trace *t, uint32_t thread)
{
    struct flm_builder *b = t->builder;
    for (size_t i = 0; i < t->event.numbers.count; i++) {
        const struct flm_trace_number *number = &t->event.numbers.at[i];
        struct flm_bytes key = flm_interner_text(&b->interner, number->key);
        uint32_t name = t->event.name;
        if (!flm_bytes_are(key, "value") && number->key != name) {
            struct flm_text text = {0};
            flm_text_add(&text, flm_interner_text(&b->interner, name));
            flm_text_putc(&text, ' ');
            flm_text_add(&text, key);
            if (text.failed)
                flm_builder_fail_memory(t->builder);
            else
                name = flm_builder_string(b, text.at, text.size).index;
            flm_text_clear(&text);
        }
        struct flm_trace_point point = {t->event.time_ns, number->value, name, thread};
        if (!FLM_ARRAY_ADD(&t->points, point))
            flm_builder_fail_memory(t->builder);
    }
}

/* The number of that name in the arguments; 0: it has none. */
static double number_named(const struct flm_trace *t, const char *name, bool *found)
{
    const struct flm_interner *v = &t->builder->interner;
    for (size_t i = 0; i < t->event.numbers.count; i++)
        if (flm_bytes_are(flm_interner_text(v, t->event.numbers.at[i].key), name)) {
            *found = true;
            return t->event.numbers.at[i].value;
        }
    *found = false;
    return 0;
}

/* -1 for what is no number of a device. */
static int small_number(double number)
{
    return number >= 0 && number < 1000000 ? (int)number : -1;
}

/* What PyTorch has allocated on a device, and what it has reserved there to allocate from. */
static void add_memory(struct flm_trace *t, uint32_t thread)
{
    static const char *const totals[][2] = {{"Total Allocated", "allocated"},
                                            {"Total Reserved", "reserved"}};
    enum { CPU = 0, CUDA = 1 };
    bool found;
    int type = small_number(number_named(t, "Device Type", &found));
    int device = small_number(number_named(t, "Device Id", &found));
    for (int i = 0; i < 2; i++) {
        char text[100];
        struct flm_text name;
        double value = number_named(t, totals[i][0], &found);
        if (!found)
            continue;
        flm_text_init_fixed(&name, text, sizeof text);
        flm_text_format(&name, "%s bytes of ", totals[i][1]);
        if (type == CPU)
            flm_text_puts(&name, "the CPU");
        else if (type == CUDA)
            flm_text_format(&name, "GPU %d", device);
        else
            flm_text_format(&name, "device %d of type %d", device, type);
        struct flm_trace_point point = {
            t->event.time_ns, value, flm_builder_string(t->builder, text, name.size).index, thread};
        if (!FLM_ARRAY_ADD(&t->points, point))
            flm_builder_fail_memory(t->builder);
    }
}

static void add_metadata(struct flm_trace *t, uint32_t thread)
{
    struct flm_bytes name = flm_interner_text(&t->builder->interner, t->event.name);
    if (t->event.named == 0)
        return;
    if (flm_bytes_are(name, "process_name"))
        flm_trace_name_process(t, thread, t->event.named);
    else if (flm_bytes_are(name, "thread_name"))
        t->threads.at[thread].name = t->event.named;
}

/* ---- Parts of CPU profiles ------------------------------------------------------------------- */

static void add_profile_part(struct flm_trace *t, uint32_t thread, bool begins)
{
    const struct flm_trace_event *e = &t->event;
    uint64_t key = flm_mix(flm_hash(e->process.at, e->process.size) ^ 1,
                           (e->id ? e->id : flm_hash(e->thread.at, e->thread.size) ^ 2) | 1);
    struct flm_probe at = flm_index_probe(&t->cpu_profile_index, (uint32_t)key);
    bool found = false;
    while (!found && flm_index_next(&t->cpu_profile_index, &at))
        found = t->cpu_profiles.at[at.found].key == key;
    uint32_t index = found ? at.found : (uint32_t)t->cpu_profiles.count;
    struct flm_trace_cpu_profile profile = {key, thread, {.builder = t->builder}};
    if (!found && (!FLM_ARRAY_ADD(&t->cpu_profiles, profile) ||
                   !flm_index_add(&t->cpu_profile_index, (uint32_t)key, index))) {
        flm_builder_fail_memory(t->builder);
        return;
    }
    if (begins)
        t->cpu_profiles.at[index].thread = thread;
    if (!flm_v8_append(&t->cpu_profiles.at[index].profile, &t->event.data))
        flm_builder_fail_memory(t->builder);
}

/* ---- Events ---------------------------------------------------------------------------------- */

void flm_trace_add_sample(struct flm_trace *t, uint32_t thread)
{
    struct flm_trace_sample sample = {t->event.time_ns, thread, t->event.stack};
    if (!FLM_ARRAY_ADD(&t->samples, sample))
        flm_builder_fail_memory(t->builder);
}

static bool is_named(const struct flm_trace *t, const char *name)
{
    return flm_bytes_are(flm_interner_text(&t->builder->interner, t->event.name), name);
}

void flm_trace_add_event(struct flm_trace *t)
{
    struct flm_trace_event *e = &t->event;
    uint32_t thread = flm_trace_find_thread(t);
    if (flm_builder_failed(t->builder))
        return;
    if (e->has_data) {
        bool begins = is_named(t, "Profile") || is_named(t, "CpuProfile");
        if (begins || is_named(t, "ProfileChunk")) {
            add_profile_part(t, thread, begins);
            return;
        }
    }
    if (e->phase == 'M') {
        add_metadata(t, thread);
        return;
    }
    if (!e->has_time) {
        t->without_time += e->phase && memchr("BEXiIRbeSFCP", e->phase, 12);
        return;
    }
    switch (e->phase) {
    case 'B':
    case 'E':
    case 'X':
        add_call(t, thread);
        break;
    case 'P':
        if (e->stack)
            flm_trace_add_sample(t, thread);
        break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        if (e->numbers.count > 0 && is_named(t, "[memory]"))
            add_memory(t, thread);
        else
            add_marker(t, e->time_ns, 0, e->name, make_detail(t), thread);
        break;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        if (t->options->keep_times)
            add_async(t, thread);
        break;
    case 'C':
        add_counter(t, thread);
        break;
    default:
        t->other_count++;
        break;
    }
}
