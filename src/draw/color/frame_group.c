#include "draw/color/frame_group.h"

#include <string.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/function_name.h"

/* A group is split if it has at least so many functions, and such a part of all. */
enum { LEAST_FUNCTIONS = 3 };
static const double most_part = 2.0 / 3;

static struct flm_bytes whole_group(const struct flm_profile *p, uint32_t frame,
                                    const struct flm_grouping *grouping)
{
    struct flm_bytes *found = grouping->of == p && grouping->whole ? &grouping->whole[frame] : NULL;
    if (found && found->at)
        return *found;
    struct flm_bytes module = flm_string_bytes(p, p->frames[frame].module);
    struct flm_bytes whole =
        module.size > 0 ? module : flm_name_package(flm_frame_function(p, frame));
    if (found)
        *found = whole;
    return whole;
}

/* "app::Sorter" of app::Sorter<int>::run(), "main.(*Server)" of main.(*Server).handle; the name
 * where there is no class. */
static struct flm_bytes class_of(struct flm_bytes name)
{
    struct flm_name_parts parts = flm_name_parts(name);
    if (parts.bare == 0)
        return (struct flm_bytes){name.at, parts.end};
    bool has_arguments = parts.elided_from > parts.qualified && parts.elided_to <= parts.bare;
    size_t end = has_arguments ? parts.elided_from : parts.bare;
    while (end > 1 && flm_is_one_of(name.at[end - 1], ":.<({[/# "))
        end--;
    return (struct flm_bytes){name.at, end};
}

static struct flm_bytes part_of_group(const struct flm_profile *p, uint32_t frame,
                                      enum flm_group_split by)
{
    struct flm_bytes name = flm_frame_function(p, frame), package = flm_name_package(name);
    struct flm_bytes file = flm_string_bytes(p, p->frames[frame].file);
    if (flm_name_is_runtime(package) || (by == FLM_SPLIT_FILE && file.size == 0))
        return package;
    switch (by) {
    case FLM_SPLIT_FILE:
        return file;
    case FLM_SPLIT_PACKAGE:
        return package;
    case FLM_SPLIT_CLASS:
        return class_of(name);
    default:
        return name;
    }
}

static enum flm_group_program program_of(uint32_t kind)
{
    bool is_script =
        kind == FLM_KIND_INTERPRETED || kind == FLM_KIND_JIT || kind == FLM_KIND_JIT_TIER1;
    return is_script ? FLM_PROGRAM_SCRIPT : FLM_PROGRAM_NATIVE;
}

/* "/usr/bin/node", "libpython3.11.so.1.0": by the name of the file, which a version or an ending may
 * follow. */
static bool is_interpreter(struct flm_bytes module)
{
    static const char *const names[] = {"node",   "nodejs",    "libnode", "deno",    "bun",
                                        "python", "libpython", "ruby",    "libruby", "php",
                                        "libphp", "perl",      "libperl", "libjvm"};
    struct flm_bytes file = module;
    for (size_t i = 0; i < module.size; i++)
        if (module.at[i] == '/')
            file = flm_bytes_from(module, i + 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (flm_bytes_start_with(file, names[i]) &&
            (file.size == strlen(names[i]) ||
             flm_is_one_of(file.at[strlen(names[i])], "0123456789.-")))
            return true;
    return false;
}

struct flm_bytes flm_frame_group(const struct flm_profile *p, uint32_t frame,
                                 const struct flm_grouping *grouping)
{
    struct flm_bytes group = whole_group(p, frame, grouping);
    enum flm_group_program program = program_of(p->frames[frame].kind);
    if (program == FLM_PROGRAM_NATIVE && p->frames[frame].module > 0 && is_interpreter(group))
        return part_of_group(p, frame, FLM_SPLIT_FILE);
    enum flm_group_split by = grouping->split[program].by;
    bool is_split = by != FLM_SPLIT_NONE && flm_bytes_equal(group, grouping->split[program].group);
    return is_split ? part_of_group(p, frame, by) : group;
}

enum flm_group_split flm_grouping_split(const struct flm_grouping *grouping)
{
    enum flm_group_split script = grouping->split[FLM_PROGRAM_SCRIPT].by;
    return script != FLM_SPLIT_NONE ? script : grouping->split[FLM_PROGRAM_NATIVE].by;
}

/* ---- What is split --------------------------------------------------------------------------- */

/* How many functions each group has, and all. */
struct counted {
    struct flm_bytes title;
    uint32_t functions;
    bool is_runtime, is_interpreter;
};

struct counts {
    struct flm_index index;
    struct FLM_ARRAY(struct counted) groups;
    uint32_t total;
};

static void clear(struct counts *counts)
{
    flm_index_clear(&counts->index);
    FLM_ARRAY_CLEAR(&counts->groups);
    *counts = (struct counts){0};
}

/* The group with that title, added if it is new. NULL when memory ran out. */
static struct counted *group_called(struct counts *counts, struct flm_bytes title)
{
    uint32_t hash = (uint32_t)flm_hash(title.at, title.size);
    struct flm_probe at = flm_index_probe(&counts->index, hash);
    while (flm_index_next(&counts->index, &at))
        if (flm_bytes_equal(counts->groups.at[at.found].title, title))
            return &counts->groups.at[at.found];
    uint32_t added = (uint32_t)counts->groups.count;
    struct counted one = {title, 0, flm_name_is_runtime(title), is_interpreter(title)};
    return FLM_ARRAY_ADD(&counts->groups, one) && flm_index_add(&counts->index, hash, added)
               ? &counts->groups.at[added]
               : NULL;
}

/* The functions of one group by what would split it, or, by nothing, all of them by their group;
 * those of runtimes are left out. To find a package and whether it is a runtime's is most of the
 * time before the first picture of a page is colored: it is asked once where it is the group. */
static bool count_all(struct counts *counts, const struct flm_profile *p,
                      enum flm_group_program program, const struct flm_grouping *grouping)
{
    struct flm_bytes split = grouping->split[program].group;
    enum flm_group_split by = grouping->split[program].by;
    bool is_split = by != FLM_SPLIT_NONE;
    clear(counts);
    uint32_t last = 0; /* frames of one function stand together: with other lines, say */
    for (uint32_t f = 1; f < p->sizes.frame_count; f++) {
        const struct flm_frame_record *record = &p->frames[f];
        bool is_same = record->function == last;
        last = record->function;
        bool counts_as_function = record->kind != FLM_KIND_KERNEL && record->kind != FLM_KIND_LABEL;
        if (is_same || !counts_as_function || program_of(record->kind) != program)
            continue;
        struct flm_bytes whole = whole_group(p, f, grouping);
        if (is_split && !flm_bytes_equal(whole, split))
            continue;
        bool has_module = flm_string_bytes(p, record->module).size > 0;
        if (has_module && flm_name_is_runtime(flm_name_package(flm_frame_function(p, f))))
            continue;
        struct counted *group = group_called(counts, is_split ? part_of_group(p, f, by) : whole);
        if (!group)
            return false;
        if (!is_split && group->is_runtime)
            continue;
        group->functions++;
        counts->total++;
    }
    return true;
}

/* The largest group; {0} where none has most of the functions. */
static struct flm_bytes largest(const struct counts *counts)
{
    for (size_t i = 0; i < counts->groups.count; i++)
        if (!counts->groups.at[i].is_interpreter &&
            counts->groups.at[i].functions >= LEAST_FUNCTIONS &&
            counts->groups.at[i].functions > most_part * counts->total)
            return counts->groups.at[i].title;
    return (struct flm_bytes){NULL, 0};
}

static bool has_files(const struct flm_profile *p, enum flm_group_program program,
                      const struct flm_grouping *grouping)
{
    for (uint32_t f = 1; f < p->sizes.frame_count; f++)
        if (p->frames[f].file && program_of(p->frames[f].kind) == program &&
            flm_bytes_equal(whole_group(p, f, grouping), grouping->split[program].group))
            return true;
    return false;
}

/* False when memory ran out. */
static bool find_split(struct flm_grouping *grouping, const struct flm_profile *p,
                       enum flm_group_program program)
{
    struct counts counts = {0};
    enum flm_group_split *by = &grouping->split[program].by;
    bool good = count_all(&counts, p, program, grouping);
    if (good)
        grouping->split[program].group = largest(&counts);
    bool is_large = grouping->split[program].group.size > 0;
    if (is_large && !has_files(p, program, grouping))
        *by = FLM_SPLIT_FILE;
    while (good && is_large && *by < FLM_SPLIT_FUNCTION) {
        ++*by;
        good = count_all(&counts, p, program, grouping);
        is_large = good && largest(&counts).size > 0;
    }
    clear(&counts);
    return good;
}

bool flm_grouping_init(struct flm_grouping *grouping, const struct flm_profile *p,
                       struct flm_bytes *whole, struct flm_error *why)
{
    *grouping = (struct flm_grouping){.whole = whole, .of = p};
    bool good = true;
    for (int program = 0; good && program < FLM_PROGRAMS; program++)
        good = find_split(grouping, p, (enum flm_group_program)program);
    return good || flm_error_memory(why);
}
