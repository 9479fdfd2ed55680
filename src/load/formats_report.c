/* formats_report.c - the table of formats as a report: what `flamel formats` prints. */
#include <string.h>

#include "flamel/file.h"
#include "report/core/blocks.h"

static bool format_at(size_t i, struct flm_format_info *info)
{
    *info = (struct flm_format_info){.size = sizeof *info};
    return flm_format_at(i, info);
}

static void add_columns(struct flm_report *report)
{
    static const struct {
        const char *name;
        unsigned forms;
        const char *heading; /* NULL: people do not see it */
        int leave_out;
    } columns[] = {{"name", FLM_IN_PROGRAMS, "format", 0},
                   {"title", FLM_IN_PROGRAMS, NULL, 0},
                   {"seen_reads", 0, "", 0},
                   {"seen_writes", 0, "", 0},
                   {"seen_extensions", 0, "written to", 1},
                   {"reads", FLM_IN_PROGRAMS, NULL, 0},
                   {"writes", FLM_IN_PROGRAMS, NULL, 0},
                   {"extensions", FLM_IN_PROGRAMS, NULL, 0},
                   {"description", FLM_IN_PROGRAMS, "description", 0},
                   {"picture", FLM_IN_PROGRAMS, NULL, 0},
                   {"times", FLM_IN_PROGRAMS, NULL, 0},
                   {"labels", FLM_IN_PROGRAMS, NULL, 0},
                   {"lines", FLM_IN_PROGRAMS, NULL, 0},
                   {"several_metrics", FLM_IN_PROGRAMS, NULL, 0},
                   {"symbols", FLM_IN_PROGRAMS, NULL, 0},
                   {"loses", FLM_IN_PROGRAMS, NULL, 0}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        size_t column = flm_report_add_column(report, columns[i].name, columns[i].forms);
        if (columns[i].heading)
            flm_report_add_view(report,
                                (struct flm_report_view){.heading = columns[i].heading,
                                                         .column = column,
                                                         .kind = FLM_COLUMN_TEXT,
                                                         .leave_out = columns[i].leave_out});
    }
}

static void add_format(struct flm_report *report, const struct flm_format_info *f)
{
    flm_report_begin_row(report, 0, FLM_IN_ALL);
    flm_report_cell_bytes(report, flm_bytes_of(f->name));
    flm_report_cell_bytes(report, flm_bytes_of(f->title));
    flm_report_cell_bytes(report, flm_bytes_of(f->reads ? "read" : ""));
    flm_report_cell_bytes(report, flm_bytes_of(f->writes ? "write" : ""));
    flm_report_cell_bytes(report, flm_bytes_of(f->writes ? f->extensions : ""));
    flm_report_cell_bool(report, f->reads);
    flm_report_cell_bool(report, f->writes);
    flm_report_cell_stack(report);
    for (const char *at = f->extensions; *at;) {
        size_t size = strcspn(at, " ");
        flm_report_add_name(report, (struct flm_bytes){at, size});
        at += size + strspn(at + size, " ");
    }
    flm_report_cell_bytes(report, flm_bytes_of(f->description));
    flm_report_cell_bool(report, f->is_picture);
    flm_report_cell_bool(report, f->has_times);
    flm_report_cell_bool(report, f->keeps_labels);
    flm_report_cell_bool(report, f->keeps_lines);
    flm_report_cell_bool(report, f->metrics == FLM_METRICS_ALL);
    flm_report_cell_bool(report, f->needs_symbols);
    if (f->writes)
        flm_report_cell_bytes(report, flm_bytes_of(f->loses));
    else
        flm_report_cell_absent(report);
}

static void add_blanks(struct flm_text *line, size_t count)
{
    while (count-- > 0)
        flm_text_putc(line, ' ');
}

/* The list of what is lost, in rows of 80 cells. */
static void add_broken(struct flm_text *line, size_t indent, const char *list)
{
    enum { WIDTH = 80 };
    size_t cells = indent;
    while (*list) {
        size_t size = strcspn(list, " ");
        if (cells > indent && cells + 1 + size > WIDTH) {
            flm_text_putc(line, '\n');
            add_blanks(line, indent);
            cells = indent;
        } else if (cells > indent) {
            flm_text_putc(line, ' ');
            cells++;
        }
        flm_text_add(line, (struct flm_bytes){list, size});
        cells += size;
        list += size + strspn(list + size, " ");
    }
}

/* The names of the formats from the i-th on that lose the same: "svg, png, pdf". Returns the index
 * of the first one that does not. */
static size_t add_names(size_t i, const struct flm_format_info *first, struct flm_text *out)
{
    struct flm_format_info f;
    flm_text_puts(out, first->name);
    for (i++; format_at(i, &f) && (!f.writes || strcmp(f.loses, first->loses) == 0); i++)
        if (f.writes)
            flm_text_format(out, ", %s", f.name);
    return i;
}

static void add_losses(struct flm_report *report)
{
    enum { INDENT = 20 };
    struct flm_format_info f;
    flm_text_puts(flm_report_add_line(report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN),
                  "What a written file lacks of a profile ('convert' counts it):");
    for (size_t i = 0, next; format_at(i, &f); i = next) {
        char storage[100];
        struct flm_text names;
        flm_text_init_fixed(&names, storage, sizeof storage - 1);
        next = i + 1;
        if (!f.writes)
            continue;
        next = add_names(i, &f, &names);
        storage[names.size] = 0;
        const char *list = *f.loses ? f.loses : "nothing is lost";
        struct flm_text *line = flm_report_add_line(report, FLM_IN_TEXT, false, FLM_TONE_PLAIN);
        flm_text_puts(line, storage);
        add_blanks(line, names.size < INDENT ? INDENT - names.size : 1);
        add_broken(line, INDENT, list);
        flm_text_format(flm_report_add_line(report, FLM_IN_MARKDOWN, true, FLM_TONE_PLAIN),
                        "%s: %s", storage, list);
    }
}

/* Of what people try, and is not read: what makes it readable. flm_other_file says it of a file. */
static void add_unread(struct flm_report *report)
{
    enum { INDENT = 20 };
    static const struct {
        const char *name, *says;
    } unread[] = {
        {"Xdebug's traces", "its profiles (xdebug.mode=profile) are read as callgrind"},
        {"Go's traces", "'go tool trace -pprof=TYPE' makes profiles of them"},
        {".nettrace (.NET)", "'dotnet-trace convert --format Speedscope' makes a profile of it"},
        {"Tracy", "its captures are not read"},
    };
    flm_text_puts(flm_report_add_line(report, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN),
                  "What is recognized, but not read:");
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        size_t size = strlen(unread[i].name);
        struct flm_text *line = flm_report_add_line(report, FLM_IN_TEXT, false, FLM_TONE_PLAIN);
        flm_text_puts(line, unread[i].name);
        add_blanks(line, size < INDENT ? INDENT - size : 1);
        add_broken(line, INDENT, unread[i].says);
        flm_text_format(flm_report_add_line(report, FLM_IN_MARKDOWN, true, FLM_TONE_PLAIN),
                        "%s: %s", unread[i].name, unread[i].says);
    }
}

struct flm_report *flm_report_formats(struct flm_error *why)
{
    struct flm_report *report = flm_report_new(why);
    struct flm_format_info f;
    if (!report)
        return NULL;
    report->is_table = true;
    flm_report_begin_table(report, "formats", FLM_IN_ALL, false);
    add_columns(report);
    for (size_t i = 0; format_at(i, &f); i++)
        add_format(report, &f);
    add_losses(report);
    add_unread(report);
    return flm_report_finish(report, why);
}
