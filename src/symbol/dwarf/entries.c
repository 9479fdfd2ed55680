#include "symbol/dwarf/entries.h"

#include <stdlib.h>

#include <dwarf.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"

/* The most levels of nested entries that are walked. Real files have up to 60. */
enum { DEPTH = 400 };

/* The longest chain of references to an entry that has the name. */
enum { REFERENCES = 16 };

/* ---- Entries --------------------------------------------------------------------------------- */

/* How entries with an abbreviation are treated. */
enum kind {
    KIND_OTHER,    /* contains no code */
    KIND_HOLDER,   /* may contain functions: a namespace, a class, a block */
    KIND_FUNCTION, /* has code */
    KIND_INLINED,  /* an inlined copy with code */
    KIND_NO_CODE   /* a function or an inlined copy without code, which may contain some that has */
};

/* A cache of abbreviations, by the address of libdw's record of them. */
enum { CACHED = 1024 };

struct cached_kind {
    const Dwarf_Abbrev *abbreviation;
    enum kind kind;
};

/* A name that was looked up, by the address of its entry. */
struct known_name {
    const void *entry;
    uint32_t text;
};

struct flm_dwarf_entries {
    struct flm_code_maker *maker;
    struct cached_kind kinds[CACHED];
    struct FLM_ARRAY(struct known_name) names;
    struct flm_index name_index;
    const struct flm_line_files *files; /* of the unit */
    const char *reached;                /* the last entry that was visited */
    const char *unit_end;               /* entries end here at the latest */
    bool damaged;                       /* the unit */
};

static bool may_hold_code(int tag)
{
    switch (tag) {
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: /* Rust: with methods */
    case DW_TAG_variant_part:
    case DW_TAG_variant:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_common_block:
        return true;
    default:
        return false;
    }
}

static enum kind find_kind(Dwarf_Die *entry, int tag)
{
    if (may_hold_code(tag))
        return KIND_HOLDER;
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
        return KIND_OTHER;
    size_t count = 0;
    if (dwarf_getattrcnt(entry->abbrev, &count) != 0)
        return KIND_OTHER;
    for (size_t i = 0; i < count; i++) {
        unsigned name;
        if (dwarf_getabbrevattr(entry->abbrev, i, &name, NULL, NULL) != 0)
            break;
        if (name == DW_AT_low_pc || name == DW_AT_ranges)
            return tag == DW_TAG_subprogram ? KIND_FUNCTION : KIND_INLINED;
    }
    return KIND_NO_CODE;
}

static enum kind kind_of(struct flm_dwarf_entries *entries, Dwarf_Die *entry)
{
    int tag = dwarf_tag(entry); /* also finds entry->abbrev */
    if (tag == DW_TAG_invalid || !entry->abbrev) {
        entries->damaged = true;
        return KIND_OTHER;
    }
    struct cached_kind *known = &entries->kinds[(uintptr_t)entry->abbrev / 16 % CACHED];
    if (known->abbreviation != entry->abbrev)
        *known = (struct cached_kind){entry->abbrev, find_kind(entry, tag)};
    return known->kind;
}

/* The attributes of an entry that are needed; `code` is 0 for one that it does not have. */
struct attributes {
    Dwarf_Attribute linkage_name, name, origin, specification;
    Dwarf_Attribute low, high, ranges, call_file, call_line;
};

static int take_attribute(Dwarf_Attribute *attribute, void *context)
{
    struct attributes *attributes = context;
    switch (attribute->code) {
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        attributes->linkage_name = *attribute;
        break;
    case DW_AT_name:
        attributes->name = *attribute;
        break;
    case DW_AT_abstract_origin:
        attributes->origin = *attribute;
        break;
    case DW_AT_specification:
        attributes->specification = *attribute;
        break;
    case DW_AT_low_pc:
        attributes->low = *attribute;
        break;
    case DW_AT_high_pc:
        attributes->high = *attribute;
        break;
    case DW_AT_ranges:
        attributes->ranges = *attribute;
        break;
    case DW_AT_call_file:
        attributes->call_file = *attribute;
        break;
    case DW_AT_call_line:
        attributes->call_line = *attribute;
        break;
    default:
        break;
    }
    return DWARF_CB_OK;
}

static void read_attributes(struct flm_dwarf_entries *entries, Dwarf_Die *entry,
                            struct attributes *attributes)
{
    static const struct attributes none = {0};
    *attributes = none;
    if (dwarf_getattrs(entry, take_attribute, attributes, 0) < 0)
        entries->damaged = true;
}

static uint64_t number_of(Dwarf_Attribute *attribute)
{
    Dwarf_Word number = 0;
    if (attribute->code == 0 || dwarf_formudata(attribute, &number) != 0)
        return 0;
    return number;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Longer than any symbol. Without a limit, a file could name a text of megabytes a million
 * times. */
enum { LONGEST_NAME = 1 << 16 };

/* The text of a name; 0 when there is none. */
static uint32_t text_of(struct flm_dwarf_entries *entries, Dwarf_Attribute *attribute)
{
    const char *text = attribute->code != 0 ? dwarf_formstring(attribute) : NULL;
    if (!text)
        return 0;
    return flm_code_maker_text(entries->maker,
                               (struct flm_bytes){text, strnlen(text, LONGEST_NAME)});
}

/* Follows a reference. False when there is none, or it is damaged. */
static bool follow(Dwarf_Attribute *reference, Dwarf_Die *entry)
{
    return reference->code != 0 && dwarf_formref_die(reference, entry) != NULL;
}

/* The linkage name, from the entry or one that it refers to; without any, the first other name. */
static uint32_t find_name(struct flm_dwarf_entries *entries, const struct attributes *own)
{
    struct attributes attributes = *own;
    uint32_t name = 0;
    for (int i = 0; i < REFERENCES; i++) {
        uint32_t linkage_name = text_of(entries, &attributes.linkage_name);
        if (linkage_name != 0)
            return linkage_name;
        if (name == 0)
            name = text_of(entries, &attributes.name);
        Dwarf_Die next;
        if (!follow(&attributes.origin, &next) && !follow(&attributes.specification, &next))
            break;
        read_attributes(entries, &next, &attributes);
    }
    return name;
}

/* Cached: a function has many inlined copies. */
static uint32_t name_of_origin(struct flm_dwarf_entries *entries, Dwarf_Die *origin)
{
    uint32_t hash = flm_hash_numbers((uintptr_t)origin->addr, 0);
    for (struct flm_probe at = flm_index_probe(&entries->name_index, hash);
         flm_index_next(&entries->name_index, &at);)
        if (entries->names.at[at.found].entry == origin->addr)
            return entries->names.at[at.found].text;
    struct attributes attributes;
    read_attributes(entries, origin, &attributes);
    struct known_name known = {origin->addr, find_name(entries, &attributes)};
    if (FLM_ARRAY_RESERVE(&entries->names, 1) &&
        flm_index_add(&entries->name_index, hash, (uint32_t)entries->names.count))
        entries->names.at[entries->names.count++] = known;
    return known.text;
}

static uint32_t name_of(struct flm_dwarf_entries *entries, struct attributes *attributes)
{
    Dwarf_Die origin;
    if (attributes->linkage_name.code == 0 && follow(&attributes->origin, &origin))
        return name_of_origin(entries, &origin);
    return find_name(entries, attributes);
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

static void add_ranges(struct flm_dwarf_entries *entries, Dwarf_Die *entry,
                       struct attributes *attributes, uint32_t scope)
{
    Dwarf_Addr start, end;
    if (attributes->ranges.code != 0) {
        Dwarf_Addr base;
        ptrdiff_t offset = 0;
        while ((offset = dwarf_ranges(entry, offset, &base, &start, &end)) > 0)
            flm_code_maker_range(entries->maker, scope, start, end);
        if (offset < 0)
            entries->damaged = true;
        return;
    }
    if (attributes->high.code == 0 || dwarf_formaddr(&attributes->low, &start) != 0)
        return; /* a single address: a further entry point of another function */
    if (dwarf_formaddr(&attributes->high, &end) != 0) {
        /* Not an address but a size. */
        end = start + number_of(&attributes->high);
        if (end < start)
            end = start;
    }
    flm_code_maker_range(entries->maker, scope, start, end);
}

/* Adds the scope of a function, or of a copy inlined into the scope `inside`. */
static uint32_t add_scope(struct flm_dwarf_entries *entries, Dwarf_Die *entry, enum kind kind,
                          uint32_t inside)
{
    struct attributes attributes;
    read_attributes(entries, entry, &attributes);
    uint32_t name = name_of(entries, &attributes), file = 0, line = 0;
    if (kind == KIND_FUNCTION) {
        inside = FLM_NO_SCOPE; /* also of a nested function: its code is separate */
    } else {
        file = flm_line_files_text(entries->files, number_of(&attributes.call_file));
        uint64_t number = number_of(&attributes.call_line);
        line = number <= UINT32_MAX ? (uint32_t)number : 0;
    }
    uint32_t scope = flm_code_maker_scope(entries->maker, name, inside, file, line);
    add_ranges(entries, entry, &attributes, scope);
    return scope;
}

/* The next sibling of `entry`, whose children end at `end`. dwarf_siblingof would read all of the
 * children again if there is no DW_AT_sibling: clang writes none, and without the second reading
 * the walk takes half the time. */
static int next_entry(struct flm_dwarf_entries *entries, Dwarf_Die *entry, const char *end,
                      Dwarf_Die *next)
{
    if (!end || end >= entries->unit_end)
        return dwarf_siblingof(entry, next);
    *next = (Dwarf_Die){.addr = (void *)(uintptr_t)end, .cu = entry->cu};
    return *end == 0;
}

/* Walks the children of `parent`, whose code is inside the scope `inside`. Returns where they end,
 * or NULL if that is unknown. */
static const char *walk(struct flm_dwarf_entries *entries, Dwarf_Die *parent, uint32_t inside,
                        int depth)
{
    Dwarf_Die entry, next = {0};
    int found = depth < DEPTH ? dwarf_child(parent, &entry) : -1;
    if (found > 0)
        return NULL;
    while (found == 0) {
        /* A damaged DW_AT_sibling may lead back, and the walk would take exponential time. */
        if ((const char *)entry.addr <= entries->reached) {
            found = -1;
            break;
        }
        entries->reached = entry.addr;
        enum kind kind = kind_of(entries, &entry);
        const char *end = NULL;
        if (kind == KIND_FUNCTION || kind == KIND_INLINED)
            end = walk(entries, &entry, add_scope(entries, &entry, kind, inside), depth + 1);
        else if (kind != KIND_OTHER)
            end = walk(entries, &entry, inside, depth + 1);
        next.addr = NULL;
        found = next_entry(entries, &entry, end, &next);
        if (found == 0)
            entry = next;
    }
    if (found < 0)
        entries->damaged = true;
    /* At the end of the siblings libdw sets `next` to the 0 that ends them; it need not, so this is
     * checked. */
    const char *zero = found > 0 ? next.addr : NULL;
    return zero && zero > entries->reached && zero < entries->unit_end && *zero == 0 ? zero + 1
                                                                                     : NULL;
}

/* The end of the unit's entries. */
static const char *end_of_unit(Dwarf_Die *unit)
{
    Dwarf_Off here = dwarf_dieoffset(unit), start = here - dwarf_cuoffset(unit), next;
    size_t header_size;
    if (dwarf_next_unit(dwarf_cu_getdwarf(unit->cu), start, &next, &header_size, NULL, NULL, NULL,
                        NULL, NULL, NULL) != 0 ||
        next < here)
        return unit->addr;
    return (const char *)unit->addr + (next - here);
}

bool flm_dwarf_entries_walk(struct flm_dwarf_entries *entries, Dwarf_Die *unit,
                            const struct flm_line_files *files)
{
    entries->files = files;
    entries->damaged = false;
    entries->reached = unit->addr;
    entries->unit_end = end_of_unit(unit);
    walk(entries, unit, FLM_NO_SCOPE, 0);
    return !entries->damaged;
}

struct flm_dwarf_entries *flm_dwarf_entries_new(void)
{
    return calloc(1, sizeof(struct flm_dwarf_entries));
}

void flm_dwarf_entries_free(struct flm_dwarf_entries *entries)
{
    if (!entries)
        return;
    FLM_ARRAY_CLEAR(&entries->names);
    flm_index_clear(&entries->name_index);
    free(entries);
}

void flm_dwarf_entries_begin(struct flm_dwarf_entries *entries, struct flm_code_maker *maker)
{
    flm_index_clear(&entries->name_index);
    entries->names.count = 0;
    entries->maker = maker;
}
