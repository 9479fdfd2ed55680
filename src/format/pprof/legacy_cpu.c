/* legacy_cpu.c - gperftools' CPU profiles. */
#include "format/pprof/legacy.h"

#include <stdlib.h>

static uint64_t word_at(struct flm_legacy_words words, const char *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < words.size; i++) {
        unsigned byte = words.big_endian ? words.size - 1 - i : i;
        value |= (uint64_t)(unsigned char)at[byte] << (8 * i);
    }
    return value;
}

struct flm_legacy_words flm_legacy_words(struct flm_bytes head)
{
    for (unsigned i = 0; i < 4; i++) {
        struct flm_legacy_words words = {i < 2 ? 4 : 8, i % 2, false};
        uint64_t word[5];
        if (head.size < 5 * (size_t)words.size)
            continue;
        for (unsigned k = 0; k < 5; k++)
            word[k] = word_at(words, head.at + k * words.size);
        words.is_java = word[2] == 1;
        if (word[0] == 0 && word[1] == 3 && word[2] <= 1 && word[3] > 0 && word[3] < 1 << 30 &&
            word[4] == 0)
            return words;
    }
    return (struct flm_legacy_words){0};
}

/* A frame that most samples have in second place is that of the handler of the signal. */
static void drop_handler(struct flm_legacy *l)
{
    size_t count = l->samples.count, votes = 0, found = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) { /* the one that more than half have, if there is one */
        const struct flm_legacy_sample *s = &l->samples.at[i];
        if (s->count < 2)
            continue;
        uint64_t address = l->addresses.at[s->first + 1];
        if (votes == 0)
            most = address;
        votes = address == most ? votes + 1 : votes - 1;
    }
    for (size_t i = 0; i < count; i++) {
        const struct flm_legacy_sample *s = &l->samples.at[i];
        found += s->count > 1 && l->addresses.at[s->first + 1] == most;
    }
    if (count == 0 || found < count - count / 32)
        return;
    for (size_t i = 0; i < count; i++) {
        struct flm_legacy_sample *s = &l->samples.at[i];
        if (s->count < 2)
            continue;
        uint64_t *address = l->addresses.at + s->first;
        if (address[1] != most)
            continue;
        memmove(address + 1, address + 2, (s->count - 2) * sizeof *address);
        s->count--;
    }
}

/* The leaf, from the stack and from the signal: the former was moved by -1. */
static void drop_second_leaf(struct flm_legacy *l)
{
    for (size_t i = 0; i < l->samples.count; i++) {
        struct flm_legacy_sample *s = &l->samples.at[i];
        if (s->count < 2)
            continue;
        uint64_t *address = l->addresses.at + s->first;
        if (address[0] != address[1] + 1)
            continue;
        memmove(address + 1, address + 2, (s->count - 2) * sizeof *address);
        s->count--;
    }
}

bool flm_legacy_read_cpu(struct flm_legacy *l, struct flm_legacy_words words, struct flm_error *why)
{
    static const char *const types[][2] = {{"samples", "count"}, {"cpu", "ns"}};
    static const char *const heap[][2] = {{"space", "bytes"}};
    size_t at = 5 * (size_t)words.size;
    double period = (double)word_at(words, l->all.at + 3 * words.size) * 1000;
    bool ended = false;
    /* --raw writes 1 as the period and no end, and pprof has corrected the stacks already. */
    bool is_raw = l->has_symbols && period == 1000;
    l->is_java = words.is_java;
    flm_legacy_metrics(l, is_raw && l->is_heap ? heap : types, is_raw ? 1 : 2);
    if (!is_raw)
        flm_legacy_period(l, (int64_t)period, "cpu", "ns");
    while (!ended && !l->failed && l->all.size - at >= 2 * (size_t)words.size) {
        uint64_t count = word_at(words, l->all.at + at);
        uint64_t depth = word_at(words, l->all.at + at + words.size);
        size_t start = at;
        at += 2 * (size_t)words.size;
        if (depth > (l->all.size - at) / words.size)
            return flm_error_byte(why, FLM_ERROR_FORMAT, start,
                                  "a stack has more addresses than follow (a file that was cut?)");
        struct flm_legacy_sample sample = {
            .first = l->addresses.count, .count = depth, .block = -1};
        for (uint64_t i = 0; i < depth && !l->failed; i++, at += words.size) {
            uint64_t address = word_at(words, l->all.at + at);
            l->failed =
                !FLM_ARRAY_ADD(&l->addresses, address - (i > 0 && !words.is_java && !is_raw));
        }
        if (l->failed)
            break;
        ended = count == 0 && depth == 1 && l->addresses.at[sample.first] == 0;
        sample.value[0] = (double)count;
        sample.value[1] = (double)count * period;
        if (!ended)
            l->failed = !FLM_ARRAY_ADD(&l->samples, sample);
    }
    if (!ended && !l->failed && !(is_raw && at == l->all.size))
        flm_builder_lost(l->builder, "ends of profiles that were cut off", "byte", at, 1);
    struct flm_bytes rest = flm_bytes_from(l->all, at);
    if (words.is_java) {
        flm_legacy_names(l, rest);
        return true;
    }
    for (int i = 0; i < 2 && !l->failed && !is_raw; i++)
        drop_handler(l);
    if (!is_raw)
        drop_second_leaf(l);
    flm_legacy_maps(l, rest);
    return true;
}
