/* write_tables.c - the tables that all threads share: stacks, frames, functions, resources,
 * libraries, strings. */
#include "format/gecko/writing.h"

void flm_gecko_write_libs(struct flm_gecko_writing *w)
{
    static const char *const keys[] = {"name", "path", "debugName", "debugPath"};
    flm_json_begin(&w->json, "libs", FLM_JSON_ARRAY);
    for (size_t i = 0; i < w->modules.count; i++) {
        flm_json_begin(&w->json, NULL, FLM_JSON_OBJECT_LINE);
        for (int k = 0; k < 4; k++)
            flm_json_add_text(&w->json, keys[k], flm_string_bytes(w->p, w->modules.at[i]));
        flm_gecko_put_text(w, "breakpadId", "");
        flm_json_add_null(&w->json, "codeId");
        flm_json_add_null(&w->json, "arch");
        flm_gecko_put_end(w);
    }
    flm_gecko_put_end(w);
}

static int category_of(uint32_t kind)
{
    switch (kind) {
    case FLM_KIND_LABEL:
    case FLM_KIND_WAKER:
        return FLM_GECKO_CATEGORY_OTHER;
    case FLM_KIND_KERNEL:
        return FLM_GECKO_CATEGORY_KERNEL;
    case FLM_KIND_JIT:
    case FLM_KIND_JIT_TIER1:
    case FLM_KIND_INTERPRETED:
        return FLM_GECKO_CATEGORY_JIT;
    case FLM_KIND_GPU:
        return FLM_GECKO_CATEGORY_GPU;
    default:
        return FLM_GECKO_CATEGORY_USER;
    }
}

static void write_stacks(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    flm_gecko_put_object(w, "stackTable");
    flm_gecko_put_column(w, "frame");
    for (uint32_t i = 1; i < p->sizes.node_count; i++)
        flm_gecko_put_number(w, NULL, p->node_frame[i]);
    flm_gecko_put_end(w);
    /* The frame below the name of a thread is a root. */
    flm_gecko_put_column(w, "prefix");
    for (uint32_t i = 1; i < p->sizes.node_count; i++) {
        uint32_t parent = w->parent[i];
        bool is_root = parent == 0 || (w->top[parent] == parent && flm_gecko_is_label(w, parent));
        flm_gecko_put_or_null(w, !is_root, (double)parent - 1);
    }
    flm_gecko_put_end(w);
    flm_gecko_put_number(w, "length", p->sizes.node_count - 1);
    flm_gecko_put_end(w);
}

static void write_frames(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    size_t count = p->sizes.frame_count;
    flm_gecko_put_object(w, "frameTable");
    flm_gecko_put_column(w, "address");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_number(w, NULL, w->place[i].address > 0 ? (double)w->place[i].address : -1);
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "inlineDepth");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_number(w, NULL, p->frames[i].kind == FLM_KIND_INLINED);
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "category");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_number(w, NULL, category_of(p->frames[i].kind));
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "subcategory", count, "0");
    flm_gecko_put_column(w, "func");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_number(w, NULL, (double)w->func_of[i]);
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "nativeSymbol", count, "null");
    flm_gecko_put_constants(w, "innerWindowID", count, "null");
    flm_gecko_put_column(w, "line");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_or_null(w, w->place[i].line > 0, w->place[i].line);
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "column");
    for (size_t i = 0; i < count; i++)
        flm_gecko_put_or_null(w, w->place[i].column > 0, w->place[i].column);
    flm_gecko_put_end(w);
    flm_gecko_put_number(w, "length", (double)count);
    flm_gecko_put_end(w);
}

static bool is_same_function(const struct flm_gecko_writing *w, uint32_t a, uint32_t b)
{
    struct flm_frame_record x = flm_frame_located(&w->p->frames[a], 0);
    struct flm_frame_record y = flm_frame_located(&w->p->frames[b], 0);
    if (w->lines_ran)
        x.line = y.line = 0;
    return memcmp(&x, &y, sizeof x) == 0;
}

/* Frames of one function follow each other; of code from another file, a header, it is a function
 * of that file, because only functions have one. */
void flm_gecko_find_functions(struct flm_gecko_writing *w)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < w->p->sizes.frame_count; i++) {
        w->func_of[i] = made;
        for (uint32_t k = i; k > 0 && w->func_of[i] == made && is_same_function(w, k - 1, i); k--)
            if (flm_gecko_file_of(w, k - 1) == flm_gecko_file_of(w, i))
                w->func_of[i] = w->func_of[k - 1];
        made += w->func_of[i] == made;
    }
}

/* The first frame of the next function after frame `i`, or of the first; frame_count: none. */
static uint32_t next_function(const struct flm_gecko_writing *w, uint32_t i, uint32_t function)
{
    while (i < w->p->sizes.frame_count && w->func_of[i] != function)
        i++;
    return i;
}

static uint32_t function_line(const struct flm_gecko_writing *w, uint32_t frame)
{
    const struct flm_frame_record *f = &w->p->frames[frame];
    return w->lines_ran || flm_gecko_file_of(w, frame) != f->file ? 0 : f->line;
}

/* Each function with a file has a source of its own: a source may occur twice. */
static void write_funcs(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    uint32_t frames = p->sizes.frame_count, count = 0;
    double sources = 0;
    flm_gecko_put_object(w, "funcTable");
    flm_gecko_put_column(w, "name");
    for (uint32_t i = 0; (i = next_function(w, i, count)) < frames; count++)
        flm_gecko_put_number(w, NULL, p->frames[i].function);
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "isJS", count, "false");
    flm_gecko_put_constants(w, "relevantForJS", count, "false");
    flm_gecko_put_column(w, "resource");
    for (uint32_t i = 0, f = 0; (i = next_function(w, i, f)) < frames; f++)
        flm_gecko_put_number(w, NULL, w->module_of[i] != FLM_NONE ? (double)w->module_of[i] : -1);
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "source");
    for (uint32_t i = 0, f = 0; (i = next_function(w, i, f)) < frames; f++) {
        flm_gecko_put_or_null(w, flm_gecko_file_of(w, i) != 0, sources);
        sources += flm_gecko_file_of(w, i) != 0;
    }
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "lineNumber");
    for (uint32_t i = 0, f = 0; (i = next_function(w, i, f)) < frames; f++)
        flm_gecko_put_or_null(w, function_line(w, i) > 0, function_line(w, i));
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "columnNumber", count, "null");
    flm_gecko_put_number(w, "length", (double)count);
    flm_gecko_put_end(w);

    flm_gecko_put_object(w, "sources");
    flm_gecko_put_constants(w, "id", (size_t)sources, "null");
    flm_gecko_put_column(w, "filename");
    for (uint32_t i = 0, f = 0; (i = next_function(w, i, f)) < frames; f++)
        if (flm_gecko_file_of(w, i) != 0)
            flm_gecko_put_number(w, NULL, flm_gecko_file_of(w, i));
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "startLine", (size_t)sources, "1");
    flm_gecko_put_constants(w, "startColumn", (size_t)sources, "1");
    flm_gecko_put_constants(w, "sourceMapURL", (size_t)sources, "null");
    flm_gecko_put_number(w, "length", sources);
    flm_gecko_put_end(w);
}

void flm_gecko_write_shared(struct flm_gecko_writing *w)
{
    const struct flm_profile *p = w->p;
    size_t modules = w->modules.count;
    flm_gecko_put_object(w, "shared");
    write_stacks(w);
    write_frames(w);
    write_funcs(w);
    flm_gecko_put_object(w, "resourceTable");
    flm_gecko_put_column(w, "lib");
    for (size_t i = 0; i < modules; i++)
        flm_gecko_put_number(w, NULL, (double)i);
    flm_gecko_put_end(w);
    flm_gecko_put_column(w, "name");
    for (size_t i = 0; i < modules; i++)
        flm_gecko_put_number(w, NULL, w->modules.at[i]);
    flm_gecko_put_end(w);
    flm_gecko_put_constants(w, "host", modules, "null");
    flm_gecko_put_constants(w, "type", modules, "1");
    flm_gecko_put_number(w, "length", (double)modules);
    flm_gecko_put_end(w);
    flm_json_begin(&w->json, "nativeSymbols", FLM_JSON_OBJECT_LINE);
    flm_gecko_put_constants(w, "libIndex", 0, "0");
    flm_gecko_put_constants(w, "address", 0, "0");
    flm_gecko_put_constants(w, "name", 0, "0");
    flm_gecko_put_constants(w, "functionSize", 0, "0");
    flm_gecko_put_number(w, "length", 0);
    flm_gecko_put_end(w);
    flm_json_begin(&w->json, "stringArray", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        flm_json_add_text(&w->json, NULL, flm_string_bytes(p, i));
    flm_gecko_put_end(w);
    flm_gecko_put_end(w);
}
