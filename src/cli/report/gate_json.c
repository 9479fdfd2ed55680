/* gate_json.c - the verdict for programs. What it holds is told in flamel-gate(1), and stays. */
#include <math.h>

#include "base/text/json_write.h"
#include "cli/report/gate_report.h"
#include "cli/report/gate_words.h"
#include "profile/columns.h"

enum { VERSION = 1 };

static void add_stack(struct flm_json_writer *json, const char *key,
                      const struct flm_gate_report *r, uint32_t node)
{
    const struct flm_profile *tree = r->runs->tree;
    if (node == FLM_NONE) {
        flm_json_add_null(json, key);
        return;
    }
    flm_json_begin(json, key, FLM_JSON_ARRAY_LINE);
    for (uint32_t i = 1; i <= node; i++)
        if (tree->node_end[i] > node)
            flm_json_add_text(json, NULL, flm_frame_function(tree, tree->node_frame[i]));
    flm_json_end(json);
}

static void add_sentence(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    struct flm_text words = {0};
    flm_gate_add_verdict(&words, r);
    flm_json_add_text(json, "sentence", (struct flm_bytes){words.at, words.size});
    json->out->failed = json->out->failed || words.failed;
    flm_text_clear(&words);
}

static void add_metric(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_profile *tree = r->runs->tree;
    flm_json_begin(json, "metric", FLM_JSON_OBJECT_LINE);
    flm_json_add_text(json, "name",
                      flm_string_bytes(tree, tree->metrics[r->runs->metric.index].name));
    flm_json_add_text(json, "unit", flm_runs_unit(r->runs));
    if (r->gate->unit > 0)
        flm_json_add_number(json, "sample", r->gate->unit);
    else
        flm_json_add_null(json, "sample");
    flm_json_end(json);
}

static void add_side(struct flm_json_writer *json, const struct flm_gate_report *r, const char *key,
                     bool is_new)
{
    const struct flm_runs *runs = r->runs;
    flm_json_begin(json, key, FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < runs->run_count; i++) {
        if (runs->run[i].is_new != is_new)
            continue;
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(json, "file", runs->run[i].name);
        flm_json_add_number(json, "total", runs->run[i].total);
        flm_json_add_number(json, "size", r->gate->columns.size_factor[i]);
        flm_json_add_number(json, "block", runs->run[i].block);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_options(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_gate_options *o = r->options;
    flm_json_begin(json, "options", FLM_JSON_OBJECT);
    flm_json_add_number(json, "alpha", o->alpha);
    flm_json_add_text(json, "side", flm_bytes_of(o->side == FLM_SIDE_BOTH ? "both" : "growth"));
    flm_json_add_number(json, "min_effect", o->min_effect);
    if (o->require_mde > 0)
        flm_json_add_number(json, "require_mde", o->require_mde);
    else
        flm_json_add_null(json, "require_mde");
    if (o->tolerance > 0)
        flm_json_add_number(json, "tolerance", o->tolerance);
    else
        flm_json_add_null(json, "tolerance");
    flm_json_add_bool(json, "exact", o->exact);
    flm_json_add_number(json, "permutations", o->permutations);
    flm_json_add_number(json, "seed", (double)o->seed);
    flm_json_add_bool(json, "absolute", o->absolute_only);
    flm_json_add_bool(json, "all_columns", o->has_all_columns);
    flm_json_end(json);
}

static void add_test(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_gate *gate = r->gate;
    flm_json_begin(json, "test", FLM_JSON_OBJECT);
    flm_json_add_number(json, "columns", gate->columns.matrix.column_count);
    flm_json_add_number(json, "left_out", gate->columns.left_out_count);
    flm_json_add_bool(json, "by_size",
                      !r->options->absolute_only && gate->columns.has_view_by_size);
    flm_json_add_number(json, "permutations", gate->permutations);
    flm_json_add_bool(json, "complete", gate->is_complete);
    flm_json_add_number(json, "smallest_p", gate->smallest_p);
    flm_json_add_number(json, "t_of_intervals", gate->critical);
    flm_json_add_number(json, "t_needed", gate->needed);
    flm_json_add_number(json, "t_needed_of_total", gate->total_needed);
    flm_json_end(json);
}

/* ---- What was found -------------------------------------------------------------------------- */

static void add_share(struct flm_json_writer *json, const struct flm_gate_report *r, double change)
{
    flm_json_add_number(json, "share", change / r->gate->total.base_mean);
}

/* What a column and the total have in common. */
static void add_tested(struct flm_json_writer *json, const struct flm_gate_report *r,
                       const struct flm_gate_column *c)
{
    flm_json_add_number(json, "base", c->base_mean);
    flm_json_add_number(json, "new", c->new_mean);
    flm_json_add_number(json, "change", c->new_mean - c->base_mean);
    add_share(json, r, c->new_mean - c->base_mean);
    flm_json_add_number(json, "low", c->low);
    flm_json_add_number(json, "high", c->high);
    flm_json_add_number(json, "t", c->t);
    flm_json_add_number(json, "p", c->p);
    flm_json_add_bool(json, "significant", c->is_significant);
    flm_json_add_bool(json, "fails", c->is_failing);
}

static void add_words(struct flm_json_writer *json, const char *key, const struct flm_text *words)
{
    flm_json_add_text(json, key, (struct flm_bytes){words->at, words->size});
}

static void add_item(struct flm_json_writer *json, const struct flm_gate_report *r,
                     const struct flm_item *item)
{
    static const char *const scopes[] = {
        [FLM_ITEM_SELF] = "self", [FLM_ITEM_SPREAD] = "spread", [FLM_ITEM_REST] = "rest"};
    const struct flm_gate_column *c = &r->gate->column[item->column];
    bool is_rest = item->scope == FLM_ITEM_REST;
    flm_json_begin(json, NULL, FLM_JSON_OBJECT);
    add_stack(json, "stack", r, item->node);
    flm_json_add_text(json, "scope", flm_bytes_of(scopes[item->scope]));
    flm_json_add_number(json, "change", item->change);
    add_share(json, r, item->change);
    flm_json_add_number(json, "low", is_rest ? (double)NAN : c->low);
    flm_json_add_number(json, "high", is_rest ? (double)NAN : c->high);
    flm_json_add_number(json, "p", c->p);
    flm_json_add_bool(json, "share_only", c->by_size_only);
    flm_json_add_number(json, "seen_base", item->base_seen);
    flm_json_add_number(json, "seen_new", item->new_seen);
    add_stack(json, "moved_below", r, item->moved_below);
    if (item->rename != FLM_NONE)
        add_words(json, "renamed_from", &r->gate->renames.rename[item->rename].from);
    else
        flm_json_add_null(json, "renamed_from");
    flm_json_add_bool(json, "fails", item->is_failing);
    flm_json_end(json);
}

static void add_renames(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_renames *renames = &r->gate->renames;
    flm_json_begin(json, "renames", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < renames->count; i++) {
        const struct flm_rename *rename = &renames->rename[i];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT_LINE);
        add_words(json, "from", &rename->from);
        add_words(json, "to", &rename->to);
        if (rename->below.size > 0)
            add_words(json, "below", &rename->below);
        else
            flm_json_add_null(json, "below");
        flm_json_add_number(json, "base", rename->base);
        flm_json_add_number(json, "new", rename->new);
        flm_json_add_number(json, "similarity", rename->similarity);
        flm_json_add_bool(json, "changed", rename->has_changed);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_moves(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    flm_json_begin(json, "moves", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < r->gate->moves.count; i++) {
        const struct flm_move *move = &r->gate->moves.move[i];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT);
        add_stack(json, "below", r, move->below);
        flm_json_add_number(json, "change", move->change);
        flm_json_add_number(json, "t", move->t);
        flm_json_add_bool(json, "local", move->is_local);
        flm_json_add_bool(json, "free", move->is_free);
        flm_json_end(json);
    }
    flm_json_end(json);
}

/* null where no tolerance is asked for. */
static void add_tolerance(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_tolerance *tolerance = &r->gate->tolerance;
    if (!tolerance->is_asked) {
        flm_json_add_null(json, "tolerance");
        return;
    }
    flm_json_begin(json, "tolerance", FLM_JSON_OBJECT);
    flm_json_add_bool(json, "significant", tolerance->is_significant);
    flm_json_add_number(json, "change", tolerance->most);
    flm_json_add_number(json, "asked", tolerance->asked_count);
    flm_json_begin(json, "not_significant", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < tolerance->count; i++) {
        const struct flm_tolerance_row *row = &tolerance->row[i];
        flm_json_begin(json, NULL, FLM_JSON_OBJECT);
        add_stack(json, "stack", r, row->node);
        flm_json_add_text(json, "value", flm_bytes_of(row->is_self ? "self" : "total"));
        flm_json_add_number(json, "change", row->change);
        flm_json_add_number(json, "high", row->upper);
        flm_json_add_number(json, "runs_needed", row->runs_needed);
        flm_json_end(json);
    }
    flm_json_end(json);
    flm_json_end(json);
}

static void add_columns(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_gate *gate = r->gate;
    flm_json_begin(json, "significant", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++) {
        const struct flm_gate_column *c = &gate->column[i];
        struct flm_column_key key = gate->columns.key[i];
        if (!c->is_significant)
            continue;
        flm_json_begin(json, NULL, FLM_JSON_OBJECT);
        add_stack(json, "stack", r, key.node);
        flm_json_add_text(json, "value", flm_bytes_of(key.is_self ? "self" : "total"));
        add_tested(json, r, c);
        flm_json_add_number(json, "t_by_size", c->t_by_size);
        flm_json_add_bool(json, "share_only", c->by_size_only);
        flm_json_end(json);
    }
    flm_json_end(json);
}

static void add_noise_row(struct flm_json_writer *json, const struct flm_gate_report *r,
                          const char *key, const struct flm_noise_row *row)
{
    flm_json_begin(json, key, FLM_JSON_OBJECT_LINE);
    if (row->column != FLM_NONE)
        add_stack(json, "stack", r, r->gate->columns.key[row->column].node);
    flm_json_add_number(json, "base", row->mean);
    flm_json_add_number(json, "between_runs", row->cv);
    flm_json_add_number(json, "sampling", row->counted > 0 ? row->counted : (double)NAN);
    flm_json_add_number(json, "detectable", row->mde);
    flm_json_add_number(json, "runs_needed", row->runs_needed);
    flm_json_end(json);
}

static void add_noise(struct flm_json_writer *json, const struct flm_gate_report *r)
{
    const struct flm_noise *noise = &r->gate->noise;
    flm_json_begin(json, "noise", FLM_JSON_OBJECT);
    flm_json_add_number(json, "wanted", noise->wanted);
    add_noise_row(json, r, "total", &noise->total);
    flm_json_begin(json, "stacks", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < noise->count; i++)
        add_noise_row(json, r, NULL, &noise->row[i]);
    flm_json_end(json);
    flm_json_end(json);
}

void flm_gate_json(const struct flm_gate_report *r)
{
    struct flm_json_writer json = {.out = r->out};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "report", flm_bytes_of("gate"));
    flm_json_add_number(&json, "version", VERSION);
    flm_json_add_text(&json, "verdict", flm_bytes_of(flm_verdict_name(r->gate->verdict)));
    add_sentence(&json, r);
    add_metric(&json, r);
    flm_json_begin(&json, "total", FLM_JSON_OBJECT);
    add_tested(&json, r, &r->gate->total);
    flm_json_end(&json);
    flm_json_begin(&json, "items", FLM_JSON_ARRAY);
    for (uint32_t i = 0; i < r->gate->found.count; i++)
        add_item(&json, r, &r->gate->found.item[i]);
    flm_json_end(&json);
    add_renames(&json, r);
    add_moves(&json, r);
    add_tolerance(&json, r);
    add_columns(&json, r);
    add_noise(&json, r);
    add_options(&json, r);
    add_test(&json, r);
    add_side(&json, r, "base", false);
    add_side(&json, r, "new", true);
    flm_json_end(&json);
}
