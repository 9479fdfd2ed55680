#include "viewer/scene/code_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/core/mapped.h"
#include "profile/columns.h"
#include "viewer/model/model.h"

static void clear_hottest(struct flm_code_rows *rows)
{
    flm_line_costs_clear(&rows->costs);
    rows->has_hottest = false;
}

static void clear_syntax(struct flm_code_rows *rows)
{
    for (int i = 0; i < FLM_CODE_SYNTAX_FILES; i++) {
        free(rows->syntax[i].states);
        rows->syntax[i] = (struct flm_code_syntax){0};
    }
}

void flm_code_rows_forget(struct flm_code_rows *rows)
{
    const struct flm_code_rows kept = {.store = rows->store, .store_number = rows->store_number};
    clear_hottest(rows);
    clear_syntax(rows);
    flm_listing_free(rows->listing);
    flm_index_clear(&rows->named);
    *rows = kept;
}

void flm_code_rows_clear(struct flm_code_rows *rows)
{
    flm_code_rows_forget(rows);
    flm_code_store_free(rows->store);
    rows->store = NULL;
    rows->store_number++;
}

/* What is replaced is no more, so the rows that were made of it are not, either. */
bool flm_code_rows_take(struct flm_code_rows *rows, struct flm_bytes store, struct flm_error *why)
{
    flm_listing_free(rows->listing);
    rows->listing = NULL;
    clear_syntax(rows);
    if (!rows->store)
        rows->store = flm_code_store_new(why);
    return rows->store && flm_code_store_read(rows->store, store, why);
}

/* ---- The function ---------------------------------------------------------------------------- */

struct flm_bytes flm_code_part(const struct flm_text *text, unsigned index)
{
    size_t from = 0, to;
    for (;; from = to + 1, index--) {
        for (to = from; to < text->size && text->at[to] != '\n';)
            to++;
        if (index == 0)
            return (struct flm_bytes){to > from ? text->at + from : "", to - from};
        if (to >= text->size)
            return (struct flm_bytes){"", 0};
    }
}

void flm_code_add_function(struct flm_text *of, struct flm_bytes function, struct flm_bytes module,
                           struct flm_bytes file)
{
    flm_text_add(of, function);
    flm_text_putc(of, '\n');
    flm_text_add(of, module);
    if (module.size > 0 || file.size == 0)
        return;
    flm_text_putc(of, '\n');
    flm_text_add(of, file);
}

bool flm_code_choose(struct flm_model *model, uint32_t frame)
{
    const struct flm_profile *p = flm_model_shown(model);
    const struct flm_frame_record *f = &p->frames[frame];
    struct flm_text of = {0};
    flm_code_add_function(&of, flm_frame_function(p, frame), flm_string_bytes(p, f->module),
                          flm_string_bytes(p, f->file));
    bool same =
        !of.failed && flm_bytes_equal((struct flm_bytes){of.at, of.size},
                                      (struct flm_bytes){model->code.of.at, model->code.of.size});
    if (of.failed || same) {
        bool good = !of.failed;
        flm_text_clear(&of);
        return good;
    }
    flm_text_clear(&model->code.of);
    model->code.of = of;
    model->code.at.size = model->code.open.size = 0;
    flm_changed(model, FLM_ASPECT_CODE);
    return true;
}

/* By self of whole frames: no lines are needed for that. */
bool flm_code_choose_hottest(struct flm_model *model, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    double *self_of = calloc(p->sizes.frame_count, sizeof *self_of);
    if (!self_of)
        return flm_error_memory(why);
    const double *self = model->metric < p->sizes.metric_count
                             ? flm_self_column(p, flm_comparing_metric(model, model->metric))
                             : NULL;
    uint32_t best = 0;
    for (uint32_t i = 1; self && i < p->sizes.node_count; i++)
        self_of[p->node_frame[i]] += fabs(self[i]);
    /* One with a file can show something. */
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        if (self_of[i] > (best ? self_of[best] : 0) && p->frames[i].file)
            best = i;
    for (uint32_t i = 1; (best == 0 || !p->frames[best].file) && i < p->sizes.frame_count; i++)
        if (self_of[i] > (best ? self_of[best] : 0))
            best = i;
    free(self_of);
    return best == 0 || flm_code_choose(model, best) || flm_error_memory(why);
}

static bool find_function(const struct flm_model *model, struct flm_listing_subject *subject)
{
    const struct flm_profile *p = flm_model_shown(model);
    struct flm_bytes name = flm_code_part(&model->code.of, 0),
                     module = flm_code_part(&model->code.of, 1),
                     file = flm_code_part(&model->code.of, 2);
    bool is_near = false, is_there = false;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        const struct flm_frame_record *f = &p->frames[i];
        if (!flm_bytes_equal(flm_string_bytes(p, f->function), name))
            continue;
        bool is_it = flm_bytes_equal(flm_string_bytes(p, f->module), module);
        if (!is_near || (is_it && !is_there)) {
            subject->function = f->function;
            subject->module = f->module;
        }
        is_near = true; /* of another build, the module may have another name */
        is_there |= is_it;
        if (is_it && file.size > 0 && flm_bytes_equal(flm_string_bytes(p, f->file), file))
            subject->in_file = f->file;
        if (is_it && (file.size == 0 || subject->in_file))
            break;
    }
    return is_near;
}

/* ---- The listing ----------------------------------------------------------------------------- */

struct keys {
    struct FLM_ARRAY(uint64_t) list;
};

static bool read_keys(const struct flm_text *text, struct keys *keys)
{
    for (size_t at = 0; at < text->size;) {
        size_t end = at;
        uint64_t key;
        while (end < text->size && text->at[end] != ',')
            end++;
        if (flm_number_parse_hex((struct flm_bytes){text->at + at, end - at}, &key) &&
            !FLM_ARRAY_ADD(&keys->list, key))
            return false;
        at = end + 1;
    }
    return true;
}

static bool list(const struct flm_model *model, struct flm_code_rows *rows,
                 struct flm_metric before, double scale, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    struct flm_listing_subject subject = {.metric = {flm_comparing_metric(model, model->metric)},
                                          .before = before,
                                          .before_scale = scale};
    flm_listing_free(rows->listing);
    rows->listing = NULL;
    if (!find_function(model, &subject))
        return true;
    subject.profile = p;
    subject.other_build =
        before.index != FLM_NONE && flm_mapped_same_build(p, subject.module) == FLM_BUILD_OTHER;
    rows->subject = subject;
    rows->listing = flm_listing_new(&subject, why);
    if (!rows->listing || !(model->code.flags & FLM_CODE_FILE))
        return rows->listing != NULL;
    size_t count;
    const uint32_t *files = flm_listing_files(rows->listing, &count);
    if (count == 0)
        return true;
    subject.file = files[0];
    subject.in_file = 0;
    flm_listing_free(rows->listing);
    rows->subject = subject;
    rows->listing = flm_listing_new(&subject, why);
    return rows->listing != NULL;
}

bool flm_code_rows_make(const struct flm_model *model, struct flm_code_rows *rows,
                        struct flm_metric before, double scale, struct flm_error *why)
{
    uint32_t version =
        flm_version_of(&model->versions, FLM_OF(SHOWN) | FLM_OF(METRIC) | FLM_OF(CODE));
    const struct flm_profile *p = flm_model_shown(model);
    if (model->metric >= p->sizes.metric_count || model->code.of.size == 0 ||
        (rows->arranged_from == version && rows->scale == scale))
        return true;
    /* The costs stay while rows are only opened and closed. */
    uint64_t listed =
        flm_hash(model->code.of.at, model->code.of.size) ^ (model->code.flags & FLM_CODE_FILE) ^
        (uint64_t)flm_version_of(&model->versions, FLM_OF(SHOWN) | FLM_OF(METRIC)) << 32;
    if ((!rows->listing || rows->listed != listed || rows->scale != scale) &&
        !list(model, rows, before, scale, why))
        return false;
    rows->listed = listed;
    rows->scale = scale;
    struct keys keys = {0};
    struct flm_listing_options options = {.inlined = model->code.flags & FLM_CODE_INLINED};
    options.whole[FLM_LISTING_SOURCE] = options.whole[FLM_LISTING_ASSEMBLY] =
        model->code.flags & FLM_CODE_WHOLE;
    bool good = read_keys(&model->code.open, &keys) || flm_error_memory(why);
    options.open.key = keys.list.at;
    options.open.count = keys.list.count;
    good =
        good && (!rows->listing || flm_listing_arrange(rows->listing, rows->store, &options, why));
    FLM_ARRAY_CLEAR(&keys.list);
    if (good)
        rows->arranged_from = version;
    return good;
}

bool flm_code_rows_hottest(const struct flm_model *model, struct flm_code_rows *rows,
                           struct flm_error *why)
{
    uint32_t version = flm_version_of(&model->versions, FLM_OF(SHOWN) | FLM_OF(METRIC));
    const struct flm_profile *p = flm_model_shown(model);
    if (rows->has_hottest && rows->hottest_from == version)
        return true;
    clear_hottest(rows);
    struct flm_metric metric = {flm_comparing_metric(model, model->metric)};
    if (!flm_line_selfs_init(&rows->costs, p, metric, why))
        return false;
    rows->hottest_count = flm_line_costs_first(&rows->costs, rows->hottest, FLM_CODE_MOST_HOTTEST);
    rows->has_hottest = true;
    rows->hottest_from = version;
    return true;
}

/* ---- Functions by name ----------------------------------------------------------------------- */

static uint32_t find_named(const struct flm_profile *p, const struct flm_index *index,
                           struct flm_bytes name, uint32_t hash)
{
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);)
        if (flm_bytes_equal(flm_frame_function(p, at.found), name))
            return at.found;
    return 0;
}

uint32_t flm_code_rows_frame_named(const struct flm_model *model, struct flm_code_rows *rows,
                                   struct flm_bytes name)
{
    const struct flm_profile *p = flm_model_shown(model);
    for (uint32_t i = 1; i < p->sizes.frame_count && !rows->has_named; i++) {
        struct flm_bytes one = flm_frame_function(p, i);
        uint32_t hash = (uint32_t)(flm_hash(one.at, one.size) >> 32);
        /* Without memory, those that are not there are no links. */
        if (find_named(p, &rows->named, one, hash) == 0 && !flm_index_add(&rows->named, hash, i))
            break;
    }
    rows->has_named = true;
    return find_named(p, &rows->named, name, (uint32_t)(flm_hash(name.at, name.size) >> 32));
}

/* ---- The stack ------------------------------------------------------------------------------- */

bool flm_code_rows_has(const struct flm_code_rows *rows, const struct flm_frame_record *frame)
{
    const struct flm_listing_subject *s = &rows->subject;
    return frame->function == s->function && frame->module == s->module &&
           (!s->in_file || !frame->file || frame->file == s->in_file);
}

static bool is_of(const struct flm_profile *p, uint32_t node, const struct flm_code_rows *rows)
{
    return flm_code_rows_has(rows, &p->frames[p->node_frame[node]]);
}

/* The totals of a subtree: by node, from its root on. */
static double *totals_below(const struct flm_profile *p, struct flm_metric metric, uint32_t root)
{
    uint32_t count = p->node_end[root] - root;
    double *total = malloc(count * sizeof *total);
    uint32_t *end = malloc(count * sizeof *end);
    if (total && end) {
        memcpy(total, flm_self_column(p, metric.index) + root, count * sizeof *total);
        for (uint32_t i = 0; i < count; i++)
            end[i] = p->node_end[root + i] - root;
        flm_add_up(total, end, count);
    } else {
        free(total);
        total = NULL;
    }
    free(end);
    return total;
}

/* Down from the root of a subtree, the most expensive way. */
static uint32_t deepest(const struct flm_profile *p, const double *total, uint32_t root)
{
    for (uint32_t node = root;;) {
        uint32_t best = FLM_NONE;
        for (uint32_t i = node + 1; i < p->node_end[node]; i = p->node_end[i])
            if (best == FLM_NONE || fabs(total[i - root]) > fabs(total[best - root]))
                best = i;
        if (best == FLM_NONE)
            return node;
        node = best;
    }
}

/* Sums from the innermost node outwards, each of what the one inside does not have. */
static void add_stack_totals(const struct flm_profile *p, struct flm_code_rows *rows)
{
    const double *self = flm_self_column(p, rows->subject.metric.index);
    double sum = 0;
    uint32_t from = FLM_NONE, to = 0;
    for (uint32_t k = rows->stack_count; k-- > 0;) {
        uint32_t node = rows->stack[k], end = p->node_end[node];
        uint32_t inner = from == FLM_NONE ? end : from;
        for (uint32_t i = node; i < inner; i++)
            sum += self[i];
        for (uint32_t i = from == FLM_NONE ? end : to; i < end; i++)
            sum += self[i];
        rows->stack_total[k] = sum;
        from = node;
        to = end;
    }
}

/* The node of the subject with the largest total. */
static bool find_largest(const struct flm_profile *p, const struct flm_code_rows *rows,
                         uint32_t *largest)
{
    double *total = totals_below(p, rows->subject.metric, 0);
    *largest = FLM_NONE;
    for (uint32_t i = 1; total && i < p->sizes.node_count; i++)
        if (is_of(p, i, rows) && (*largest == FLM_NONE || fabs(total[i]) > fabs(total[*largest])))
            *largest = i;
    free(total);
    return total != NULL;
}

bool flm_code_rows_stack(const struct flm_model *model, struct flm_code_rows *rows, uint32_t node,
                         struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    uint32_t version = flm_version_of(&model->versions, FLM_OF(SHOWN) | FLM_OF(METRIC));
    bool is_in_stack = false;
    for (uint32_t i = 0; i < rows->stack_count && rows->stack_from == version; i++)
        is_in_stack |= is_of(p, rows->stack[i], rows);
    bool has_node = node < p->sizes.node_count && is_of(p, node, rows);
    for (uint32_t i = 0; i < rows->stack_count && has_node; i++)
        has_node = !is_in_stack || rows->stack[i] != node;
    if (is_in_stack && !has_node)
        return true;
    uint32_t best = node;
    if (!has_node && !find_largest(p, rows, &best))
        return flm_error_memory(why);
    rows->stack_count = 0;
    rows->stack_from = version;
    if (best == FLM_NONE)
        return true;
    double *total = totals_below(p, rows->subject.metric, best);
    if (!total)
        return flm_error_memory(why);
    uint32_t last = deepest(p, total, best);
    free(total);
    /* The ancestors of a node are those before it whose subtree has it. */
    for (uint32_t i = 0; i <= last && rows->stack_count < FLM_CODE_MOST_STACK;) {
        if (p->node_end[i] <= last) {
            i = p->node_end[i];
            continue;
        }
        if (i > 0)
            rows->stack[rows->stack_count++] = i;
        i++;
    }
    add_stack_totals(p, rows);
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static struct flm_code_syntax *syntax_of(struct flm_code_rows *rows, uint32_t file,
                                         struct flm_bytes name, const struct flm_line_index *lines)
{
    for (int i = 0; i < FLM_CODE_SYNTAX_FILES; i++)
        if (rows->syntax[i].file == file)
            return &rows->syntax[i];
    struct flm_code_syntax *s = &rows->syntax[rows->next_syntax++ % FLM_CODE_SYNTAX_FILES];
    free(s->states);
    *s = (struct flm_code_syntax){
        .file = file, .states = calloc(lines->count / FLM_CODE_SYNTAX_STEP + 1, sizeof *s->states)};
    s->language = flm_language_of(name, flm_line_index_get(lines, 1));
    if (!s->states)
        s->file = 0;
    return s->states ? s : NULL;
}

/* What a line begins in. */
static flm_syntax_state state_at(struct flm_code_syntax *s, const struct flm_line_index *lines,
                                 uint32_t line)
{
    uint32_t step = (line - 1) / FLM_CODE_SYNTAX_STEP;
    uint32_t from = step < s->known ? step : s->known;
    flm_syntax_state state = s->states[from];
    for (uint32_t i = from * FLM_CODE_SYNTAX_STEP + 1; i < line; i++) {
        flm_syntax_line(s->language, flm_line_index_get(lines, i), &state, NULL, 0);
        if (i % FLM_CODE_SYNTAX_STEP == 0 && i / FLM_CODE_SYNTAX_STEP == s->known + 1)
            s->states[++s->known] = state;
    }
    return state;
}

struct flm_bytes flm_code_rows_line(const struct flm_model *model, struct flm_code_rows *rows,
                                    uint32_t file, uint32_t line, struct flm_syntax_span *spans,
                                    size_t capacity, size_t *count)
{
    struct flm_bytes name = flm_string_bytes(flm_model_shown(model), file);
    const struct flm_line_index *lines =
        rows->store && file ? flm_code_store_lines(rows->store, name) : NULL;
    *count = 0;
    if (!lines || line == 0 || line > lines->count)
        return (struct flm_bytes){NULL, 0};
    struct flm_bytes text = flm_line_index_get(lines, line);
    struct flm_code_syntax *s = capacity > 0 ? syntax_of(rows, file, name, lines) : NULL;
    if (s) {
        flm_syntax_state state = state_at(s, lines, line);
        *count = flm_syntax_line(s->language, text, &state, spans, capacity);
    }
    return text;
}
