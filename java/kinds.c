/* kinds.c - safe in signal handlers: whether the functions of a stack are interpreted, compiled or
 * inlined.
 *
 * AsyncGetCallTrace and JVM TI say which functions are on a stack. Its machine frames say how they
 * run: each return address is in a block of the code cache, which is the interpreter or a compiled
 * function. A compiled function stands for itself and for the functions that are inlined at the
 * address: its debug information has one scope for each.
 *
 *     machine frames             functions     kinds
 *     compiled, three scopes     leaf          inlined
 *                                middle        inlined
 *                                outer         compiled, by C1 or C2
 *     interpreted                main          interpreted
 *
 * The two walks are compared: where the outermost function of a machine frame differs, the kinds
 * from there outward stay unknown. So do all kinds in a VM whose structures are not laid out as in
 * HotSpot 8 to 25. */
#include <string.h>

#include "java/internal.h"

enum { MOST_HEAPS = 8, WORD = 8 };

static struct {
    bool is_known;
    uint64_t thread; /* from a thread's structure to its environment */
    uint64_t anchor, anchor_sp, anchor_fp, anchor_pc, wrapper_anchor;
    uint64_t call_stub_return;
    int32_t wrapper; /* in words from the frame pointer of the call stub */
    uint64_t interpreter_start, interpreter_end;

    /* Of blocks of the code cache. */
    uint64_t used, header, name, frame_size, code;
    bool has_code_address; /* `code` is the field of an address; else of an offset */

    /* Of compiled functions. */
    uint64_t method, level, pcs, pcs_end, scopes, orig_pc;
    enum { ALL_IN_BLOCK, SCOPES_BY_ADDRESS, APART } layout; /* of addresses and scopes */
    uint64_t apart;                                         /* the field that points to them */
    uint64_t pc_offset, pc_scope, pc_size;
    uint32_t excluded; /* lowest values of bytes that numbers do not use: 0, or 1 from JDK 20 on */
    bool has_method_pointers;

    /* Of the entry of a continuation (a virtual thread); 0: the VM has none. */
    uint64_t continuation, continuation_size, continuation_return;

    uint32_t heap_count;
    struct heap {
        uint64_t start, end, segments, shift;
    } heaps[MOST_HEAPS];
} layout;

static uint64_t word_at(uint64_t address)
{
    uint64_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static int32_t int_at(uint64_t address)
{
    int32_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

/* ---- Where things are ------------------------------------------------------------------------ */

static bool field(const char *type, const char *name, uint64_t *offset)
{
    return structures_offset(type, name, offset);
}

/* JDK 8 has one heap, later ones an array of them. The base class that has the length of a
 * GrowableArray was renamed. */
static bool find_heaps(uint64_t *first, const uint64_t **heaps, uint32_t *count)
{
    uint64_t array, length, data;
    *heaps = first;
    *count = 1;
    if (structures_value("CodeCache", "_heap", first))
        return true;
    if (!structures_value("CodeCache", "_heaps", &array) ||
        !(field("GrowableArrayBase", "_len", &length) ||
          field("GenericGrowableArray", "_len", &length)) ||
        !field("GrowableArray<int>", "_data", &data))
        return false;
    *count = (uint32_t)int_at(array + length);
    *heaps = (const uint64_t *)(uintptr_t)word_at(array + data);
    return true;
}

static bool learn_heaps(void)
{
    uint64_t first, memory, segmap, log2, low, high;
    const uint64_t *heaps;
    uint32_t count;
    if (!find_heaps(&first, &heaps, &count) || !field("CodeHeap", "_memory", &memory) ||
        !field("CodeHeap", "_segmap", &segmap) || !field("CodeHeap", "_log2_segment_size", &log2) ||
        !field("VirtualSpace", "_low", &low) || !field("VirtualSpace", "_high_boundary", &high))
        return false;
    layout.heap_count = 0;
    for (uint32_t i = 0; i < count && i < MOST_HEAPS; i++) {
        uint64_t heap = heaps[i];
        layout.heaps[layout.heap_count++] =
            (struct heap){word_at(heap + memory + low), word_at(heap + memory + high),
                          word_at(heap + segmap + low), (uint64_t)(uint32_t)int_at(heap + log2)};
    }
    return layout.heap_count > 0 && field("HeapBlock::Header", "_used", &layout.used) &&
           structures_size("HeapBlock", &layout.header);
}

static bool learn_blocks(void)
{
    layout.has_code_address = field("CodeBlob", "_code_begin", &layout.code);
    return (layout.has_code_address || field("CodeBlob", "_code_offset", &layout.code)) &&
           field("CodeBlob", "_name", &layout.name) &&
           field("CodeBlob", "_frame_size", &layout.frame_size);
}

static bool learn_methods(void)
{
    layout.pcs_end = 0;
    if (field("nmethod", "_immutable_data", &layout.apart) &&
        field("nmethod", "_scopes_data_offset", &layout.scopes))
        layout.layout = APART;
    else if (field("CompiledMethod", "_scopes_data_begin", &layout.scopes) &&
             field("nmethod", "_dependencies_offset", &layout.pcs_end))
        layout.layout = SCOPES_BY_ADDRESS;
    else if (field("nmethod", "_scopes_data_offset", &layout.scopes) &&
             field("nmethod", "_dependencies_offset", &layout.pcs_end))
        layout.layout = ALL_IN_BLOCK;
    else
        return false;
    return (field("nmethod", "_method", &layout.method) ||
            field("CompiledMethod", "_method", &layout.method)) &&
           field("nmethod", "_scopes_pcs_offset", &layout.pcs) &&
           field("nmethod", "_comp_level", &layout.level) &&
           field("nmethod", "_orig_pc_offset", &layout.orig_pc) &&
           field("PcDesc", "_pc_offset", &layout.pc_offset) &&
           field("PcDesc", "_scope_decode_offset", &layout.pc_scope) &&
           structures_size("PcDesc", &layout.pc_size) && layout.pc_size > 0;
}

static bool learn_frames(void)
{
    uint64_t code, buffer, limit;
    if (!structures_value("AbstractInterpreter", "_code", &code) ||
        !field("StubQueue", "_stub_buffer", &buffer) ||
        !field("StubQueue", "_buffer_limit", &limit) ||
        !structures_constant("frame::entry_frame_call_wrapper_offset", &layout.wrapper))
        return false;
    layout.interpreter_start = word_at(code + buffer);
    layout.interpreter_end = layout.interpreter_start + (uint32_t)int_at(code + limit);
    return structures_value("StubRoutines", "_call_stub_return_address",
                            &layout.call_stub_return) &&
           field("JavaThread", "_anchor", &layout.anchor) &&
           field("JavaFrameAnchor", "_last_Java_sp", &layout.anchor_sp) &&
           field("JavaFrameAnchor", "_last_Java_fp", &layout.anchor_fp) &&
           field("JavaFrameAnchor", "_last_Java_pc", &layout.anchor_pc) &&
           field("JavaCallWrapper", "_anchor", &layout.wrapper_anchor);
}

/* The environment is a member of the structure of its thread. */
static bool learn_thread(jni *env)
{
    enum { MOST = 1 << 16 };
    object current = NULL;
    if (jvmti_current_thread(agent.ti, &current) != 0 || !current)
        return false;
    uint64_t address = threads_address(env, current);
    jni_delete_local(env, current);
    layout.thread = (uint64_t)(uintptr_t)env - address;
    return address != 0 && layout.thread < MOST;
}

static void learn_continuations(void)
{
    uint64_t size;
    bool are_known =
        field("JavaThread", "_cont_entry", &layout.continuation) &&
        structures_value("ContinuationEntry", "_return_pc", &layout.continuation_return) &&
        structures_size("ContinuationEntry", &size);
    layout.continuation = are_known ? layout.continuation : 0;
    layout.continuation_size = are_known ? (size + 2 * WORD - 1) / (2 * WORD) * (2 * WORD) : 0;
}

void kinds_begin(jni *env)
{
    enum { VERSION_20 = 20 << 16, VERSION_26 = 26 << 16 };
    int32_t version = jni_version(env);
    layout.excluded = version >= VERSION_20;
    layout.has_method_pointers = version < VERSION_26;
    layout.is_known =
        learn_heaps() && learn_blocks() && learn_methods() && learn_frames() && learn_thread(env);
    learn_continuations();
}

/* ---- Blocks of the code cache ---------------------------------------------------------------- */

/* The map has a byte for each segment: how far back an earlier segment of the same block is; 0 for
 * the first one. */
static uint64_t find_block(uint64_t pc)
{
    enum { FREE = 255 };
    for (uint32_t i = 0; i < layout.heap_count; i++) {
        const struct heap *h = &layout.heaps[i];
        if (pc < h->start || pc >= h->end)
            continue;
        const uint8_t *map = (const uint8_t *)(uintptr_t)h->segments;
        uint64_t segment = (pc - h->start) >> h->shift;
        if (map[segment] == FREE)
            return 0;
        for (; map[segment] > 0; segment -= map[segment])
            if (map[segment] > segment)
                return 0;
        uint64_t block = h->start + (segment << h->shift);
        bool is_used = *(const uint8_t *)(uintptr_t)(block + layout.used) != 0;
        return is_used ? block + layout.header : 0;
    }
    return 0;
}

static bool is_method(uint64_t block)
{
    const char *name = (const char *)(uintptr_t)word_at(block + layout.name);
    return name && (strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0);
}

static uint64_t code_of(uint64_t block)
{
    return layout.has_code_address ? word_at(block + layout.code)
                                   : block + (uint32_t)int_at(block + layout.code);
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

/* Up to five bytes of six bits each, the lowest first; a byte below SMALL is the last one. */
static uint32_t read_number(const uint8_t *at)
{
    enum { SMALL = 192, MOST_BYTES = 5 };
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MOST_BYTES; i++) {
        sum += (at[i] - layout.excluded) << 6 * i;
        if (at[i] < SMALL)
            break;
    }
    return sum;
}

struct tables {
    uint64_t pcs, pcs_end, scopes;
};

static struct tables tables_of(uint64_t block)
{
    uint64_t base = layout.layout == APART ? word_at(block + layout.apart) : block;
    uint64_t scopes = layout.layout == SCOPES_BY_ADDRESS
                          ? word_at(block + layout.scopes)
                          : base + (uint32_t)int_at(block + layout.scopes);
    uint64_t end =
        layout.layout == APART ? scopes : base + (uint32_t)int_at(block + layout.pcs_end);
    return (struct tables){base + (uint32_t)int_at(block + layout.pcs), end, scopes};
}

/* The scope at the first address with a scope that is not before `offset`, or with `is_exact` the
 * one at `offset`; 0: none. */
static uint32_t find_scope(const struct tables *t, int64_t offset, bool is_exact)
{
    uint64_t low = 0, high = t->pcs_end > t->pcs ? (t->pcs_end - t->pcs) / layout.pc_size : 0;
    uint64_t count = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (int_at(t->pcs + middle * layout.pc_size + layout.pc_offset) < offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint64_t found = t->pcs + low * layout.pc_size;
    if (low == count || (is_exact && int_at(found + layout.pc_offset) != offset))
        return 0;
    return (uint32_t)int_at(found + layout.pc_scope);
}

/* The number of functions that the frame stands for, at most `most`. */
static uint32_t count_scopes(const struct tables *t, uint32_t scope, uint32_t most)
{
    uint32_t count = 0;
    for (; scope != 0 && count < most; count++)
        scope = read_number((const uint8_t *)(uintptr_t)(t->scopes + scope));
    return count > 0 ? count : 1;
}

/* ---- The walk -------------------------------------------------------------------------------- */

struct walk {
    struct machine_frame at;
    uint64_t thread;
    struct flm_java_frame *frames;
    uint32_t count, done;
    bool is_near;    /* the frame was interrupted: its address need not have a scope */
    uint64_t top_pc; /* but this address is of a call, which has one; 0: none */
};

static bool agrees(const struct walk *w, uint32_t index, uint64_t method)
{
    uint64_t id = w->frames[index].method;
    return !layout.has_method_pointers || id == 0 || word_at(id) == method;
}

static void set_kind(const struct walk *w, uint32_t index, enum flm_java_compiled kind)
{
    if (w->frames[index].kind == FLM_JAVA_UNKNOWN)
        w->frames[index].kind = kind;
}

/* Goes to the last Java frame, which an anchor keeps while native code runs. */
static bool go_to_anchor(struct machine_frame *at, uint64_t anchor)
{
    uint64_t sp = word_at(anchor + layout.anchor_sp), pc = word_at(anchor + layout.anchor_pc);
    if (!sp)
        return false;
    *at = (struct machine_frame){pc ? pc : word_at(sp - WORD), sp,
                                 word_at(anchor + layout.anchor_fp)};
    return true;
}

static bool leave_interpreted(struct walk *w)
{
    enum { METHOD = -3, SENDER_SP = -1 };
    uint64_t fp = w->at.fp;
    if (!agrees(w, w->done, word_at(fp + (uint64_t)(METHOD * WORD))))
        return false;
    set_kind(w, w->done++, FLM_JAVA_INTERPRETED);
    w->is_near = false;
    w->at = (struct machine_frame){word_at(fp + WORD), word_at(fp + (uint64_t)(SENDER_SP * WORD)),
                                   word_at(fp)};
    return true;
}

/* The caller's frame of one that has a size. */
static bool leave_sized(struct walk *w, uint64_t block)
{
    int32_t words = int_at(block + layout.frame_size);
    uint64_t sp = w->at.sp + (uint64_t)(uint32_t)words * WORD;
    if (words <= 0)
        return false;
    w->at = (struct machine_frame){word_at(sp - WORD), sp, word_at(sp - 2 * WORD)};
    return true;
}

static uint32_t scope_here(const struct walk *w, uint64_t block, const struct tables *t)
{
    uint64_t code = code_of(block);
    int64_t offset = (int64_t)(w->at.pc - code);
    uint32_t scope = 0;
    if (!w->is_near || w->top_pc == w->at.pc)
        scope = find_scope(t, offset, true);
    if (!scope && w->is_near)
        return find_scope(t, offset + 1, false);
    if (!scope) { /* its return address was replaced to deoptimize it: the frame keeps the old */
        uint64_t kept = word_at(w->at.sp + (uint32_t)int_at(block + layout.orig_pc));
        scope = find_scope(t, (int64_t)(kept - code), true);
    }
    return scope;
}

static bool leave_compiled(struct walk *w, uint64_t block)
{
    const struct tables t = tables_of(block);
    uint8_t level = *(const uint8_t *)(uintptr_t)(block + layout.level);
    uint32_t left = w->count - w->done, scopes = 1;
    enum { NO_COMPILER = 0, LAST_OF_C1 = 3 };
    if (level != NO_COMPILER) /* else it is the wrapper of a native method */
        scopes = count_scopes(&t, scope_here(w, block, &t), left + 1);
    bool is_whole = scopes <= left;
    scopes = is_whole ? scopes : left;
    if (is_whole && !agrees(w, w->done + scopes - 1, word_at(block + layout.method)))
        return false;
    for (uint32_t i = 0; i < scopes; i++) {
        bool is_outermost = is_whole && i + 1 == scopes;
        enum flm_java_compiled by = level > LAST_OF_C1 ? FLM_JAVA_C2 : FLM_JAVA_C1;
        if (level != NO_COMPILER)
            set_kind(w, w->done, is_outermost ? by : FLM_JAVA_INLINED);
        w->done++;
    }
    w->is_near = false;
    return leave_sized(w, block);
}

/* A virtual thread's frames are copied to the stack of its carrier in parts: goes from the
 * outermost one to the carrier's frames. */
static bool leave_continuation(struct walk *w)
{
    uint64_t entry = layout.continuation ? word_at(w->thread + layout.continuation) : 0;
    if (entry <= w->at.sp)
        return false;
    w->at = (struct machine_frame){layout.continuation_return, entry,
                                   word_at(entry + layout.continuation_size)};
    return true;
}

static bool step(struct walk *w, uint64_t block)
{
    uint64_t pc = w->at.pc;
    if (pc >= layout.interpreter_start && pc < layout.interpreter_end)
        return leave_interpreted(w);
    if (is_method(block))
        return leave_compiled(w, block);
    if (pc == layout.call_stub_return) {
        uint64_t wrapper = word_at(w->at.fp + (uint64_t)((int64_t)layout.wrapper * WORD));
        return go_to_anchor(&w->at, wrapper + layout.wrapper_anchor);
    }
    return leave_sized(w, block) || leave_continuation(w);
}

/* Goes from a function of the VM that compiled code calls directly to that code. */
static uint64_t leave_native(struct walk *w)
{
    enum { MOST_FRAMES = 32 };
    uint64_t block = find_block(w->at.pc);
    for (int i = 0; !block && i < MOST_FRAMES; i++) {
        uint64_t fp = w->at.fp;
        if (fp % WORD != 0 || fp < w->at.sp)
            return 0;
        w->at = (struct machine_frame){word_at(fp + WORD), fp + 2 * WORD, word_at(fp)};
        block = find_block(w->at.pc);
    }
    return block;
}

uint64_t kinds_thread(const jni *env)
{
    return (uint64_t)(uintptr_t)env - layout.thread;
}

void kinds_find(uint64_t thread, const struct machine_frame *asked, struct flm_java_frame *frames,
                uint32_t count)
{
    if (!layout.is_known || !thread)
        return;
    struct walk w = {.thread = thread, .frames = frames, .count = count, .is_near = asked != NULL};
    if (go_to_anchor(&w.at, w.thread + layout.anchor))
        w.top_pc = w.at.pc;
    else if (asked)
        w.at = *asked;
    else
        return;
    uint64_t block = leave_native(&w);
    while (block && w.done < count) {
        uint64_t sp = w.at.sp;
        if (!step(&w, block) || w.at.sp <= sp)
            break;
        block = find_block(w.at.pc);
    }
}

struct wanted {
    uint64_t thread;
    struct flm_java_frame *frames;
    uint32_t count;
};

static void find(void *in)
{
    const struct wanted *wanted = in;
    kinds_find(wanted->thread, NULL, wanted->frames, wanted->count);
}

void kinds_find_known(uint64_t thread, struct flm_java_frame *frames, uint32_t count)
{
    struct wanted wanted = {thread, frames, count};
    guarded_run_here(find, &wanted);
}
