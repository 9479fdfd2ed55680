/* values.c - says what a file of flamel-probe has, for the tests of what it has: values FILE.
 *
 *     node PATH calls allocated allocations freed frees rounded live amount
 *     stack PATH samples bytes allocations live_bytes live_allocations FRAME;FRAME ...
 *     mapping START END OFFSET PATH BUILD-ID
 *     signal NUMBER STATE RATE REASON */
#include <flamel/probe_format.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned char *file;
static size_t file_size;

static void *at(uint32_t place)
{
    return file + (size_t)place * FLM_PROBE_UNIT;
}

static const struct flm_probe_header *header(void)
{
    return (const struct flm_probe_header *)(const void *)file;
}

static const struct flm_probe_site *site(uint32_t number)
{
    uint32_t part = 0, first = 0, size = FLM_PROBE_FIRST_SITES;
    while (number - first >= size) {
        first += size;
        size = part++ == 0 ? size : size * 2;
    }
    return (const struct flm_probe_site *)at(header()->site_part[part]) + (number - first);
}

static void print_path(uint32_t place)
{
    const struct flm_probe_node *node = at(place);
    if (place == 0 || node->site == 0) {
        printf("-");
        return;
    }
    print_path(node->parent);
    const struct flm_probe_site *its = site(node->site);
    if (its->name > 0)
        printf(";%.*s", (int)its->name_size, (char *)file + its->name);
    else
        printf(";%.*s", (int)its->function_size, (char *)file + its->function);
}

static void print_node(uint32_t place)
{
    const struct flm_probe_node *node = at(place);
    const uint64_t *value = node->value;
    printf("node ");
    print_path(place);
    printf(" %llu", (unsigned long long)node->calls);
    for (int i = FLM_PROBE_ALLOCATED; i <= FLM_PROBE_FREES; i++)
        printf(" %llu", (unsigned long long)value[i]);
    printf(" %llu %lld %llu\n", (unsigned long long)node->rounded, (long long)value[FLM_PROBE_LIVE],
           (unsigned long long)value[FLM_PROBE_AMOUNT]);
}

static void print_stack(const struct flm_probe_stack *stack)
{
    printf("stack ");
    print_path(stack->node);
    printf(" %llu %llu %.3f %lld %.3f ", (unsigned long long)stack->samples,
           (unsigned long long)stack->bytes, (double)stack->allocations / FLM_PROBE_ALLOCATION_ONE,
           (long long)stack->live_bytes,
           (double)stack->live_allocations / FLM_PROBE_ALLOCATION_ONE);
    for (uint32_t i = 0; i < stack->count; i++)
        printf("%s%llx", i > 0 ? ";" : "", (unsigned long long)stack->frame[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!in)
        return 1;
    fseek(in, 0, SEEK_END);
    file_size = (size_t)ftell(in);
    rewind(in);
    file = malloc(file_size);
    if (!file || fread(file, 1, file_size, in) != file_size)
        return 1;
    fclose(in);
    for (int i = 0; i < FLM_PROBE_SIGNALS; i++) {
        const struct flm_probe_activity *activity = &header()->activity[i];
        if (activity->state != FLM_PROBE_NOT_ASKED)
            printf("signal %d %u %llu %.*s\n", i, activity->state,
                   (unsigned long long)activity->rate, (int)activity->reason_size,
                   (char *)file + activity->reason);
    }
    for (uint32_t place = header()->first_thread; place > 0;) {
        const struct flm_probe_thread *thread = at(place);
        for (uint32_t part = thread->first_part; part > 0;) {
            const struct flm_probe_part *head = at(part);
            for (uint32_t i = 0; i < head->count; i++)
                print_node(part + FLM_PROBE_NODE_UNITS * (1 + i));
            part = head->next;
        }
        place = thread->next;
    }
    for (uint32_t place = header()->first_stack; place > 0;) {
        const struct flm_probe_stack *stack = at(place);
        print_stack(stack);
        place = stack->next;
    }
    for (uint32_t place = header()->first_mapping; place > 0;) {
        const struct flm_probe_mapping *mapping = at(place);
        printf("mapping %llx %llx %llx %.*s ", (unsigned long long)mapping->start,
               (unsigned long long)mapping->end, (unsigned long long)mapping->offset,
               (int)mapping->path_size, (char *)file + mapping->path);
        for (uint32_t i = 0; i < mapping->build_id_size; i++)
            printf("%02x", mapping->build_id[i]);
        printf("\n");
        place = mapping->next;
    }
    free(file);
    return 0;
}
