#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void write_head(FILE *to, const struct table *t, const char *const *columns)
{
    fprintf(to, "alpha %g %%, %u permutations, seed %llu\n\n| | sets |", 100 * t->settings->alpha,
            t->settings->permutations, (unsigned long long)t->settings->seed);
    for (uint32_t i = 0; i < t->columns; i++)
        fprintf(to, " %s |", columns[i]);
    fprintf(to, " CPU s | |\n|---|---|");
    for (uint32_t i = 0; i < t->columns; i++)
        fprintf(to, "---|");
    fprintf(to, "---|---|\n");
    fflush(to);
}

static FILE *open_rows(const struct settings *s, const char *part)
{
    char path[500];
    if (!s->rows)
        return NULL;
    snprintf(path, sizeof path, "%s/%s.md", s->rows, part);
    FILE *file = fopen(path, "a+");
    if (!file)
        stop("the file of the rows cannot be written");
    return file;
}

struct table table_open(const struct settings *s, const char *part, const char *const *columns)
{
    struct table t = {.settings = s, .part = part, .file = open_rows(s, part)};
    while (t.columns < TABLE_COLUMNS && columns[t.columns])
        t.columns++;
    printf("%s: ", part);
    write_head(stdout, &t, columns);
    if (t.file && fseek(t.file, 0, SEEK_END) == 0 && ftell(t.file) == 0)
        write_head(t.file, &t, columns);
    return t;
}

void table_close(struct table *table)
{
    if (table->file)
        fclose(table->file);
    printf("\n");
}

static bool is_written(const struct table *t)
{
    char line[1000];
    size_t size = strlen(t->name);
    if (!t->file)
        return false;
    rewind(t->file);
    while (fgets(line, sizeof line, t->file))
        if (strncmp(line, "| ", 2) == 0 && strncmp(line + 2, t->name, size) == 0 &&
            strncmp(line + 2 + size, " |", 2) == 0)
            return true;
    return false;
}

bool table_begins(struct table *table, const char *name)
{
    snprintf(table->name, sizeof table->name, "%s", name);
    table->cpu_s = cpu_seconds();
    return !is_written(table);
}

static void write_row(FILE *to, const struct table *t, const struct share *share,
                      const char *remark, double cpu_s)
{
    fprintf(to, "| %s | %u |", t->name, t->settings->data_sets);
    for (uint32_t i = 0; i < t->columns; i++) {
        struct share s = share[i];
        if (isnan(s.mean))
            fprintf(to, " - |");
        else
            fprintf(to, " %.1f (%.1f to %.1f) |", 100 * s.mean, 100 * s.low, 100 * s.high);
    }
    fprintf(to, " %.0f | %s |\n", cpu_s, remark);
    fflush(to);
}

void table_row(struct table *table, const struct share *share, const char *remark)
{
    double cpu_s = cpu_seconds() - table->cpu_s;
    write_row(stdout, table, share, remark, cpu_s);
    if (table->file)
        write_row(table->file, table, share, remark, cpu_s);
}
