/* code.c - actions of the view of code: what it is of, folds, the selected line. */
#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"
#include "viewer/views/views.h"

static bool is_code(const struct flm_viewer *v)
{
    return v->model.view == &flm_view_code && flm_model_shown(&v->model);
}

static bool has_profile(const struct flm_viewer *v)
{
    return flm_model_shown(&v->model) != NULL;
}

static const struct flm_condition in_code = {is_code, "the code is not shown", true};
static const struct flm_condition showable = {has_profile, "no profile is open"};

static bool searches_code(const struct flm_viewer *v)
{
    return is_code(v) && flm_searches_any(&v->model.searches);
}

static const struct flm_condition searching = {searches_code, "nothing is searched in the code",
                                               true};

/* ---- Showing and leaving --------------------------------------------------------------------- */

static bool show_view(struct flm_viewer *v, const struct flm_view *view, struct flm_error *why)
{
    if (v->model.view != &flm_view_code)
        v->model.code.from = v->model.view;
    v->model.view = view;
    flm_changed(&v->model, FLM_ASPECT_VIEW);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_history_push(v);
    return true;
}

static bool act_leave(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    const struct flm_view *from = v->model.code.from;
    if (!from || from == &flm_view_code)
        from = flm_view_default(flm_model_compares(&v->model));
    return show_view(v, from, why);
}

/* Without a selection, of the last function, or the one with the hottest line, as the tab does. */
static bool act_code(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    if (is_code(v))
        return act_leave(v, none, why);
    if (!flm_viewer_has_frame(v))
        return show_view(v, &flm_view_code, why);
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    return flm_code_choose(&v->model, frame) ? show_view(v, &flm_view_code, why)
                                             : flm_error_memory(why);
}

/* "find_slot\napp", and behind it a file, and a line of that. */
static bool act_at(struct flm_viewer *v, struct flm_bytes place, struct flm_error *why)
{
    struct flm_text text = {0}, of = {0};
    flm_text_add(&text, place);
    struct flm_bytes function = flm_code_part(&text, 0), module = flm_code_part(&text, 1),
                     file = flm_code_part(&text, 2);
    flm_code_add_function(&of, function, module, file);
    bool is_new = !flm_bytes_equal((struct flm_bytes){of.at, of.size},
                                   (struct flm_bytes){v->model.code.of.at, v->model.code.of.size});
    bool good = !text.failed && !of.failed &&
                flm_model_set_text(&v->model.code.of, (struct flm_bytes){of.at, of.size});
    if (is_new)
        v->model.code.open.size = v->model.code.at.size = 0;
    if (good && flm_code_part(&text, 3).size > 0)
        good = flm_model_set_text(
            &v->model.code.at,
            (struct flm_bytes){file.at, (size_t)(text.at + text.size - file.at)});
    flm_text_clear(&text);
    flm_text_clear(&of);
    flm_changed(&v->model, FLM_ASPECT_CODE);
    return good ? show_view(v, &flm_view_code, why) : flm_error_memory(why);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* "src/table.c\n101" or "@51f0"; "3:101" with a string of the profile; "": none. */
static bool act_select(struct flm_viewer *v, struct flm_bytes place, struct flm_error *why)
{
    size_t colon = 0;
    uint64_t string, line;
    const struct flm_profile *p = flm_model_shown(&v->model);
    while (colon < place.size && place.at[colon] != ':')
        colon++;
    if (colon < place.size && flm_number_parse_uint((struct flm_bytes){place.at, colon}, &string) &&
        flm_number_parse_uint((struct flm_bytes){place.at + colon + 1, place.size - colon - 1},
                              &line) &&
        string < p->sizes.string_count) {
        struct flm_text made = {0};
        flm_text_add(&made, flm_string_bytes(p, (uint32_t)string));
        flm_text_format(&made, "\n%llu", (unsigned long long)line);
        bool good = !made.failed && act_select(v, (struct flm_bytes){made.at, made.size}, why);
        flm_text_clear(&made);
        return good || flm_error_memory(why);
    }
    if (!flm_model_set_text(&v->model.code.at, place))
        return flm_error_memory(why);
    flm_changed(&v->model, FLM_ASPECT_CODE);
    return true;
}

/* A key that is there is taken away, another one added. */
static bool act_open(struct flm_viewer *v, struct flm_bytes key, struct flm_error *why)
{
    const struct flm_text *open = &v->model.code.open;
    struct flm_text made = {0};
    bool found = false;
    for (size_t at = 0; at < open->size;) {
        size_t end = at;
        while (end < open->size && open->at[end] != ',')
            end++;
        struct flm_bytes one = {open->at + at, end - at};
        at = end + 1;
        if (flm_bytes_equal(one, key)) {
            found = true;
            continue;
        }
        flm_text_puts(&made, made.size ? "," : "");
        flm_text_add(&made, one);
    }
    if (!found) {
        flm_text_puts(&made, made.size ? "," : "");
        flm_text_add(&made, key);
    }
    bool good = !made.failed &&
                flm_model_set_text(&v->model.code.open, (struct flm_bytes){made.at, made.size});
    flm_text_clear(&made);
    flm_changed(&v->model, FLM_ASPECT_CODE);
    return good || flm_error_memory(why);
}

static bool toggle(struct flm_viewer *v, unsigned flag)
{
    v->model.code.flags ^= flag;
    if (flag == FLM_CODE_INLINED)
        v->model.code.open.size = 0;
    flm_changed(&v->model, FLM_ASPECT_CODE);
    flm_viewer_history_push(v);
    return true;
}

static bool act_assembly(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return toggle(v, FLM_CODE_ASSEMBLY);
}

static bool act_file(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return toggle(v, FLM_CODE_FILE);
}

static bool act_whole(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return toggle(v, FLM_CODE_WHOLE);
}

static bool act_inlined(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return toggle(v, FLM_CODE_INLINED);
}

/* ---- Searching ------------------------------------------------------------------------------- */

static bool is_match(const struct flm_viewer *v, struct flm_bytes text)
{
    size_t from, to;
    for (unsigned i = 0; i < v->model.searches.count; i++)
        if (v->model.searches.at[i].on &&
            flm_search_part(&v->model.searches.at[i], text, &from, &to))
            return true;
    return false;
}

struct finding {
    struct flm_viewer *v;
    enum flm_listing_side side;
    uint32_t line, instruction; /* that matches, of a row */
};

/* Whether a row matches, or something in its fold. */
static bool row_matches(struct finding *f, const struct flm_listing_row *row)
{
    struct flm_code_rows *code = &f->v->scene.code;
    bool is_fold = row->kind == FLM_LISTING_FOLD;
    if (is_fold && row->is_open)
        return false;
    uint32_t count = is_fold ? row->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        size_t spans;
        if (f->side == FLM_LISTING_SOURCE && (is_fold || row->kind == FLM_LISTING_LINE)) {
            struct flm_bytes text =
                flm_code_rows_line(&f->v->model, code, row->file, row->line + i, NULL, 0, &spans);
            f->line = row->line + i;
            if (text.size > 0 && is_match(f->v, text))
                return true;
        }
        const struct flm_code_function *function = flm_listing_code(code->listing);
        if (f->side == FLM_LISTING_ASSEMBLY && function && row->instruction != FLM_NONE) {
            const struct flm_code_instruction *at = &function->instructions[row->instruction + i];
            f->instruction = row->instruction + i;
            if (is_match(f->v, at->text) || is_match(f->v, at->target))
                return true;
        }
    }
    return false;
}

static bool select_found(struct finding *f, const struct flm_listing_row *row,
                         struct flm_error *why)
{
    struct flm_text at = {0};
    struct flm_code_rows *code = &f->v->scene.code;
    if (f->side == FLM_LISTING_SOURCE) {
        flm_text_add(&at, flm_string_bytes(flm_model_shown(&f->v->model), row->file));
        flm_text_format(&at, "\n%u", f->line);
    } else {
        flm_text_format(&at, "@%llx",
                        (unsigned long long)flm_listing_code(code->listing)
                            ->instructions[f->instruction]
                            .address);
    }
    bool good = !at.failed && act_select(f->v, (struct flm_bytes){at.at, at.size}, why);
    at.size = 0;
    if (good && row->kind == FLM_LISTING_FOLD) {
        flm_text_format(&at, "%llx", (unsigned long long)row->key);
        good = !at.failed && act_open(f->v, (struct flm_bytes){at.at, at.size}, why);
    }
    flm_text_clear(&at);
    return good || flm_error_memory(why);
}

/* From the row of the selected line on, and around; in the source, then in the machine code. */
static bool find(struct flm_viewer *v, bool back, struct flm_error *why)
{
    struct flm_code_rows *code = &v->scene.code;
    if (!flm_viewer_make_code(v, why))
        return false;
    if (!code->listing)
        return flm_viewer_notify(v, "the search finds nothing here");
    uint32_t rows[FLM_LISTING_SIDES] = {flm_listing_count(code->listing, FLM_LISTING_SOURCE),
                                        v->model.code.flags & FLM_CODE_ASSEMBLY
                                            ? flm_listing_count(code->listing, FLM_LISTING_ASSEMBLY)
                                            : 0};
    enum flm_listing_side side;
    uint32_t all = rows[0] + rows[1], at = flm_code_selected_row(v, &side);
    uint32_t from = at == FLM_NONE ? (back ? 0 : all - 1) : side ? rows[0] + at : at;
    for (uint32_t step = 1; step <= all; step++) {
        uint32_t to = back ? (from + all - step) % all : (from + step) % all;
        struct finding f = {.v = v, .side = to >= rows[0]};
        struct flm_listing_row row;
        flm_listing_rows(code->listing, f.side, f.side ? to - rows[0] : to, 1, &row);
        if (row_matches(&f, &row))
            return select_found(&f, &row, why);
    }
    return flm_viewer_notify(v, "the search finds nothing here");
}

static bool act_next(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return find(v, false, why);
}

static bool act_previous(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return find(v, true, why);
}

/* ---- Copying --------------------------------------------------------------------------------- */

static bool act_copy(struct flm_viewer *v, struct flm_bytes form, struct flm_error *why)
{
    struct flm_text text = {0};
    if (flm_query_code_text(v, !flm_bytes_are(form, "text"), &text, why))
        return flm_viewer_take_copied(v, &text, why);
    flm_text_clear(&text);
    return false;
}

static bool act_copy_text(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return act_copy(v, flm_bytes_of("text"), why);
}

static const struct flm_action_argument a_place = {"PLACE", FLM_GIVEN_POINTED, NULL};
static const struct flm_action_argument a_form = {"text|markdown", FLM_GIVEN_WORD, NULL};

static const struct flm_action actions[] = {
    {"code", "Source and machine code of the selected function, or the hottest; and back", NULL,
     "e", act_code, &showable, "annotate lines assembly disassembly list weblist"},
    {"leave-code", "Back from the code", NULL, "Escape", act_leave, &in_code},
    {"code-at", "Code of a function, at a line", &a_place, NULL, act_at, NULL},
    {"code-select", "Select a line or an instruction", &a_place, NULL, act_select, &in_code},
    {"code-open", "Open or close a row of the code", &a_place, NULL, act_open, &in_code},
    {"code-assembly", "Show or hide the machine code", NULL, "a", act_assembly, &in_code,
     "assembly instructions disassembly"},
    {"code-whole", "Show or hide cold parts of the code", NULL, "w", act_whole, &in_code,
     "folds all lines"},
    {"code-inlined", "Open or close inlined code", NULL, "i", act_inlined, &in_code},
    {"code-file", "All functions of the file, or one", NULL, "f", act_file, &in_code},
    {"code-next", "Next match in the code", NULL, "n F3 C-g", act_next, &searching},
    {"code-previous", "Previous match in the code", NULL, "N S-F3 p", act_previous, &searching},
    {"copy-code", "Copy the lines of the code as", &a_form, NULL, act_copy, &in_code,
     "clipboard export markdown"},
    {"copy-lines", "Copy the lines of the code", NULL, "C-c y", act_copy_text, &in_code,
     "clipboard export"},
};
const struct flm_action_group flm_code_actions = {"Code", actions,
                                                  sizeof actions / sizeof actions[0]};
