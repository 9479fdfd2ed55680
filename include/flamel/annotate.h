/* annotate.h - what each line of source costs: as a list of the hottest lines, or as the source
 * of a function with its costs.
 *
 *     struct flm_sources_options where = {
 *         .size = sizeof where, .folders = folders, .folder_count = 1};
 *     struct flm_sources *sources = flm_sources_new(&where, &why);
 *     struct flm_annotate_options options = {
 *         .size = sizeof options, .function = "parse", .sources = sources};
 *     struct flm_report *report = flm_report_annotate(profile, &options, &why);
 *
 * Self is what was spent at a line itself, total also what it called; a stack that has a line
 * several times counts once. The self values of a function's lines, with those for which no line is
 * known, add up to the self value of the function.
 *
 * With `before` each row has the costs of both profiles and the change. The machine code is that of
 * `profile`; if `before` is of another build, its costs are not assigned to instructions. Columns:
 * "self.before", "self.after", "self.change", and those of total. */
#ifndef FLAMEL_ANNOTATE_H
#define FLAMEL_ANNOTATE_H

#include "flamel/algebra.h"
#include "flamel/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where source files and machine code are looked for. Source: as it is named, and then in these
 * folders. Programs: by build id and path, as for the symbols of a recording (flamel/file.h); they
 * know the files that were compiled, or have their texts. Texts are borrowed until the sources are
 * freed. */
struct flm_sources_options {
    size_t size;                /* sizeof (struct flm_sources_options) */
    const char *const *folders; /* the longest end of a path that is in one of them */
    size_t folder_count;
    const char *const *maps; /* "OLD=NEW": paths that begin with OLD begin with NEW instead */
    size_t map_count;
    bool folders_only; /* never where a profile names it: for profiles of strangers */
    const char *const *symbol_dirs;
    size_t symbol_dir_count;
    const char *perf_dir, *cache_dir;
    bool debuginfod;          /* ask the servers for programs and for sources */
    bool intel;               /* x86-64 as Intel writes it, not as AT&T does */
    bool only_sources;        /* outside of the folders only files with the name of a source file,
                                 or below /usr: for what is shown to others */
    size_t most_source_bytes; /* larger files are not read; 0: 64 MiB */
};

struct flm_sources;

/* NULL, and `why`, for a map that is none, or if memory ran out. */
struct flm_sources *flm_sources_new(const struct flm_sources_options *options,
                                    struct flm_error *why);
void flm_sources_free(struct flm_sources *sources);

/* Whether a map, "OLD=NEW", can be of any use: a file that the profile names begins with OLD. */
bool flm_sources_map_matches(const char *map, const struct flm_profile *profile);

/* What flm_report_annotate prints. */
enum flm_annotate_code {
    FLM_ANNOTATE_SOURCE,
    FLM_ANNOTATE_ASSEMBLY,
    FLM_ANNOTATE_BOTH /* instructions, and above them the lines that they are of */
};

struct flm_annotate_options {
    size_t size;                 /* sizeof (struct flm_annotate_options) */
    const char *source;          /* the name of the profile in the report: its file; NULL: "" */
    const char *metric;          /* NULL: the first */
    const char *function;        /* flm_report_annotate: a pattern of expressions, "parse" */
    struct flm_sources *sources; /* flm_report_annotate; NULL: lines without their text, and
                                    instructions are addresses */
    uint32_t rows; /* lines of flm_report_lines, functions of flm_report_annotate; 0: all */
    bool whole;    /* also lines without a cost that are far from those with one */
    enum flm_annotate_code code;
    bool bytes;                       /* also print the bytes of each instruction */
    const struct flm_profile *before; /* compare with this profile; NULL: with none */
    const char *before_source;        /* its name */
    bool for_programs;                /* only what JSON and CSV have: text and Markdown have less */

    /* What `before` is multiplied by first, as in flamel/changes.h. */
    enum flm_normalize normalize;
    const char *normalize_function;
};

/* The lines with the largest self values, of all functions. Table "lines". */
struct flm_report *flm_report_lines(const struct flm_profile *profile,
                                    const struct flm_annotate_options *options,
                                    struct flm_error *why);

/* The functions that match, by total: their lines with their costs and texts. Table "lines"; of
 * machine code, "instructions". The self value of an instruction is also that of what was inlined
 * there. FLM_ERROR_USAGE where no function matches. */
struct flm_report *flm_report_annotate(const struct flm_profile *profile,
                                       const struct flm_annotate_options *options,
                                       struct flm_error *why);

#ifdef __cplusplus
}
#endif

#endif
