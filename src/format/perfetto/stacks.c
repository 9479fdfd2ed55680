/* stacks.c - stacks of numbered frames, as a tree of all sequences; symbols of addresses. */
#include "format/core/mapped.h"
#include "format/perf/frame.h"
#include "format/perfetto/internal.h"

enum { MOST_FRAMES = 1 << 16, MOST_LINES = 64 };

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint32_t add_frame(struct flm_perfetto *p, const struct flm_perfetto_frame *frame)
{
    uint32_t hash = flm_hash_numbers((uint64_t)frame->function << 32 | frame->module,
                                     frame->address ^ (uint64_t)frame->file << 32 ^ frame->line);
    struct flm_probe at = flm_index_probe(&p->frame_index, hash);
    while (flm_index_next(&p->frame_index, &at))
        if (memcmp(&p->frames.at[at.found], frame, sizeof *frame) == 0)
            return at.found;
    uint32_t index = (uint32_t)p->frames.count;
    if (!FLM_ARRAY_ADD(&p->frames, *frame) || !flm_index_add(&p->frame_index, hash, index)) {
        flm_perfetto_no_memory(p);
        return FLM_NONE;
    }
    return index;
}

/* The path is in pieces: "/system", "lib64", "libc.so". */
static uint32_t make_path(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                          struct flm_bytes mapping)
{
    enum { PIECES = 7, MOST_SIZE = 4096 };
    struct flm_perfetto_list list = flm_perfetto_list_of(p, mapping, PIECES, false);
    uint32_t path = 0;
    uint64_t iid;
    while (flm_perfetto_next_number(&list, &iid)) {
        uint32_t piece = flm_perfetto_name(p, s, FLM_PERFETTO_PATH, iid);
        struct flm_bytes text = flm_interner_text(&p->builder->interner, piece);
        if (text.size == 0)
            break;
        p->text.size = 0;
        flm_text_add(&p->text, flm_interner_text(&p->builder->interner, path));
        if (text.at[0] != '/' && !(path == 0 && text.at[0] == '['))
            flm_text_putc(&p->text, '/');
        flm_text_add(&p->text, text);
        if (p->text.failed || p->text.size > MOST_SIZE)
            break;
        path = flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size});
    }
    if (p->text.failed)
        flm_perfetto_no_memory(p);
    return path;
}

/* Build ids are bytes; here they are digits, as everywhere. */
static uint32_t hexadecimal(struct flm_perfetto *p, struct flm_bytes id)
{
    p->text.size = 0;
    for (size_t i = 0; i < id.size && i < 64; i++)
        flm_text_format(&p->text, "%x%x", (unsigned char)id.at[i] >> 4, id.at[i] & 15);
    if (p->text.failed)
        flm_perfetto_no_memory(p);
    return p->text.size ? flm_perfetto_string(p, (struct flm_bytes){p->text.at, p->text.size}) : 0;
}

static void use_mapping(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint64_t iid,
                        struct flm_perfetto_frame *frame)
{
    struct flm_perfetto_item *item = flm_perfetto_find(s, FLM_PERFETTO_MAPPING, iid);
    struct flm_perfetto_fields f;
    if (!item)
        return;
    struct flm_bytes mapping = flm_perfetto_bytes_of(s, item);
    flm_perfetto_read(p, mapping, &f);
    uint32_t id = flm_perfetto_name(p, s, FLM_PERFETTO_BUILD_ID, flm_perfetto_number(&f, 2));
    frame->build_id = hexadecimal(p, flm_interner_text(&p->builder->interner, id));
    frame->module = make_path(p, s, mapping);
    struct flm_bytes path = flm_interner_text(&p->builder->interner, frame->module);
    if (frame->kind == FLM_KIND_PLAIN && path.size > 0)
        frame->kind = flm_perf_module_kind(path);
}

static uint32_t make_frame(struct flm_perfetto *p, struct flm_perfetto_sequence *s, uint64_t iid)
{
    enum { FUNCTION = 2, MAPPING = 3, ADDRESS = 4, SOURCE_PATH = 5, LINE = 6, KIND = 7 };
    static const uint8_t kinds[] = {FLM_KIND_PLAIN,       FLM_KIND_NATIVE, FLM_KIND_KERNEL,
                                    FLM_KIND_INTERPRETED, FLM_KIND_JIT,    FLM_KIND_PLAIN,
                                    FLM_KIND_NATIVE};
    struct flm_perfetto_item *item = flm_perfetto_find(s, FLM_PERFETTO_FRAME, iid);
    if (!item)
        return FLM_NONE;
    if (item->made != FLM_NONE)
        return item->made;
    struct flm_perfetto_fields f;
    struct flm_perfetto_frame frame;
    memset(&frame, 0, sizeof frame); /* it is compared by its bytes */
    flm_perfetto_read(p, flm_perfetto_bytes_of(s, item), &f);
    uint64_t kind = flm_perfetto_number(&f, KIND);
    frame.function =
        flm_perfetto_name(p, s, FLM_PERFETTO_FUNCTION_NAME, flm_perfetto_number(&f, FUNCTION));
    frame.file =
        flm_perfetto_name(p, s, FLM_PERFETTO_SOURCE_PATH, flm_perfetto_number(&f, SOURCE_PATH));
    frame.address = flm_perfetto_number(&f, ADDRESS);
    frame.line = flm_wire_line(flm_perfetto_number(&f, LINE));
    frame.kind = kind < sizeof kinds ? kinds[kind] : FLM_KIND_PLAIN;
    use_mapping(p, s, flm_perfetto_number(&f, MAPPING), &frame);
    return item->made = add_frame(p, &frame);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static uint32_t add_stack(struct flm_perfetto *p, uint32_t parent, uint32_t frame)
{
    struct flm_perfetto_stack stack = {FLM_NONE, FLM_NONE};
    return flm_perfetto_entry(p, &p->stack_keys, parent, frame, &p->stacks, &stack, sizeof stack);
}

static bool begin_stack(struct flm_perfetto *p)
{
    return p->stacks.count > 0 || add_stack(p, FLM_NONE, FLM_NONE) == 0;
}

uint32_t flm_perfetto_find_stack(struct flm_perfetto *p, struct flm_perfetto_sequence *s,
                                 uint64_t iid)
{
    struct flm_perfetto_item *item = flm_perfetto_find(s, FLM_PERFETTO_CALLSTACK, iid);
    if (item && item->made != FLM_NONE)
        return item->made;
    uint32_t stack = 0, depth = 0;
    uint64_t frame_iid;
    if (!begin_stack(p))
        return FLM_NONE;
    struct flm_perfetto_list list = flm_perfetto_list_of(
        p, item ? flm_perfetto_bytes_of(s, item) : (struct flm_bytes){"", 0}, 2, false);
    while (stack != FLM_NONE && flm_perfetto_next_number(&list, &frame_iid)) {
        uint32_t frame = depth++ < MOST_FRAMES ? make_frame(p, s, frame_iid) : FLM_NONE;
        stack = frame == FLM_NONE ? FLM_NONE : add_stack(p, stack, frame);
    }
    if (stack == FLM_NONE || stack == 0) {
        p->losses[FLM_PERFETTO_UNKNOWN_STACK]++;
        return FLM_NONE;
    }
    return item->made = stack;
}

/* A name, a file and a line, in fields 1 to 3: of a frame, or of a symbol. */
static struct flm_perfetto_line read_line(struct flm_perfetto *p, struct flm_bytes message)
{
    struct flm_perfetto_fields f;
    flm_perfetto_read(p, message, &f);
    return (struct flm_perfetto_line){flm_perfetto_text_string(p, &f, 1),
                                      flm_perfetto_text_string(p, &f, 2),
                                      flm_wire_line(flm_perfetto_number(&f, 3))};
}

uint32_t flm_perfetto_inline_stack(struct flm_perfetto *p, struct flm_bytes message)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_bytes inner;
    uint32_t stack = 0, depth = 0;
    if (!begin_stack(p))
        return FLM_NONE;
    while (stack != FLM_NONE && flm_perfetto_next(p, &m, 1, &inner)) {
        struct flm_perfetto_line line = read_line(p, inner);
        struct flm_perfetto_frame frame;
        memset(&frame, 0, sizeof frame);
        frame.function = line.function;
        frame.file = line.file;
        frame.line = line.line;
        uint32_t index = add_frame(p, &frame);
        bool goes_on = index != FLM_NONE && depth++ < MOST_FRAMES;
        stack = goes_on ? add_stack(p, stack, index) : FLM_NONE;
    }
    if (stack == 0 || stack == FLM_NONE)
        p->losses[FLM_PERFETTO_UNKNOWN_STACK]++;
    return stack == 0 ? FLM_NONE : stack;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

static struct flm_perfetto_symbol *find_symbol(struct flm_perfetto *p, uint32_t module,
                                               uint32_t build_id, uint64_t address)
{
    uint32_t index =
        flm_perfetto_find_key(&p->symbol_keys, address, (uint64_t)module << 32 | build_id);
    return index == FLM_NONE ? NULL : &p->symbols.at[index];
}

static void read_symbol(struct flm_perfetto *p, uint32_t module, uint32_t build_id,
                        struct flm_bytes message)
{
    struct flm_wire m = flm_perfetto_message(p, message);
    struct flm_perfetto_fields f;
    struct flm_perfetto_symbol symbol = {.first = p->lines.count};
    struct flm_bytes text;
    flm_perfetto_read(p, message, &f);
    while (flm_perfetto_next(p, &m, 2, &text)) {
        if (symbol.count == MOST_LINES) {
            p->losses[FLM_PERFETTO_MANY_LINES]++;
            break;
        }
        struct flm_perfetto_line line = read_line(p, text);
        flm_perfetto_push(p, &p->lines, &line, sizeof line);
        symbol.count++;
    }
    uint32_t index =
        flm_perfetto_entry(p, &p->symbol_keys, flm_perfetto_number(&f, 1),
                           (uint64_t)module << 32 | build_id, &p->symbols, &symbol, sizeof symbol);
    if (index != FLM_NONE)
        p->symbols.at[index] = symbol; /* the last one counts */
}

void flm_perfetto_read_symbols(struct flm_perfetto *p, const struct flm_perfetto_packet *packet)
{
    struct flm_wire m = flm_perfetto_message(p, packet->data);
    struct flm_perfetto_fields f;
    struct flm_bytes message;
    flm_perfetto_read(p, packet->data, &f);
    uint32_t module = flm_perfetto_text_string(p, &f, 1);
    uint32_t build_id = hexadecimal(p, flm_perfetto_text(&f, 2));
    while (flm_perfetto_next(p, &m, 3, &message))
        read_symbol(p, module, build_id, message);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static struct flm_node add_child(struct flm_perfetto *p, struct flm_node node,
                                 struct flm_frame_record record, uint64_t address)
{
    struct flm_location where = {.line = record.line, .address = address};
    record.line = 0;
    return flm_builder_child(p->builder, node, flm_builder_located(p->builder, &record, where));
}

/* A frame, below `node`: as many as functions were inlined into it, by the symbols. */
static struct flm_node add_nodes(struct flm_perfetto *p, struct flm_node node,
                                 const struct flm_perfetto_frame *frame)
{
    struct flm_frame_record record = {.function = frame->function,
                                      .module = frame->module,
                                      .file = frame->file,
                                      .line = frame->line,
                                      .kind = frame->kind};
    const struct flm_perfetto_symbol *symbol =
        find_symbol(p, frame->module, frame->build_id, frame->address);
    if (!symbol)
        symbol = find_symbol(p, frame->module, 0, frame->address);
    if (symbol && symbol->count > 0) {
        for (size_t i = symbol->count; i-- > 0;) {
            const struct flm_perfetto_line *line = &p->lines.at[symbol->first + i];
            record.function = line->function ? line->function : frame->function;
            record.file = line->file;
            record.line = line->line;
            node = add_child(p, node, record, frame->address);
            record.kind = FLM_KIND_INLINED;
        }
        return node;
    }
    if (record.function == 0) {
        char buffer[128];
        struct flm_text text;
        flm_text_init_fixed(&text, buffer, sizeof buffer);
        flm_mapped_frame_name(&text, frame->address,
                              flm_interner_text(&p->builder->interner, frame->module));
        record.function = flm_perfetto_string(p, (struct flm_bytes){text.at, text.size});
        record.address = frame->address;
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    }
    return add_child(p, node, record, record.address ? 0 : frame->address);
}

struct flm_node flm_perfetto_node(struct flm_perfetto *p, uint32_t stack, struct flm_node root)
{
    struct flm_node node = root;
    p->path.count = 0;
    for (; stack != 0; stack = (uint32_t)p->stack_keys.all.at[stack].a) {
        const struct flm_perfetto_stack *at = &p->stacks.at[stack];
        if (at->root == root.index && at->node != FLM_NONE) {
            node.index = at->node;
            break;
        }
        flm_perfetto_push(p, &p->path, &stack, sizeof stack);
    }
    while (p->path.count > 0 && !flm_builder_failed(p->builder)) {
        uint32_t next = p->path.at[--p->path.count];
        struct flm_perfetto_stack *at = &p->stacks.at[next];
        node = add_nodes(p, node, &p->frames.at[p->stack_keys.all.at[next].b]);
        at->root = root.index;
        at->node = node.index;
    }
    return node;
}

void flm_perfetto_note_modules(struct flm_perfetto *p)
{
    struct FLM_ARRAY(struct flm_mapped) mapped = {0};
    struct flm_perfetto_keys seen = {0};
    struct flm_text texts = {0}; /* a copy: the interner's move when a note is added */
    enum { MOST_MODULES = 1000 };
    for (size_t i = 0; i < p->frames.count && mapped.count < MOST_MODULES; i++) {
        const struct flm_perfetto_frame *frame = &p->frames.at[i];
        if (frame->function != 0 || frame->module == 0 ||
            flm_perfetto_find_key(&seen, frame->module, 0) != FLM_NONE)
            continue;
        struct flm_mapped module = {.path = flm_interner_text(&p->builder->interner, frame->module),
                                    .build_id =
                                        flm_interner_text(&p->builder->interner, frame->build_id)};
        flm_text_add(&texts, module.path);
        flm_text_add(&texts, module.build_id);
        if (texts.failed)
            flm_perfetto_no_memory(p);
        flm_perfetto_entry(p, &seen, frame->module, 0, &mapped, &module, sizeof module);
    }
    const char *at = texts.at;
    for (size_t i = 0; i < mapped.count && !flm_builder_failed(p->builder); i++) {
        mapped.at[i].path.at = at;
        mapped.at[i].build_id.at = at + mapped.at[i].path.size;
        at = mapped.at[i].build_id.at + mapped.at[i].build_id.size;
    }
    if (!flm_builder_failed(p->builder))
        flm_mapped_note(p->builder, mapped.at, mapped.count);
    flm_text_clear(&texts);
    FLM_ARRAY_CLEAR(&mapped);
    flm_perfetto_clear_keys(&seen);
}
