#include "viewer/model/transforms.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/expression/expression.h"
#include "base/core/array.h"
#include "flamel/algebra.h"

/* ---- Lists ----------------------------------------------------------------------------------- */

static void free_list(struct flm_operation *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].text);
        free(list[i].removed);
    }
    free(list);
}

static char *copy_text(struct flm_bytes text)
{
    char *copy = malloc(text.size + 1);
    if (copy) {
        memcpy(copy, text.at, text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

/* A list that is being made from another one. */
struct list FLM_ARRAY(struct flm_operation);

static bool list_add(struct list *list, struct flm_bytes text, bool on)
{
    char *copy = FLM_ARRAY_RESERVE(list, 1) ? copy_text(text) : NULL;
    if (!copy)
        return false;
    list->at[list->count++] = (struct flm_operation){.text = copy, .on = on};
    return true;
}

/* Each operation of an expression as an item of its own. '!' in front of one: off. */
static bool list_add_all(struct list *list, struct flm_bytes text, struct flm_error *why)
{
    while (text.size > 0) {
        text = flm_bytes_trimmed(text);
        bool on = text.size == 0 || text.at[0] != '!';
        text = flm_bytes_from(text, !on);
        size_t size = flm_expression_first(text);
        struct flm_bytes one = flm_bytes_trimmed((struct flm_bytes){text.at, size});
        if (one.size > 0 && !list_add(list, one, on))
            return flm_error_memory(why);
        size += size < text.size; /* the '|' */
        text = (struct flm_bytes){text.at + size, text.size - size};
    }
    return true;
}

static bool list_copy(struct list *list, const struct flm_operations *operations, size_t from,
                      size_t to, struct flm_error *why)
{
    for (size_t i = from; i < to; i++)
        if (!list_add(list, flm_bytes_of(operations->at[i].text), operations->at[i].on))
            return flm_error_memory(why);
    return true;
}

/* ---- Carrying them out ----------------------------------------------------------------------- */

/* The profile that is looked at, and the one that it is compared with, or NULL. */
enum { AFTER, BEFORE, SIDES };
struct sides {
    const struct flm_profile *opened[SIDES];
    struct flm_profile *result[SIDES]; /* NULL: nothing was done yet */
};

static void sides_clear(struct sides *sides)
{
    for (int i = 0; i < SIDES; i++)
        flm_profile_free(sides->result[i]);
}

static const struct flm_profile *side_now(const struct sides *sides, int side)
{
    return sides->result[side] ? sides->result[side] : sides->opened[side];
}

static double size_of(const struct flm_profile *p, uint32_t metric)
{
    const double *self = flm_self_column(p, metric);
    double size = 0;
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        size += fabs(self[i]);
    return size;
}

/* What the operation took away, of the side that is looked at. */
static bool measure(struct flm_operation *operation, const struct flm_profile *before,
                    const struct flm_profile *after, struct flm_error *why)
{
    uint32_t count = before->sizes.metric_count;
    free(operation->removed);
    operation->removed = NULL;
    operation->metric_count = count;
    operation->removed_frames = before->sizes.frame_count > after->sizes.frame_count
                                    ? before->sizes.frame_count - after->sizes.frame_count
                                    : 0;
    /* Of a collapsed recursion no frame goes: stacks become shorter. */
    operation->removed_levels = 0;
    if (flm_bytes_start_with(flm_bytes_of(operation->text), "collapse")) {
        uint32_t levels, left;
        if (!flm_profile_depth(before, &levels, why) || !flm_profile_depth(after, &left, why))
            return false;
        operation->removed_levels = levels > left ? levels - left : 0;
        operation->removed_frames = 0;
    }
    if (count != after->sizes.metric_count)
        return true;
    operation->removed = malloc((count + 1) * sizeof *operation->removed);
    if (!operation->removed)
        return flm_error_memory(why);
    for (uint32_t m = 0; m < count; m++)
        operation->removed[m] = size_of(before, m) - size_of(after, m);
    return true;
}

/* One more operation on each. What matches on one side has matched: the note is that of the side
 * that is looked at, where there is none on the other either. */
static bool apply_one(struct flm_operation *operation, bool must_match, struct sides *sides,
                      struct flm_error *why)
{
    struct flm_profile *next[SIDES] = {NULL, NULL};
    char other[sizeof operation->note] = "";
    bool good = true;
    for (int i = 0; good && i < SIDES; i++) {
        if (!sides->opened[i])
            continue;
        next[i] = flm_apply(side_now(sides, i), operation->text,
                            i == AFTER ? operation->note : other, why);
        good = next[i] != NULL;
    }
    if (good && next[BEFORE] && !other[0])
        operation->note[0] = '\0';
    if (good && must_match && operation->note[0])
        good = flm_error_set(why, FLM_ERROR_USAGE, "%s", operation->note);
    if (!good || !measure(operation, side_now(sides, AFTER), next[AFTER], why)) {
        flm_profile_free(next[AFTER]);
        flm_profile_free(next[BEFORE]);
        return false;
    }
    sides_clear(sides);
    memcpy(sides->result, next, sizeof next);
    return true;
}

/* Both as one in result[AFTER]. */
static bool align(struct sides *sides, struct flm_error *why)
{
    const struct flm_profile *now[SIDES];
    for (int i = 0; i < SIDES; i++)
        now[i] = side_now(sides, i);
    struct flm_profile *both = flm_comparison_align(now[BEFORE], now[AFTER], why);
    if (!both)
        return false;
    sides_clear(sides);
    sides->result[AFTER] = both;
    sides->result[BEFORE] = NULL;
    return true;
}

/* The error becomes the note of the operation, which is switched off. */
static void refuse(struct flm_operation *operation, const struct flm_error *error)
{
    struct flm_text note;
    operation->on = false;
    flm_text_init_fixed(&note, operation->note, sizeof operation->note - 1);
    flm_text_puts(&note, error->text);
    operation->note[note.size] = '\0';
}

/* A range of a list: the operations that are new, and must match something. */
struct fresh {
    size_t from, to;
};
static const struct fresh none_fresh = {0, 0};

/* Makes `list` the operations; frees it when that fails. With `lenient` an operation that cannot be
 * carried out is switched off instead. */
static bool become(struct flm_operations *operations, struct list *list, struct fresh fresh,
                   bool lenient, struct flm_error *why)
{
    struct sides sides = {.opened = {operations->opened, operations->before}};
    struct flm_error error = {0};
    bool good = true;
    for (size_t i = 0; good && operations->opened && i < list->count; i++) {
        list->at[i].note[0] = '\0';
        bool must_match = i >= fresh.from && i < fresh.to;
        if (!list->at[i].on || apply_one(&list->at[i], must_match, &sides, &error))
            continue;
        good = lenient && error.kind != FLM_ERROR_MEMORY;
        if (good)
            refuse(&list->at[i], &error);
    }
    if (good && operations->opened && operations->before)
        good = align(&sides, &error);
    if (!good) {
        sides_clear(&sides);
        free_list(list->at, list->count);
        if (why)
            *why = error;
        return false;
    }
    free_list(operations->at, operations->count);
    operations->at = list->at;
    operations->count = list->count;
    operations->capacity = list->capacity;
    flm_profile_free(operations->result);
    operations->result = sides.result[AFTER];
    return true;
}

struct flm_profile *flm_operations_side(const struct flm_operations *operations, bool before,
                                        struct flm_error *why)
{
    const struct flm_profile *from = before ? operations->before : operations->opened;
    if (!from) {
        flm_error_set(why, FLM_ERROR_USAGE, "nothing is compared");
        return NULL;
    }
    struct flm_profile *now = flm_profile_borrow(from, why);
    for (size_t i = 0; now && i < operations->count; i++) {
        char note[sizeof operations->at[i].note];
        if (!operations->at[i].on)
            continue;
        struct flm_profile *next = flm_apply(now, operations->at[i].text, note, why);
        flm_profile_free(now);
        now = next;
    }
    return now;
}

/* ---- Undoing --------------------------------------------------------------------------------- */

void flm_operations_write(const struct flm_operations *operations, struct flm_text *out)
{
    for (size_t i = 0; i < operations->count; i++) {
        flm_text_puts(out, i ? " | " : "");
        flm_text_puts(out, operations->at[i].on ? "" : "!");
        flm_text_puts(out, operations->at[i].text);
    }
}

/* Lists are kept one behind the other, the latest last, each with a NUL behind it: an operation may
 * have any other byte. Without memory for another everything is as it was. */
static bool remember(struct flm_text *lists, const struct flm_operations *operations)
{
    size_t before = lists->size;
    flm_operations_write(operations, lists);
    flm_text_putc(lists, '\0');
    if (!lists->failed)
        return true;
    lists->size = before;
    lists->failed = false; /* the next time there may be room */
    return false;
}

static struct flm_bytes last_list(const struct flm_text *lists)
{
    size_t end = lists->size - 1, start = end;
    while (start > 0 && lists->at[start - 1] != '\0')
        start--;
    return (struct flm_bytes){lists->at + start, end - start};
}

static bool last_is(const struct flm_text *lists, struct flm_bytes text)
{
    return lists->size > 0 && flm_bytes_equal(last_list(lists), text);
}

/* A change that can be undone. */
static bool change(struct flm_operations *operations, struct list *list, struct fresh fresh,
                   bool lenient, struct flm_error *why)
{
    size_t before = operations->undo.size;
    if (!remember(&operations->undo, operations)) {
        free_list(list->at, list->count);
        return flm_error_memory(why);
    }
    if (!become(operations, list, fresh, lenient, why)) {
        operations->undo.size = before;
        return false;
    }
    operations->redo.size = 0;
    return true;
}

static bool step(struct flm_operations *operations, struct flm_text *from, struct flm_text *to,
                 struct flm_error *why)
{
    struct list list = {0};
    struct flm_bytes last = last_list(from);
    size_t before = to->size;
    if (!list_add_all(&list, last, why)) {
        free_list(list.at, list.count);
        return false;
    }
    if (!remember(to, operations)) {
        free_list(list.at, list.count);
        return flm_error_memory(why);
    }
    if (!become(operations, &list, none_fresh, true, why)) {
        to->size = before;
        return false;
    }
    from->size = (size_t)(last.at - from->at);
    return true;
}

bool flm_operations_can_undo(const struct flm_operations *operations)
{
    return operations->undo.size > 0;
}

bool flm_operations_can_redo(const struct flm_operations *operations)
{
    return operations->redo.size > 0;
}

bool flm_operations_undo(struct flm_operations *operations, struct flm_error *why)
{
    if (!flm_operations_can_undo(operations))
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no transform to undo");
    return step(operations, &operations->undo, &operations->redo, why);
}

bool flm_operations_redo(struct flm_operations *operations, struct flm_error *why)
{
    if (!flm_operations_can_redo(operations))
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no transform to redo");
    return step(operations, &operations->redo, &operations->undo, why);
}

/* ---- Changes --------------------------------------------------------------------------------- */

void flm_operations_clear(struct flm_operations *operations)
{
    free_list(operations->at, operations->count);
    flm_profile_free(operations->result);
    flm_text_clear(&operations->undo);
    flm_text_clear(&operations->redo);
    *operations = (struct flm_operations){0};
}

const struct flm_profile *flm_operations_shown(const struct flm_operations *operations)
{
    return operations->result ? operations->result : operations->opened;
}

bool flm_operations_open(struct flm_operations *operations, const struct flm_profile *opened,
                         const struct flm_profile *before, struct flm_error *why)
{
    struct list list = {0};
    const struct flm_profile *earlier = operations->opened, *earlier_before = operations->before;
    operations->opened = opened;
    operations->before = before;
    if (list_copy(&list, operations, 0, operations->count, why)) {
        if (become(operations, &list, none_fresh, true, why))
            return true;
    } else {
        free_list(list.at, list.count);
    }
    operations->opened = earlier;
    operations->before = earlier_before;
    return false;
}

/* At the end: only the new operations are applied. */
static bool append(struct flm_operations *operations, struct list *list, struct flm_error *why)
{
    struct sides sides = {.opened = {flm_operations_shown(operations), NULL}};
    bool good = true;
    for (size_t i = operations->count; good && i < list->count; i++)
        if (list->at[i].on)
            good = apply_one(&list->at[i], true, &sides, why);
    size_t before = operations->undo.size;
    if (good && !remember(&operations->undo, operations))
        good = flm_error_memory(why);
    if (!good) {
        operations->undo.size = before;
        sides_clear(&sides);
        free_list(list->at, list->count);
        return false;
    }
    for (size_t i = 0; i < operations->count; i++) {
        struct flm_operation *from = &operations->at[i], *to = &list->at[i];
        memcpy(to->note, from->note, sizeof to->note);
        to->removed = from->removed;
        to->metric_count = from->metric_count;
        to->removed_frames = from->removed_frames;
        to->removed_levels = from->removed_levels;
        from->removed = NULL;
    }
    free_list(operations->at, operations->count);
    operations->at = list->at;
    operations->count = list->count;
    operations->capacity = list->capacity;
    operations->redo.size = 0;
    if (sides.result[AFTER]) {
        flm_profile_free(operations->result);
        operations->result = sides.result[AFTER];
    }
    return true;
}

bool flm_operations_add(struct flm_operations *operations, struct flm_bytes expression,
                        struct flm_error *why)
{
    struct list list = {0};
    bool good = list_copy(&list, operations, 0, operations->count, why) &&
                list_add_all(&list, expression, why);
    if (good && list.count == operations->count)
        good = flm_error_set(why, FLM_ERROR_USAGE, "there is no operation in '%.*s'",
                             (int)expression.size, expression.at);
    if (!good) {
        free_list(list.at, list.count);
        return false;
    }
    /* Two compared profiles are shown aligned, without samples, which an operation may need. */
    struct fresh fresh = {operations->count, list.count};
    return operations->before ? change(operations, &list, fresh, false, why)
                              : append(operations, &list, why);
}

static bool there_is(const struct flm_operations *operations, size_t index, struct flm_error *why)
{
    return index < operations->count ||
           flm_error_set(why, FLM_ERROR_USAGE, "there is no transform %zu", index + 1);
}

/* The list with `expression` instead of [index, index + 1). */
static bool replace(struct flm_operations *operations, size_t index, struct flm_bytes expression,
                    struct flm_error *why)
{
    struct list list = {0};
    struct fresh fresh = {index, index};
    if (!there_is(operations, index, why))
        return false;
    bool good = list_copy(&list, operations, 0, index, why) && list_add_all(&list, expression, why);
    fresh.to = list.count;
    if (good && list_copy(&list, operations, index + 1, operations->count, why))
        return change(operations, &list, fresh, false, why);
    free_list(list.at, list.count);
    return false;
}

bool flm_operations_remove(struct flm_operations *operations, size_t index, struct flm_error *why)
{
    return replace(operations, index, (struct flm_bytes){"", 0}, why);
}

bool flm_operations_edit(struct flm_operations *operations, size_t index,
                         struct flm_bytes expression, struct flm_error *why)
{
    return replace(operations, index, expression, why);
}

bool flm_operations_toggle(struct flm_operations *operations, size_t index, struct flm_error *why)
{
    struct list list = {0};
    if (!there_is(operations, index, why))
        return false;
    if (!list_copy(&list, operations, 0, operations->count, why)) {
        free_list(list.at, list.count);
        return false;
    }
    list.at[index].on = !list.at[index].on;
    return change(operations, &list, none_fresh, false, why);
}

bool flm_operations_move(struct flm_operations *operations, size_t from, size_t to,
                         struct flm_error *why)
{
    struct list list = {0};
    if (!there_is(operations, from, why) || !there_is(operations, to, why))
        return false;
    if (!list_copy(&list, operations, 0, operations->count, why)) {
        free_list(list.at, list.count);
        return false;
    }
    struct flm_operation moved = list.at[from];
    for (; from < to; from++)
        list.at[from] = list.at[from + 1];
    for (; from > to; from--)
        list.at[from] = list.at[from - 1];
    list.at[to] = moved;
    return change(operations, &list, none_fresh, false, why);
}

bool flm_operations_set(struct flm_operations *operations, struct flm_bytes text,
                        struct flm_error *why)
{
    struct list list = {0};
    if (last_is(&operations->undo, text))
        return flm_operations_undo(operations, why);
    if (last_is(&operations->redo, text))
        return flm_operations_redo(operations, why);
    if (list_add_all(&list, text, why))
        return change(operations, &list, none_fresh, true, why);
    free_list(list.at, list.count);
    return false;
}

bool flm_operations_rewrite(struct flm_operations *operations, struct flm_bytes text,
                            struct flm_error *why)
{
    struct list list = {0};
    if (list_add_all(&list, text, why))
        return change(operations, &list, none_fresh, false, why);
    free_list(list.at, list.count);
    return false;
}
