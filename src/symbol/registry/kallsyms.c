#include "symbol/registry/kallsyms.h"

#include "base/core/scan.h"
#include "base/number/number.h"

struct line {
    uint64_t address;
    char type;
    struct flm_bytes name, module; /* module "": the kernel itself */
};

/* There are 200,000 lines: bytes one by one took a tenth of the time. */
static struct flm_bytes take_word(struct flm_bytes *rest)
{
    const char *start = rest->at, *end = rest->at + rest->size;
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    const char *stop = flm_find_either(start, end, ' ', '\t');
    *rest = (struct flm_bytes){stop, (size_t)(end - stop)};
    return (struct flm_bytes){start, (size_t)(stop - start)};
}

/* The next well-formed line. */
static bool next_line(struct flm_bytes *list, struct line *line)
{
    while (list->size > 0) {
        const char *end = memchr(list->at, '\n', list->size);
        size_t size = end ? (size_t)(end - list->at) : list->size;
        struct flm_bytes rest = {list->at, size};
        *list =
            (struct flm_bytes){list->at + size + (end != NULL), list->size - size - (end != NULL)};
        struct flm_bytes address = take_word(&rest), type = take_word(&rest);
        line->name = take_word(&rest);
        line->module = take_word(&rest);
        if (line->module.size >= 2 && line->module.at[0] == '[')
            line->module = (struct flm_bytes){line->module.at + 1, line->module.size - 2};
        if (type.size != 1 || line->name.size == 0 ||
            !flm_number_parse_hex(address, &line->address))
            continue;
        line->type = type.at[0];
        return true;
    }
    return false;
}

struct flm_kernel_counts flm_kernel_add_functions(struct flm_bytes list, struct flm_bytes module,
                                                  uint64_t base, struct flm_code_maker *maker)
{
    struct flm_kernel_counts counts = {0};
    struct line line;
    uint64_t low = UINT64_MAX, high = 0;
    while (next_line(&list, &line)) {
        if (!flm_is_one_of(line.type, "tTwW") || !flm_bytes_equal(line.module, module))
            continue;
        if (line.address == 0) {
            counts.hidden++;
            continue;
        }
        /* A mapping symbol of arm64, which names no function. */
        if (line.address < base || line.name.at[0] == '$')
            continue;
        unsigned traits = FLM_SYMBOL_TYPED | (line.type != 't' ? FLM_SYMBOL_VISIBLE : 0) |
                          (flm_is_one_of(line.type, "tT") ? FLM_SYMBOL_STRONG : 0);
        uint64_t address = line.address - base;
        flm_code_maker_symbol(maker, address, 0, flm_code_maker_text(maker, line.name), traits);
        low = address < low ? address : low;
        high = address > high ? address : high;
        counts.functions++;
    }
    /* The size of the last function is unknown: it ends with its page. */
    if (counts.functions)
        flm_code_maker_section(maker, low, (high | 4095) + 1);
    return counts;
}

bool flm_kernel_find(struct flm_bytes list, const char *name, uint64_t *address)
{
    struct line line;
    while (next_line(&list, &line))
        if (line.address && line.module.size == 0 && flm_bytes_are(line.name, name)) {
            *address = line.address;
            return true;
        }
    return false;
}
