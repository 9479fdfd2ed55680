/* figures.c - what the file of a program that measures itself has, a line each, threads added up:
 *
 *     node main;read 12 calls 3000 ns 4096 allocated 1 allocations ...      values that are not 0
 *     meter read DURATION 12 count 3000 sum 100 least 500 greatest 400 last
 *
 * figures FILE */
#include <flamel/probe_format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const values[] = {"allocated", "allocations", "freed",  "frees",
                                     "cpu",       "live",        "amount", "errors"};
static const char *const quantities[] = {"DURATION", "BYTES",  "COUNT", "HELD",  "SUSPENDED",
                                         "WHOLE",    "LENGTH", "DELAY", "LEVEL", "NAMES",
                                         "CONNECT",  "SECURE", "FIRST"};
static unsigned char *file;
static const struct flm_probe_header *header;

struct row {
    char path[4096];
    uint64_t calls, total, value[FLM_PROBE_VALUES];
};
static struct row *rows;
static size_t row_count;

struct total {
    uint32_t site, quantity;
    uint64_t count, sum, least, greatest, last, last_ticks, buckets;
};
static struct total *totals;
static size_t total_count;

static const void *at(uint32_t place)
{
    return file + (size_t)place * FLM_PROBE_UNIT;
}

static const struct flm_probe_site *site_of(uint32_t number)
{
    uint32_t part = 0, first = 0, size = FLM_PROBE_FIRST_SITES;
    while (number - first >= size) {
        first += size;
        size = part++ == 0 ? size : size * 2;
    }
    return (const struct flm_probe_site *)at(header->site_part[part]) + (number - first);
}

static void add_name(char *to, uint32_t number)
{
    const struct flm_probe_site *site = site_of(number);
    uint64_t text = site->name_size > 0 ? site->name : site->function;
    uint32_t size = site->name_size > 0 ? site->name_size : site->function_size;
    sprintf(to + strlen(to), "%.*s", (int)size, (const char *)file + text);
    if (site->operation == FLM_PROBE_QUEUE_SEND || site->operation == FLM_PROBE_QUEUE_RECEIVE)
        strcat(to, site->operation == FLM_PROBE_QUEUE_SEND ? "<-" : "->");
}

static void add_path(char *to, uint32_t place)
{
    const struct flm_probe_node *node = at(place);
    if (node->site == 0)
        return;
    add_path(to, node->parent);
    if (*to)
        strcat(to, ";");
    add_name(to, node->site);
}

static void add_node(uint32_t place)
{
    char path[4096] = "";
    const struct flm_probe_node *node = at(place);
    add_path(path, place);
    struct row *row = rows;
    while (row < rows + row_count && strcmp(row->path, path) != 0)
        row++;
    if (row == rows + row_count) {
        rows = realloc(rows, ++row_count * sizeof *rows);
        row = &rows[row_count - 1];
        memset(row, 0, sizeof *row);
        strcpy(row->path, path);
    }
    row->calls += node->calls;
    row->total += node->total;
    for (int i = 0; i < FLM_PROBE_VALUES; i++)
        row->value[i] += node->value[i];
}

static void add_meter(const struct flm_probe_meter *in_file)
{
    struct flm_probe_meter whole = *in_file, *meter = &whole;
    flm_probe_meter_complete(meter);
    uint32_t site = meter->site, quantity = meter->quantity;
    if (meter->count == 0)
        return;
    struct total *total = totals;
    while (total < totals + total_count && (total->site != site || total->quantity != quantity))
        total++;
    if (total == totals + total_count) {
        totals = realloc(totals, ++total_count * sizeof *totals);
        total = &totals[total_count - 1];
        memset(total, 0, sizeof *total);
        total->site = site;
        total->quantity = quantity;
    }
    int is_level = quantity == FLM_PROBE_LEVEL;
    uint64_t least = meter->least, greatest = meter->greatest;
    if (total->count == 0 ||
        (is_level ? (int64_t)least < (int64_t)total->least : least < total->least))
        total->least = least;
    if (total->count == 0 ||
        (is_level ? (int64_t)greatest > (int64_t)total->greatest : greatest > total->greatest))
        total->greatest = greatest;
    if (meter->last_ticks >= total->last_ticks) {
        total->last = meter->last;
        total->last_ticks = meter->last_ticks;
    }
    total->count += meter->count;
    total->sum += meter->total;
    for (int i = 0; i < FLM_PROBE_BUCKETS; i++)
        total->buckets += meter->bucket[i];
}

static double scaled(uint64_t value, uint32_t quantity)
{
    switch (quantity) {
    case FLM_PROBE_LEVEL:
        return (double)(int64_t)value / FLM_PROBE_LEVEL_ONE;
    case FLM_PROBE_BYTES:
    case FLM_PROBE_COUNT:
    case FLM_PROBE_LENGTH:
        return (double)value;
    default:
        return (double)value * (double)header->ns_per_tick / 4294967296.0;
    }
}

static void print_history(const struct flm_probe_meter *meter)
{
    char name[4096] = "";
    if (meter->history == 0)
        return;
    const struct flm_probe_history *history = at(meter->history);
    add_name(name, meter->site);
    printf("history %s %lu", name, (unsigned long)history->count);
    for (uint64_t n = history->count < 3 ? 0 : history->count - 3; n < history->count; n++)
        printf(" %.10g", scaled(history->at[n % FLM_PROBE_HISTORY].value, meter->quantity));
    for (uint64_t n = 1; n < history->count && n < FLM_PROBE_HISTORY; n++)
        if (history->at[(history->count - n) % FLM_PROBE_HISTORY].ticks <
            history->at[(history->count - n - 1) % FLM_PROBE_HISTORY].ticks)
            printf(" wrong: times go back");
    printf("\n");
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!in || fseek(in, 0, SEEK_END) != 0)
        return 1;
    size_t size = (size_t)ftell(in);
    rewind(in);
    if (!(file = malloc(size)) || fread(file, 1, size, in) != size)
        return 1;
    header = (const void *)file;
    uint64_t lost = 0, left = 0;
    for (uint32_t place = header->first_thread; place > 0;) {
        const struct flm_probe_thread *thread = at(place);
        for (uint32_t p = thread->first_part; p > 0;
             p = ((const struct flm_probe_part *)at(p))->next)
            for (uint32_t i = 0; i < ((const struct flm_probe_part *)at(p))->count; i++)
                add_node(p + FLM_PROBE_NODE_UNITS * (1 + i));
        for (uint32_t m = thread->first_meter; m > 0;) {
            const struct flm_probe_meter *meter = at(m);
            add_meter(meter);
            print_history(meter);
            m = meter->next;
        }
        lost += thread->lost_depth + thread->lost_room + thread->lost_values;
        left += thread->left;
        place = thread->next;
    }
    for (size_t i = 0; i < row_count; i++) {
        if (!*rows[i].path)
            continue;
        printf("node %s %lu calls %.0f ns", rows[i].path, (unsigned long)rows[i].calls,
               scaled(rows[i].total, FLM_PROBE_DURATION));
        for (int v = 0; v < FLM_PROBE_VALUES; v++)
            if (rows[i].value[v] > 0)
                printf(" %lu %s", (unsigned long)rows[i].value[v], values[v]);
        printf("\n");
    }
    for (size_t i = 0; i < total_count; i++) {
        char name[4096] = "";
        const struct total *t = &totals[i];
        add_name(name, t->site);
        printf("meter %s %s %lu count %.10g sum %.10g least %.10g greatest %.10g last\n", name,
               quantities[t->quantity], (unsigned long)t->count,
               t->quantity == FLM_PROBE_LEVEL ? (double)(int64_t)t->sum / FLM_PROBE_LEVEL_ONE
                                              : scaled(t->sum, t->quantity),
               scaled(t->least, t->quantity), scaled(t->greatest, t->quantity),
               scaled(t->last, t->quantity));
        if (t->buckets != t->count)
            printf("wrong: %lu in buckets of %lu\n", (unsigned long)t->buckets,
                   (unsigned long)t->count);
    }
    printf("lost %lu\nleft %lu\n", (unsigned long)lost, (unsigned long)left);
    return 0;
}
