/* callgrind_body.c - the body of a callgrind file: names, and costs with their positions.
 *
 * A line sets the current file, object, function or callee, or it adds costs to an item or an edge
 * of the call graph. As long as the function stays the same, a line of costs is one addition for
 * each event, without a look into the tables. */
#include "base/core/hash.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/number/quick.h"
#include "format/valgrind/callgrind_write.h"
#include "format/valgrind/internal.h"
#include "profile/internal.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

enum flm_callgrind_number flm_callgrind_number(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    uint64_t n = 0;
    bool is_large = false;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        const char *start = p += 2;
        for (; p < end && flm_hex_value(*p) >= 0; p++) {
            is_large |= n >> 60 != 0;
            n = n << 4 | (unsigned)flm_hex_value(*p);
        }
        if (p == start)
            return FLM_CALLGRIND_NUMBER_NONE;
    } else {
        const char *start = p;
        for (; p < end && flm_callgrind_is_digit(*p); p++) {
            uint64_t digit = (uint64_t)(*p - '0');
            is_large |= n > (UINT64_MAX - digit) / 10;
            n = n * 10 + digit;
        }
        if (p == start)
            return FLM_CALLGRIND_NUMBER_NONE;
    }
    *at = p;
    *value = n;
    return is_large ? FLM_CALLGRIND_NUMBER_LARGE : FLM_CALLGRIND_NUMBER_GOOD;
}

/* Reads a number, or one that is relative to the previous value: +3, -3, * (the same). */
static enum flm_callgrind_number read_relative(const char **at, const char *end, uint64_t *value)
{
    const char *p = *at;
    if (p < end && *p == '*') {
        *at = p + 1;
        return FLM_CALLGRIND_NUMBER_GOOD;
    }
    if (p == end || (*p != '+' && *p != '-'))
        return flm_callgrind_number(at, end, value);
    uint64_t change;
    const char *digits = p + 1;
    enum flm_callgrind_number kind = flm_callgrind_number(&digits, end, &change);
    if (kind == FLM_CALLGRIND_NUMBER_NONE)
        return kind;
    *at = digits;
    if (kind == FLM_CALLGRIND_NUMBER_GOOD && *p == '+' && change > UINT64_MAX - *value)
        kind = FLM_CALLGRIND_NUMBER_LARGE;
    else if (*p == '+')
        *value += change;
    else
        *value = change > *value ? 0 : *value - change;
    return kind;
}
/* ---- Names ----------------------------------------------------------------------------------- */

static bool define_name(struct flm_callgrind *r, enum flm_callgrind_name_kind kind, uint64_t id,
                        uint32_t string)
{
    enum { SPREAD = 8, FEW = 1024 }; /* room for numbers is given for so many times the names */
    struct flm_callgrind_names *names = &r->names[kind];
    if (id < SPREAD * names->near_count + FEW) {
        while (names->near.count <= id)
            if (!FLM_ARRAY_ADD(&names->near, UINT32_MAX))
                return flm_error_memory(r->why);
        names->near_count += names->near.at[id] == UINT32_MAX;
        names->near.at[id] = string;
        return true;
    }
    uint32_t hash = flm_hash_numbers(id, kind);
    for (struct flm_probe at = flm_index_probe(&names->index, hash);
         flm_index_next(&names->index, &at);)
        if (names->ids.at[at.found] == id) {
            names->strings.at[at.found] = string; /* the file goes on with another program */
            return true;
        }
    return (FLM_ARRAY_RESERVE(&names->ids, 1) && FLM_ARRAY_RESERVE(&names->strings, 1) &&
            flm_index_add(&names->index, hash, (uint32_t)names->ids.count) &&
            FLM_ARRAY_ADD(&names->ids, id) && FLM_ARRAY_ADD(&names->strings, string)) ||
           flm_error_memory(r->why);
}

/* The string of a number; UINT32_MAX: it has none. */
static uint32_t name_of(const struct flm_callgrind *r, enum flm_callgrind_name_kind kind,
                        uint64_t id)
{
    const struct flm_callgrind_names *names = &r->names[kind];
    if (id < names->near.count && names->near.at[id] != UINT32_MAX)
        return names->near.at[id];
    for (struct flm_probe probe = flm_index_probe(&names->index, flm_hash_numbers(id, kind));
         flm_index_next(&names->index, &probe);)
        if (names->ids.at[probe.found] == id)
            return names->strings.at[probe.found];
    return UINT32_MAX;
}

/* Reads "(3) name", "(3)" or "name" into a string of the builder; 0 for files and objects that are
 * unknown, "???". */
static bool read_name(struct flm_callgrind *r, enum flm_callgrind_name_kind kind, const char *at,
                      const char *end, uint32_t *string)
{
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    at = flm_callgrind_skip_blanks(at, end);
    uint64_t id;
    const char *p = at + 1;
    bool has_id = at < end && *at == '(' &&
                  flm_callgrind_number(&p, end, &id) == FLM_CALLGRIND_NUMBER_GOOD && p < end &&
                  *p == ')';
    if (!has_id) {
        bool is_unknown =
            kind != FLM_CALLGRIND_FUNCTION && end - at == 3 && memcmp(at, "???", 3) == 0;
        *string = is_unknown ? 0 : flm_callgrind_intern(r, at, end);
        return true;
    }
    const char *name = flm_callgrind_skip_blanks(p + 1, end);
    if (name < end) {
        bool is_unknown =
            kind != FLM_CALLGRIND_FUNCTION && end - name == 3 && memcmp(name, "???", 3) == 0;
        *string = is_unknown ? 0 : flm_callgrind_intern(r, name, end);
        return define_name(r, kind, id, *string);
    }
    *string = name_of(r, kind, id);
    if (*string != UINT32_MAX)
        return true;
    flm_callgrind_lose(r, "names that are only numbers, which the file does not explain");
    *string = kind == FLM_CALLGRIND_FUNCTION ? flm_callgrind_intern(r, at, end) : 0;
    return true;
}

/* In callgrind's files the name of an unsymbolized function is its address in the object. */
static void mark_address(struct flm_frame_record *frame, struct flm_bytes name)
{
    uint64_t address;
    if (flm_bytes_are(name, "???"))
        frame->flags |= FLM_FRAME_UNSYMBOLIZED;
    if (!flm_bytes_start_with(name, "0x"))
        return;
    const char *quote = flm_find(name.at, name.at + name.size, '\'');
    struct flm_bytes digits = {name.at + 2, (size_t)(quote - name.at) - 2};
    if (!flm_number_parse_hex(digits, &address))
        return;
    frame->flags |= FLM_FRAME_UNSYMBOLIZED;
    frame->address = address;
}

static bool is_function(const struct flm_callgrind *r, uint32_t index,
                        const struct flm_callgrind_function *function)
{
    const struct flm_callgrind_function *old = &r->functions.at[index];
    return old->name == function->name && old->file == function->file &&
           old->object == function->object;
}

static uint32_t add_function(struct flm_callgrind *r, struct flm_callgrind_function function,
                             uint32_t hash)
{
    struct flm_frame_record frame = {.function = function.name,
                                     .module = function.object,
                                     .file = function.file,
                                     .kind = function.object ? FLM_KIND_NATIVE : FLM_KIND_PLAIN};
    mark_address(&frame, flm_interner_text(&r->builder->interner, function.name));
    uint32_t index = (uint32_t)r->functions.count;
    if (FLM_ARRAY_RESERVE(&r->functions, 1) && FLM_ARRAY_RESERVE(&r->frames, 1) &&
        flm_index_add(&r->function_index, hash, index) && FLM_ARRAY_ADD(&r->functions, function) &&
        FLM_ARRAY_ADD(&r->frames, frame))
        return index;
    flm_error_memory(r->why);
    return UINT32_MAX;
}

/* The function with that name, file and object. UINT32_MAX, and `why`, when memory ran out. */
static uint32_t find_function(struct flm_callgrind *r, struct flm_callgrind_function function)
{
    while (r->latest.count <= function.name)
        if (!FLM_ARRAY_ADD(&r->latest, UINT32_MAX)) {
            flm_error_memory(r->why);
            return UINT32_MAX;
        }
    uint32_t *latest = &r->latest.at[function.name];
    if (*latest != UINT32_MAX && is_function(r, *latest, &function))
        return *latest;
    uint32_t hash =
        flm_hash_numbers((uint64_t)function.name << 32 | function.file, function.object);
    for (struct flm_probe at = flm_index_probe(&r->function_index, hash);
         flm_index_next(&r->function_index, &at);)
        if (is_function(r, at.found, &function))
            return *latest = at.found;
    return *latest = add_function(r, function, hash);
}
/* ---- Costs ----------------------------------------------------------------------------------- */

static bool refuse_large(struct flm_callgrind *r, const char *what)
{
    return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number, "%s is 2^64 or more", what);
}

enum verdict { COSTS_GOOD, COSTS_MALFORMED, COSTS_REFUSED };

/* Reads a cost of Xdebug's files, where '-' is a sign. */
static enum flm_callgrind_number read_signed(struct flm_callgrind *r, const char **at,
                                             const char *end, uint64_t *value)
{
    if (*at < end && **at == '-') {
        const char *digits = *at + 1;
        enum flm_callgrind_number kind = flm_callgrind_number(&digits, end, value);
        if (kind == FLM_CALLGRIND_NUMBER_NONE)
            return kind;
        *at = digits;
        *value = 0;
        flm_callgrind_lose(r, "negative costs, which count as 0");
        return FLM_CALLGRIND_NUMBER_GOOD;
    }
    return flm_callgrind_number(at, end, value);
}

/* Reads "+3 12 100 20" into r->line and r->cost. */
static enum verdict take_costs(struct flm_callgrind *r, const char *at, const char *end)
{
    for (size_t i = 0; i < r->position_count && at < end; i++) {
        if (i == r->line_column && !r->options->locations) {
            r->builder->dropped_locations |= *at != '0' && *at != '*';
        } else if (i == r->line_column) {
            enum flm_callgrind_number kind = read_relative(&at, end, &r->line);
            if (kind != FLM_CALLGRIND_NUMBER_GOOD)
                return COSTS_MALFORMED;
        }
        while (at < end && *at != ' ' && *at != '\t')
            at++;
        at = flm_callgrind_skip_blanks(at, end);
    }
    size_t count = r->events.count, i = 0;
    for (; at < end && i < count; i++) {
        enum flm_callgrind_number kind = r->is_signed ? read_signed(r, &at, end, &r->cost[i])
                                                      : read_relative(&at, end, &r->cost[i]);
        if (kind == FLM_CALLGRIND_NUMBER_LARGE) {
            refuse_large(r, "a cost");
            return COSTS_REFUSED;
        }
        if (kind == FLM_CALLGRIND_NUMBER_NONE || (at < end && *at != ' ' && *at != '\t'))
            return COSTS_MALFORMED;
        at = flm_callgrind_skip_blanks(at, end);
    }
    for (size_t c = i; c < r->given; c++)
        r->cost[c] = 0;
    r->given = i;
    return at < end ? COSTS_MALFORMED : COSTS_GOOD;
}

static bool add_costs(struct flm_callgrind *r, uint64_t *sums)
{
    for (size_t i = 0; i < r->given; i++) {
        sums[i] += r->cost[i];
        if (sums[i] < r->cost[i])
            return refuse_large(r, "a sum of costs");
    }
    return true;
}

static uint32_t line_of(const struct flm_callgrind *r)
{
    return r->options->locations && r->line <= UINT32_MAX ? (uint32_t)r->line : 0;
}

static bool need_function(struct flm_callgrind *r)
{
    if (r->function == UINT32_MAX) {
        struct flm_callgrind_function unknown = {flm_builder_string(r->builder, "???", 3).index,
                                                 r->file, r->object};
        r->function = find_function(r, unknown);
    }
    return r->function != UINT32_MAX;
}

/* Whether the function is (root), by which callgrind_write.c has functions that begin stacks
 * called. */
static bool is_our_root(const struct flm_callgrind *r)
{
    const struct flm_callgrind_function *function = &r->functions.at[r->function];
    const struct flm_interner *names = &r->builder->interner;
    return r->is_flamels && function->name == function->file &&
           flm_bytes_are(flm_interner_text(names, function->name), FLM_CALLGRIND_ROOT);
}

static bool add_call(struct flm_callgrind *r)
{
    r->is_call = r->has_called_file = r->has_called_object = false;
    uint32_t callee = r->callee;
    r->callee = UINT32_MAX;
    if (callee == UINT32_MAX) {
        flm_callgrind_lose(r, "calls without a callee");
        return true;
    }
    if (!need_function(r))
        return false;
    if (is_our_root(r))
        return true;
    struct flm_call_edge edge = {.from = r->function, .to = callee, .site = line_of(r)};
    if (r->options->lines)
        edge.line = edge.site;
    uint32_t index = flm_call_graph_edge(&r->graph, edge);
    if (index == UINT32_MAX)
        return flm_error_memory(r->why);
    if (r->graph.edges.at[index].site != edge.site)
        r->graph.edges.at[index].site = 0;
    uint64_t *calls = &r->graph.edges.at[index].calls;
    if (!r->counts_no_calls)
        *calls = *calls > UINT64_MAX - r->call_count ? UINT64_MAX : *calls + r->call_count;
    if (!r->has_calls && !r->counts_no_calls) {
        bool is_taken = flm_callgrind_event_named(r, flm_bytes_of("calls")) != UINT32_MAX;
        r->calls = flm_callgrind_add_metric(r, flm_bytes_of(is_taken ? "number of calls" : "calls"),
                                            flm_bytes_of("count"));
    }
    r->has_calls = true;
    return add_costs(r, r->graph.edge_costs.at + (size_t)index * r->events.count);
}

bool flm_callgrind_end_function(struct flm_callgrind *r)
{
    r->item = UINT32_MAX;
    if (flm_callgrind_lines_end(&r->own, r->function))
        return true;
    return r->own.is_large ? refuse_large(r, "a sum of costs") : flm_error_memory(r->why);
}

/* Where costs of the current function are added up, and of the current line, if lines are read.
 * NULL, and `why`, when memory ran out. */
static uint64_t *find_sums(struct flm_callgrind *r)
{
    bool has_lines = r->options->locations;
    if (r->item == UINT32_MAX ||
        (has_lines && (r->item_file != r->file || r->item_line != line_of(r)))) {
        r->item_file = r->file;
        r->item_line = line_of(r);
        r->item = has_lines ? flm_callgrind_lines_find(&r->own, r->item_file, r->item_line)
                            : flm_callgrind_lines_item(&r->own, r->function);
        if (r->item == UINT32_MAX) {
            flm_error_memory(r->why);
            return NULL;
        }
    }
    uint64_t *all = has_lines ? r->own.block_costs.at : r->graph.item_costs.at;
    return all + (size_t)r->item * r->events.count;
}

static bool add_self(struct flm_callgrind *r)
{
    uint64_t *sums = need_function(r) ? find_sums(r) : NULL;
    if (!sums)
        return false;
    r->has_costs = true;
    r->sum += r->cost[0];
    return add_costs(r, sums);
}

bool flm_callgrind_read_costs(struct flm_callgrind *r, struct flm_bytes line)
{
    if (r->events.count == 0)
        return flm_callgrind_refuse(
            r, "a cost before the line 'events:', which would say what it is: is the "
               "beginning missing?");
    bool is_call = r->is_call, is_jump = r->is_jump;
    r->is_call = r->is_jump = false;
    switch (take_costs(r, line.at, line.at + line.size)) {
    case COSTS_REFUSED:
        return false;
    case COSTS_MALFORMED:
        flm_callgrind_lose(r, "malformed lines");
        return true;
    case COSTS_GOOD:
        break;
    }
    return is_jump || (is_call ? add_call(r) : add_self(r));
}

/* A line of costs that is plain: its position, and costs as they are. */
struct plain_line {
    uint64_t line;
    size_t given; /* costs, in r->ahead */
};

/* Reads "+3", "-3", "*" or "3": a line number, relative to `line`. NULL: it is something else. */
static const char *take_plain_position(const char *at, const char *end, uint64_t *line)
{
    if (at < end && *at == '*')
        return at + 1;
    char sign = at < end && (*at == '+' || *at == '-') ? *at++ : 0;
    const char *digits = at;
    uint64_t value = 0;
    for (; at < end && flm_callgrind_is_digit(*at); at++)
        value = value * 10 + (uint64_t)(*at - '0');
    if ((size_t)(at - digits) - 1 >= 9) /* 1 to 9 digits */
        return NULL;
    if (sign == '+' && *line <= UINT32_MAX)
        *line += value;
    else if (sign == '-')
        *line -= value < *line ? value : *line;
    else if (sign == '+')
        return NULL;
    else
        *line = value;
    return at;
}

/* The value of 1 to 19 digits, so that nothing overflows; returns their end, which is before `end`,
 * or NULL. Most costs have one digit. */
static inline const char *take_plain_cost(const char *at, const char *end, uint64_t *value)
{
    enum { MOST_READ = 24 }; /* by flm_quick_digits */
    size_t count = 0;
    if (end - at >= 2 && flm_callgrind_is_digit(*at) && !flm_callgrind_is_digit(at[1])) {
        *value = (uint64_t)(*at - '0');
        return at + 1;
    }
    if (end - at > MOST_READ) {
        count = flm_quick_digits(at, value);
    } else {
        *value = 0;
        for (; at + count < end && flm_callgrind_is_digit(at[count]); count++)
            *value = *value * 10 + (uint64_t)(at[count] - '0');
    }
    return count - 1 >= 19 || at + count == end ? NULL : at + count;
}

/* Reads one line; NULL: it is not a plain one, or the window does not have all of it. Costs may be
 * relative to those of the line before, so r->cost and r->line stay until it is known to be one. */
static const char *take_plain_costs(struct flm_callgrind *r, const char *at, const char *end,
                                    struct plain_line *plain)
{
    size_t count = r->events.count, i = 0, lines = r->position_count;
    if (r->options->locations)
        lines = r->line_column;
    plain->line = r->line;
    for (size_t column = 0; column < r->position_count; column++) {
        const char *start = at;
        if (column == lines && !(at = take_plain_position(at, end, &plain->line)))
            return NULL;
        while (column != lines && at<end && * at> ' ')
            at++;
        if (at == start || end - at < 2 || *at++ != ' ')
            return NULL;
    }
    for (; i < count; i++) {
        if (!(at = take_plain_cost(at, end, &r->ahead[i])))
            return NULL;
        if (*at != ' ')
            break;
        at++;
    }
    plain->given = i + 1;
    return i == count || *at != '\n' ? NULL : at + 1;
}

/* Adds the costs of a plain line. False: a sum is too large, and the line is to be read again. */
static bool add_plain(struct flm_callgrind *r, uint64_t *sums, size_t given)
{
    bool is_large = false;
    for (size_t i = 0; i < given; i++) {
        sums[i] += r->ahead[i];
        is_large |= sums[i] < r->ahead[i];
    }
    if (is_large) {
        for (size_t i = 0; i < given; i++)
            sums[i] -= r->ahead[i];
        return false;
    }
    memcpy(r->cost, r->ahead, given * sizeof *r->cost);
    for (size_t i = given; i < r->given; i++)
        r->cost[i] = 0;
    r->given = given;
    r->sum += r->cost[0];
    return true;
}

bool flm_callgrind_read_plain_costs(struct flm_callgrind *r)
{
    enum { MOST_SIZE = 1 << 20 }; /* then the reader of lines reports progress */
    if (r->item == UINT32_MAX || r->is_call || r->is_jump)
        return true;
    struct flm_bytes ahead = flm_line_ahead(&r->lines);
    uint64_t *sums = r->options->locations ? NULL : find_sums(r), count = 0;
    const char *at = ahead.at, *next;
    const char *end = at + (ahead.size < MOST_SIZE ? ahead.size : MOST_SIZE);
    struct plain_line plain;
    while (at < end && (flm_callgrind_is_digit(*at) || flm_is_one_of(*at, "+-*")) &&
           (next = take_plain_costs(r, at, end, &plain)) != NULL) {
        uint64_t before = r->line;
        r->line = plain.line;
        if (r->options->locations && !(sums = find_sums(r)))
            return false;
        if (!add_plain(r, sums, plain.given)) {
            r->line = before;
            break;
        }
        at = next;
        count++;
    }
    flm_line_took(&r->lines, count, (size_t)(at - ahead.at));
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool enter_function(struct flm_callgrind *r, const char *at, const char *end)
{
    struct flm_callgrind_function function = {0, r->file, r->object};
    if (!read_name(r, FLM_CALLGRIND_FUNCTION, at, end, &function.name))
        return false;
    if (!flm_callgrind_end_function(r))
        return false;
    r->function = find_function(r, function);
    return r->function != UINT32_MAX;
}

static bool name_callee(struct flm_callgrind *r, const char *at, const char *end)
{
    struct flm_callgrind_function function = {0, r->has_called_file ? r->called_file : r->file,
                                              r->has_called_object ? r->called_object : r->object};
    if (!read_name(r, FLM_CALLGRIND_FUNCTION, at, end, &function.name))
        return false;
    r->callee = find_function(r, function);
    return r->callee != UINT32_MAX;
}

static bool begin_call(struct flm_callgrind *r, const char *at, const char *end)
{
    at = flm_callgrind_skip_blanks(at, end);
    enum flm_callgrind_number kind = flm_callgrind_number(&at, end, &r->call_count);
    if (kind == FLM_CALLGRIND_NUMBER_LARGE)
        return refuse_large(r, "the number of calls");
    if (kind == FLM_CALLGRIND_NUMBER_NONE) {
        flm_callgrind_lose(r, "malformed lines");
        r->call_count = 0;
    }
    r->is_call = true;
    return true;
}

bool flm_callgrind_read_assignment(struct flm_callgrind *r, struct flm_bytes key, const char *at,
                                   const char *end)
{
    uint32_t ignored;
    if (flm_bytes_are(key, "fn"))
        return enter_function(r, at, end);
    if (key.size == 2 && key.at[0] == 'f') /* fl, fi, fe */
        return read_name(r, FLM_CALLGRIND_FILE, at, end, &r->file);
    if (flm_bytes_are(key, "cfn"))
        return name_callee(r, at, end);
    if (flm_bytes_are(key, "calls") || flm_bytes_are(key, "rcalls"))
        return begin_call(r, at, end);
    if (flm_bytes_are(key, "cfi") || flm_bytes_are(key, "cfl")) {
        r->has_called_file = true;
        return read_name(r, FLM_CALLGRIND_FILE, at, end, &r->called_file);
    }
    if (flm_bytes_are(key, "cob")) {
        r->has_called_object = true;
        return read_name(r, FLM_CALLGRIND_OBJECT, at, end, &r->called_object);
    }
    if (flm_bytes_are(key, "ob"))
        return read_name(r, FLM_CALLGRIND_OBJECT, at, end, &r->object);
    if (flm_bytes_are(key, "jump") || flm_bytes_are(key, "jcnd")) {
        r->is_jump = true;
        return true;
    }
    if (flm_bytes_are(key, "jfi"))
        return read_name(r, FLM_CALLGRIND_FILE, at, end, &ignored);
    if (flm_bytes_are(key, "jfn"))
        return read_name(r, FLM_CALLGRIND_FUNCTION, at, end, &ignored);
    if (flm_bytes_are(key, "job"))
        return read_name(r, FLM_CALLGRIND_OBJECT, at, end, &ignored);
    flm_callgrind_lose(r, "malformed lines");
    return true;
}
