/* What a program has measured, a line for each node and each meter, for tests: dump FILE.
 *
 *     node KIND.OPERATION NAME CALLS TIMED AMOUNT ERRORS PATH
 *     meter KIND.OPERATION NAME QUANTITY COUNT TOTAL LEAST GREATEST
 *
 * The same ones of several threads are added. Without a name it is "@" and where it is, as the
 * number of the address in the order in which they come. */
#include <flamel/probe_format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };
static unsigned char *all;
static long size;
static const struct flm_probe_header *header;

static const void *at(uint64_t offset)
{
    if ((long)offset >= size)
        exit(3);
    return all + offset;
}

static const struct flm_probe_site *site_of(uint32_t number)
{
    uint32_t part = 0, first = 0, count = FLM_PROBE_FIRST_SITES;
    while (number - first >= count) {
        first += count;
        count = part++ == 0 ? count : count * 2;
    }
    return (const struct flm_probe_site *)at(header->site_part[part] * 64ull) + (number - first);
}

static int number_of(uint64_t address)
{
    static uint64_t known[4096];
    static int count;
    for (int i = 0; i < count; i++)
        if (known[i] == address)
            return i + 1;
    known[count++] = address;
    return count;
}

static void name_of(uint32_t number, char *to, size_t room)
{
    const struct flm_probe_site *site = site_of(number);
    if (number == 0)
        snprintf(to, room, "0.0 root");
    else if (site->name_size > 0)
        snprintf(to, room, "%d.%d %.*s", site->kind, site->operation, (int)site->name_size,
                 (const char *)at(site->name));
    else if (site->function_size > 0)
        snprintf(to, room, "%d.%d %.*s", site->kind, site->operation, (int)site->function_size,
                 (const char *)at(site->function));
    else
        snprintf(to, room, "%d.%d @%d", site->kind, site->operation, number_of(site->address));
    for (char *blank = strchr(to, ' ') + 1; *blank; blank++)
        if (*blank == ' ')
            *blank = '_';
}

static struct row {
    char text[1400];
    uint64_t number[4];
    int is_meter;
} * rows;
static int row_count;

static struct row *row_of(const char *text)
{
    for (int i = 0; i < row_count; i++)
        if (strcmp(rows[i].text, text) == 0)
            return &rows[i];
    if (row_count == MOST)
        exit(4);
    snprintf(rows[row_count].text, sizeof rows->text, "%s", text);
    return &rows[row_count++];
}

static void add_node(const struct flm_probe_node *node)
{
    char name[300], path[1000] = "", longer[1300], text[1400];
    if (node->site == 0)
        return;
    for (uint32_t place = node->parent; place > 0;) {
        const struct flm_probe_node *above = at(place * 64ull);
        name_of(above->site, name, sizeof name);
        snprintf(longer, sizeof longer, "%s%s%s", strchr(name, ' ') + 1, *path ? ";" : "", path);
        if (strlen(longer) >= sizeof path)
            exit(4);
        strcpy(path, longer);
        place = above->parent;
    }
    name_of(node->site, name, sizeof name);
    snprintf(text, sizeof text, "node %s|%s", name, path);
    struct row *row = row_of(text);
    row->number[0] += node->calls;
    row->number[1] += node->timed;
    row->number[2] += node->value[FLM_PROBE_AMOUNT];
    row->number[3] += node->value[FLM_PROBE_ERRORS];
}

static void add_meter(const struct flm_probe_meter *in_file)
{
    struct flm_probe_meter whole = *in_file, *meter = &whole;
    flm_probe_meter_complete(meter);
    if (meter->count == 0)
        return;
    char name[300], text[400];
    name_of(meter->site, name, sizeof name);
    snprintf(text, sizeof text, "meter %s %u", name, meter->quantity);
    struct row *row = row_of(text);
    if (!row->is_meter || meter->least < row->number[2])
        row->number[2] = meter->least;
    row->is_meter = 1;
    row->number[0] += meter->count;
    row->number[1] += meter->total;
    if (meter->greatest > row->number[3])
        row->number[3] = meter->greatest;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 1;
    size = ftell(file);
    rewind(file);
    all = malloc((size_t)size);
    rows = calloc(MOST, sizeof *rows);
    if (!all || !rows || fread(all, 1, (size_t)size, file) != (size_t)size)
        return 2;
    header = (const struct flm_probe_header *)all;
    for (uint32_t place = header->first_thread; place > 0;) {
        const struct flm_probe_thread *thread = at(place * 64ull);
        for (uint32_t in = thread->first_part; in > 0;) {
            const struct flm_probe_part *part = at(in * 64ull);
            for (uint32_t i = 0; i < part->count; i++)
                add_node(at((in + (uint64_t)FLM_PROBE_NODE_UNITS * (1 + i)) * 64));
            in = part->next;
        }
        for (uint32_t in = thread->first_meter; in > 0;) {
            const struct flm_probe_meter *meter = at(in * 64ull);
            add_meter(meter);
            in = meter->next;
        }
        place = thread->next;
    }
    for (int i = 0; i < row_count; i++) {
        char *path = strchr(rows[i].text, '|');
        printf("%.*s", path ? (int)(path - rows[i].text) : (int)strlen(rows[i].text), rows[i].text);
        for (int n = 0; n < 4; n++)
            printf(" %llu", (unsigned long long)rows[i].number[n]);
        printf("%s%s\n", path ? " " : "", path ? path + 1 : "");
    }
    return 0;
}
