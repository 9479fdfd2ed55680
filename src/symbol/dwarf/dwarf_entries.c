#include "symbol/dwarf/dwarf_entries.h"

#include <stdlib.h>

#include <dwarf.h>

#include "base/core/hash.h"
#include "base/core/index.h"

/* Entries inside entries; deeper ones are not looked at. Real ones reach 60. */
enum { DEPTH = 400 };

/* How often a name may be referred on to another entry. */
enum { REFERENCES = 16 };

/* ---- Entries --------------------------------------------------------------------------------- */

/* What entries of an abbreviation are to us. */
enum kind {
    KIND_OTHER,    /* holds no code */
    KIND_HOLDER,   /* may hold functions: a namespace, a class, a block */
    KIND_FUNCTION, /* has code */
    KIND_INLINED,  /* likewise */
    KIND_NO_CODE   /* a function without code of its own, or a copy of which nothing is left; what
                      is in it may have some */
};

/* Abbreviations that were met last, by the address of libdw's record of them. */
enum { REMEMBERED = 1024 };

struct remembered {
    const Dwarf_Abbrev *abbreviation;
    enum kind kind;
};

/* Names that were looked up, by the address of their entry. */
struct known_name {
    const void *entry;
    uint32_t text;
};

struct flm_dwarf_entries {
    struct flm_code_maker *maker;
    struct remembered remembered[REMEMBERED];
    struct known_name *names;
    size_t name_count, name_capacity;
    struct flm_index name_index;
    const struct flm_line_files *files; /* of the unit */
    const char *reached;                /* the last entry that was visited */
    const char *unit_end;               /* behind the last one there may be */
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
    struct remembered *known = &entries->remembered[(uintptr_t)entry->abbrev / 16 % REMEMBERED];
    if (known->abbreviation != entry->abbrev)
        *known = (struct remembered){entry->abbrev, find_kind(entry, tag)};
    return known->kind;
}

/* What we want of an entry; `code` of an attribute that it does not have is 0. */
struct facts {
    Dwarf_Attribute linkage_name, name, origin, specification;
    Dwarf_Attribute low, high, ranges, call_file, call_line;
};

static int add_fact(Dwarf_Attribute *attribute, void *context)
{
    struct facts *facts = context;
    switch (attribute->code) {
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        facts->linkage_name = *attribute;
        break;
    case DW_AT_name:
        facts->name = *attribute;
        break;
    case DW_AT_abstract_origin:
        facts->origin = *attribute;
        break;
    case DW_AT_specification:
        facts->specification = *attribute;
        break;
    case DW_AT_low_pc:
        facts->low = *attribute;
        break;
    case DW_AT_high_pc:
        facts->high = *attribute;
        break;
    case DW_AT_ranges:
        facts->ranges = *attribute;
        break;
    case DW_AT_call_file:
        facts->call_file = *attribute;
        break;
    case DW_AT_call_line:
        facts->call_line = *attribute;
        break;
    default:
        break;
    }
    return DWARF_CB_OK;
}

static void read_facts(struct flm_dwarf_entries *entries, Dwarf_Die *entry, struct facts *facts)
{
    static const struct facts none = {0};
    *facts = none;
    if (dwarf_getattrs(entry, add_fact, facts, 0) < 0)
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

/* The text of a name; 0 when there is none. Longer than any symbol: a file may name one text of
 * megabytes a million times. */
enum { LONGEST_NAME = 1 << 16 };

static uint32_t text_of(struct flm_dwarf_entries *entries, Dwarf_Attribute *attribute)
{
    const char *text = attribute->code != 0 ? dwarf_formstring(attribute) : NULL;
    if (!text)
        return 0;
    return flm_code_maker_text(entries->maker,
                               (struct flm_bytes){text, strnlen(text, LONGEST_NAME)});
}

/* Follows a reference; false when there is none, or it leads nowhere. */
static bool follow(Dwarf_Attribute *reference, Dwarf_Die *entry)
{
    return reference->code != 0 && dwarf_formref_die(reference, entry) != NULL;
}

/* The name that the linker uses, from the entry or one that it refers to; else the first other. */
static uint32_t find_name(struct flm_dwarf_entries *entries, const struct facts *own)
{
    struct facts facts = *own;
    uint32_t name = 0;
    for (int i = 0; i < REFERENCES; i++) {
        uint32_t linkage_name = text_of(entries, &facts.linkage_name);
        if (linkage_name != 0)
            return linkage_name;
        if (name == 0)
            name = text_of(entries, &facts.name);
        Dwarf_Die next;
        if (!follow(&facts.origin, &next) && !follow(&facts.specification, &next))
            break;
        read_facts(entries, &next, &facts);
    }
    return name;
}

/* Many copies are of one function: its name is looked up once. */
static uint32_t name_of_origin(struct flm_dwarf_entries *entries, Dwarf_Die *origin)
{
    uint32_t hash = flm_hash_numbers((uintptr_t)origin->addr, 0);
    for (struct flm_probe at = flm_index_probe(&entries->name_index, hash);
         flm_index_next(&entries->name_index, &at);)
        if (entries->names[at.found].entry == origin->addr)
            return entries->names[at.found].text;
    struct facts facts;
    read_facts(entries, origin, &facts);
    struct known_name known = {origin->addr, find_name(entries, &facts)};
    void *names = entries->names;
    bool room = flm_grow(&names, &entries->name_capacity, entries->name_count + 1, sizeof known);
    entries->names = names;
    if (room && flm_index_add(&entries->name_index, hash, (uint32_t)entries->name_count))
        entries->names[entries->name_count++] = known;
    return known.text;
}

static uint32_t name_of(struct flm_dwarf_entries *entries, struct facts *facts)
{
    Dwarf_Die origin;
    if (facts->linkage_name.code == 0 && follow(&facts->origin, &origin))
        return name_of_origin(entries, &origin);
    return find_name(entries, facts);
}

/* ---- Scopes ---------------------------------------------------------------------------------- */

static void add_ranges(struct flm_dwarf_entries *entries, Dwarf_Die *entry, struct facts *facts,
                       uint32_t scope)
{
    Dwarf_Addr start, end;
    if (facts->ranges.code != 0) {
        Dwarf_Addr base;
        ptrdiff_t offset = 0;
        while ((offset = dwarf_ranges(entry, offset, &base, &start, &end)) > 0)
            flm_code_maker_range(entries->maker, scope, start, end);
        if (offset < 0)
            entries->damaged = true;
        return;
    }
    if (facts->high.code == 0 || dwarf_formaddr(&facts->low, &start) != 0)
        return; /* a location, not a range: an entry into another function */
    if (dwarf_formaddr(&facts->high, &end) != 0) {
        /* Not an address, so a size. */
        end = start + number_of(&facts->high);
        if (end < start)
            end = start;
    }
    flm_code_maker_range(entries->maker, scope, start, end);
}

/* The scope that the entry is, inside the scope `inside`. */
static uint32_t add_scope(struct flm_dwarf_entries *entries, Dwarf_Die *entry, enum kind kind,
                          uint32_t inside)
{
    struct facts facts;
    read_facts(entries, entry, &facts);
    uint32_t name = name_of(entries, &facts), file = 0, line = 0;
    if (kind == KIND_FUNCTION) {
        inside = FLM_NO_SCOPE; /* also one inside another: its code is its own */
    } else {
        file = flm_line_files_text(entries->files, number_of(&facts.call_file));
        uint64_t number = number_of(&facts.call_line);
        line = number <= UINT32_MAX ? (uint32_t)number : 0;
    }
    uint32_t scope = flm_code_maker_scope(entries->maker, name, inside, file, line);
    add_ranges(entries, entry, &facts, scope);
    return scope;
}

/* The entry behind `entry` at its level, when what is in it ends at `end`; as dwarf_siblingof,
 * which would go through all that is in it again where no DW_AT_sibling leads on: clang writes
 * none, and the time of the walk is half of what it was. */
static int next_entry(struct flm_dwarf_entries *entries, Dwarf_Die *entry, const char *end,
                      Dwarf_Die *next)
{
    if (!end || end >= entries->unit_end)
        return dwarf_siblingof(entry, next);
    *next = (Dwarf_Die){.addr = (void *)(uintptr_t)end, .cu = entry->cu};
    return *end == 0;
}

/* All entries in `parent`; their code is inside the scope `inside`. Returns where they end, NULL if
 * that is not known. */
static const char *walk(struct flm_dwarf_entries *entries, Dwarf_Die *parent, uint32_t inside,
                        int depth)
{
    Dwarf_Die entry, next = {0};
    int found = depth < DEPTH ? dwarf_child(parent, &entry) : -1;
    if (found > 0)
        return NULL;
    while (found == 0) {
        /* DW_AT_sibling may lead back, and each entry be visited again, and again in those. */
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
    /* Behind the last entry libdw leaves the address of the 0 that ends them; where it does not, we
     * do without. */
    const char *zero = found > 0 ? next.addr : NULL;
    return zero && zero > entries->reached && zero < entries->unit_end && *zero == 0 ? zero + 1
                                                                                     : NULL;
}

/* Where the entries of a unit end. */
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
    free(entries->names);
    flm_index_clear(&entries->name_index);
    free(entries);
}

void flm_dwarf_entries_begin(struct flm_dwarf_entries *entries, struct flm_code_maker *maker)
{
    flm_index_clear(&entries->name_index);
    entries->name_count = 0;
    entries->maker = maker;
}
