/* annotate_source.c - the source of a function with what each line costs: the rows that the page
 * and the terminal show (code/listing.h), as a table for each file. */
#include "draw/text/label.h"
#include "draw/text/quantity.h"
#include "report/profile/annotating.h"

/* Columns of the table: costs come first. */
enum { LINE, SEEN };

struct showing {
    const struct flm_annotating *a;
    const struct flm_profile *p;
    const struct flm_code_store *store; /* NULL: there is none */
    struct flm_listing *listing;
    const struct flm_line_index *lines; /* of the file that is shown; NULL: there is no text */
    bool has_table;
    uint32_t file;
};

bool flm_annotate_find_file(const struct flm_annotating *a, uint32_t file,
                            const struct flm_code_store **store,
                            const struct flm_line_index **lines)
{
    struct flm_sources *sources = a->options->sources;
    struct flm_bytes name = flm_string_bytes(a->source.profile, file);
    *store = NULL;
    *lines = NULL;
    if (!sources || !sources->find_file || file == 0)
        return true;
    if (!sources->find_file(sources, a->given, a->given_before, name, store, a->why))
        return false;
    const struct flm_code_file *found = flm_code_store_file(*store, name);
    *lines = found && found->path.size + found->text.size > 0 ? flm_code_store_lines(*store, name)
                                                              : NULL;
    return true;
}

/* "src/lex.c, from ~/src/lex.c: older than the recording"; or that it was not found. A text in debug
 * information has no path. */
static void add_file_name(const struct showing *s)
{
    struct flm_bytes name = flm_string_bytes(s->p, s->file);
    const struct flm_code_file *found = s->store ? flm_code_store_file(s->store, name) : NULL;
    struct flm_text *head = flm_report_add_line(s->a->report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN);
    if (!found || found->status.size == 0 || s->lines)
        flm_text_add(head, name.size > 0 ? name : flm_bytes_of("No file is known"));
    if (!found)
        return;
    if (found->path.size > 0 && !flm_bytes_equal(found->path, name)) {
        flm_text_puts(head, ", from ");
        flm_text_add(head, found->path);
    }
    flm_text_puts(head, s->lines && found->status.size > 0 ? ": " : "");
    flm_text_add(head, found->status);
}

static void begin_table(struct showing *s)
{
    const struct flm_annotating *a = s->a;
    size_t costs = flm_annotating_cost_count(a);
    add_file_name(s);
    flm_report_begin_table(a->report, "seen", FLM_IN_PEOPLES, false);
    flm_annotating_add_cost_columns(a, 0);
    flm_report_add_column(a->report, "line", 0);
    flm_report_add_literal_column(a->report, "seen", 0);
    flm_annotating_add_cost_views(a, 0, true);
    flm_report_add_source_view(a->report, &a->source, "line", costs + LINE, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_NUMBER, 0);
    flm_report_add_source_view(a->report, &a->source, "source", costs + SEEN, FLM_VIEW_AS_TEXT,
                               FLM_COLUMN_CODE, 0);
    s->has_table = true;
}

static bool begin_file(struct showing *s, uint32_t file)
{
    s->file = file;
    if (!flm_annotate_find_file(s->a, file, &s->store, &s->lines))
        return false;
    begin_table(s);
    return true;
}

static void add_line(struct showing *s, const struct flm_listing_row *row)
{
    struct flm_report *r = s->a->report;
    /* As people see it, without separators: an editor takes it. */
    flm_text_format(flm_report_cell_text(r), "%u", row->line);
    struct flm_text *seen = flm_report_cell_text(r);
    if (s->lines && row->line <= s->lines->count)
        flm_annotating_add_text(seen, flm_line_index_get(s->lines, row->line));
    else if (s->lines)
        flm_text_puts(seen, "(the file has fewer lines)");
    if (!row->has_cost)
        flm_report_cell_tone(r, FLM_TONE_MUTED);
}

/* "same, inlined from table.h:31", more of them with more blanks before it. */
static void add_inlined(struct flm_text *to, const struct showing *s,
                        const struct flm_listing_row *row)
{
    struct flm_bytes file = flm_string_bytes(s->p, row->file);
    size_t slash = file.size;
    while (slash > 0 && file.at[slash - 1] != '/')
        slash--;
    flm_text_puts(to, "> ");
    flm_label_add_letters(to, flm_string_bytes(s->p, row->function), FLM_LETTERS_IN_SENTENCE);
    flm_text_puts(to, ", inlined");
    if (row->line == 0 || file.size == 0)
        return;
    flm_text_puts(to, " from ");
    flm_text_add(to, flm_bytes_from(file, slash));
    flm_text_format(to, ":%u", row->line);
}

static void add_row(struct showing *s, const struct flm_listing_row *row)
{
    const struct flm_annotating *a = s->a;
    flm_report_begin_row(a->report, 0, FLM_IN_PEOPLES);
    if (row->has_cost)
        flm_annotating_add_costs(a, row->cost, row->before);
    else
        flm_annotating_add_absent(a, flm_annotating_cost_count(a));
    if (row->kind == FLM_LISTING_LINE) {
        add_line(s, row);
        return;
    }
    flm_report_cell_absent(a->report);
    struct flm_text *seen = flm_report_cell_text(a->report);
    if (row->kind == FLM_LISTING_FOLD) {
        flm_text_puts(seen, "... ");
        flm_count_add(seen, row->count);
        flm_text_puts(seen, row->count == 1 ? " line" : " lines");
        flm_text_puts(seen, " without a cost");
    } else if (row->kind == FLM_LISTING_INLINED) {
        add_inlined(seen, s, row);
    } else {
        flm_text_puts(seen, "(line not known)");
    }
    flm_report_cell_tone(a->report, FLM_TONE_MUTED);
}

static bool show_row(struct showing *s, const struct flm_listing_row *row)
{
    if (row->kind == FLM_LISTING_FILE)
        return begin_file(s, row->file);
    if (!s->has_table && !begin_file(s, row->file))
        return false;
    add_row(s, row);
    return true;
}

static bool show_rows(struct showing *s)
{
    enum { WINDOW = 64 };
    struct flm_listing_row rows[WINDOW];
    uint32_t count = flm_listing_count(s->listing, FLM_LISTING_SOURCE);
    bool good = true;
    for (uint32_t from = 0, got; good && from < count; from += got) {
        got = flm_listing_rows(s->listing, FLM_LISTING_SOURCE, from, WINDOW, rows);
        for (uint32_t i = 0; good && i < got; i++)
            good = show_row(s, &rows[i]);
    }
    return good;
}

/* All files of the function are in one store before the rows are made. */
static bool find_files(struct showing *s)
{
    size_t count;
    const uint32_t *files = flm_listing_files(s->listing, &count);
    const struct flm_code_store *store = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!flm_annotate_find_file(s->a, files[i], &store, &s->lines))
            return false;
        s->store = store ? store : s->store;
    }
    return true;
}

bool flm_annotate_source(const struct flm_annotating *a, struct flm_listing *listing)
{
    struct showing s = {.a = a, .p = a->source.profile, .listing = listing};
    const struct flm_listing_options options = {.whole = {a->options->whole}};
    return find_files(&s) && flm_listing_arrange(listing, s.store, &options, a->why) &&
           show_rows(&s);
}
