/* legacy_go.c - the names that Go writes as comments behind each stack of ?debug=1.
 *
 *     5 @ 0x4378b6 0x40619b 0x4b455b 0x4614c1
 *     # labels: {"request":"7"}
 *     #	0x4b455a	main.waiter+0x1a	/a.go:35
 *
 * A comment has the address of the call, one less than that of the return. Frames of the runtime
 * at the leaf have none, nor has runtime.goexit, the root of each goroutine, which Go leaves out of
 * its profiles; of heaps (?debug=0) it leaves out those at the leaf as well, and so do we. What is
 * behind the + is the distance from the entry of the function in the program: an inlined one, and
 * the one that contains it, have the same. Older versions of Go have several comments of one
 * address there, the innermost first; a function that calls itself has one for each address. */
#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/pprof/legacy.h"

static void skip_blanks(struct flm_bytes *text)
{
    while (text->size > 0 && flm_is_one_of(*text->at, " \t"))
        *text = flm_bytes_from(*text, 1);
}

static bool is_known(const struct flm_legacy *l, uint64_t address, uint32_t hash)
{
    struct flm_probe at = flm_index_probe(&l->named, hash);
    while (flm_index_next(&l->named, &at))
        if (l->names.at[at.found].address == address)
            return true;
    return false;
}

/* "0x4b455a	main.waiter+0x1a	/srv/main.go:35"; the function is empty where Go knows none. */
static bool parse_name(struct flm_bytes line, struct flm_legacy_name *name)
{
    size_t size = 2;
    uint64_t number;
    if (!flm_bytes_start_with(line, "0x"))
        return false;
    while (size < line.size && flm_hex_value(line.at[size]) >= 0)
        size++;
    if (!flm_number_parse_hex((struct flm_bytes){line.at + 2, size - 2}, &name->address))
        return false;
    line = flm_bytes_from(line, size);
    skip_blanks(&line);
    for (size = 0; size < line.size && line.at[size] != '\t';)
        size++;
    name->function = (struct flm_bytes){line.at, size};
    line = flm_bytes_from(line, size);
    skip_blanks(&line);
    for (size = name->function.size; size > 1; size--) {
        if (name->function.at[size - 1] == '+') {
            struct flm_bytes offset = flm_bytes_from(name->function, size);
            name->function.size = size - 1;
            if (flm_bytes_start_with(offset, "0x") &&
                flm_number_parse_hex(flm_bytes_from(offset, 2), &number) && number < name->address)
                name->entry = name->address - number;
            break;
        }
    }
    for (size = line.size; size > 1 && line.at[size - 1] != ':';)
        size--;
    if (size > 1 && flm_number_parse_uint(flm_bytes_from(line, size), &number)) {
        name->line = number <= INT32_MAX ? (uint32_t)number : 0;
        name->file = (struct flm_bytes){line.at, size - 1};
    }
    return true;
}

void flm_legacy_go_names(struct flm_legacy *l, struct flm_bytes *text,
                         const struct flm_legacy_sample *sample)
{
    const uint64_t *address = sample->count > 0 ? l->addresses.at + sample->first : NULL;
    size_t at = 0; /* behind the address that was named last */
    bool is_new = false;
    struct flm_bytes line, rest = *text;
    for (; !l->failed && flm_legacy_line(&rest, &line) && flm_bytes_start_with(line, "#");
         *text = rest) {
        struct flm_legacy_name name = {0};
        line = flm_bytes_from(line, 1);
        skip_blanks(&line);
        if (flm_bytes_start_with(line, "labels: "))
            flm_builder_lost(l->builder, "labels of goroutines", "", 0, 1);
        if (!parse_name(line, &name) || name.function.size == 0)
            continue;
        uint32_t hash = flm_hash_numbers(name.address, 0);
        bool goes_on = at > 0 && address[at - 1] == name.address;
        if (!goes_on || (at < sample->count && address[at] == name.address)) {
            while (at < sample->count && address[at] != name.address)
                at++;
            if (at == sample->count)
                return; /* it is not of this stack */
            at++;
            is_new = !is_known(l, name.address, hash);
            if (is_new && !flm_index_add(&l->named, hash, (uint32_t)l->names.count))
                l->failed = true;
        }
        l->has_go_names = true;
        if (is_new && !FLM_ARRAY_ADD(&l->names, name))
            l->failed = true;
    }
}
