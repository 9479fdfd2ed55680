/* functions.c - programs compiled with -finstrument-functions: each function is a scope. Runs
 * inside malloc and in signal handlers.
 *
 * The compiler calls us where a function begins and ends. Its site is found by its address, in a
 * table that mostly has it at the first look; it has a name later (names.c).
 *
 * A function may be left without a call of ours: by a longjmp that nobody stands in front of, and
 * by an exception where clang compiled it. Where its frame was on the stack tells: one that is not
 * above that of a function that begins now has ended. It counts as a call that lasted until then.
 * Compilers call us for a function that they inlined, too: it has the frame of the one around
 * it. */
#include "functions.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "scope.h"

enum { UNLOADED = 1, FIRST_BITS = 12 };
struct flm_functions *flm_functions;
struct flm_site flm_left_out;

/* ---- Which functions ------------------------------------------------------------------------- */

/* '*' is any text, '?' any letter. */
static bool matches(const char *glob, const char *end, const char *name)
{
    const char *star = NULL, *from = NULL;
    for (;;) {
        if (glob < end && *glob == '*') {
            star = ++glob;
            from = name;
        } else if (glob < end && *name && (*glob == '?' || *glob == *name)) {
            glob++;
            name++;
        } else if (glob == end && !*name) {
            return true;
        } else if (star && *from) {
            glob = star;
            name = ++from;
        } else {
            return false;
        }
    }
}

static bool matches_any(const char *globs, const char *name)
{
    for (;;) {
        size_t size = strcspn(globs, "/");
        if (size > 0 && matches(globs, globs + size, name))
            return true;
        if (!globs[size])
            return false;
        globs += size + 1;
    }
}

static struct {
    const char *text; /* of the file with globs; NULL: there is none */
    size_t size;
    bool has_globs; /* that are not negated */
} filter;

enum verdict { UNKNOWN, WANTED, UNWANTED };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_space(const char *from, const char *stop)
{
    while (from < stop && is_space(*from))
        from++;
    return from;
}

static enum verdict by_file(const char *name)
{
    enum verdict verdict = UNKNOWN;
    const char *end = filter.text + filter.size;
    for (const char *line = filter.text, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        next = stop + 1;
        line = skip_space(line, stop);
        while (stop > line && is_space(stop[-1]))
            stop--;
        bool is_negated = line < stop && *line == '!';
        line = skip_space(line + is_negated, stop);
        if (line == stop || *line == '#')
            continue;
        filter.has_globs |= !is_negated;
        if (matches(line, stop, name))
            verdict = is_negated ? UNWANTED : WANTED; /* the last one that fits decides */
    }
    return verdict;
}

bool flm_function_is_wanted(uintptr_t address)
{
    const struct flm_settings *asked = &flm_settings;
    if (!asked->only[0] && !asked->except[0] && !filter.text)
        return true;
    const char *name = flm_name_of(address);
    name = name ? name : "";
    enum verdict verdict = filter.text ? by_file(name) : UNKNOWN;
    if (verdict == UNWANTED || (asked->except[0] && matches_any(asked->except, name)))
        return false;
    bool is_chosen = asked->only[0] || filter.has_globs;
    return verdict == WANTED || !is_chosen || (asked->only[0] && matches_any(asked->only, name));
}

void flm_functions_start(void)
{
    struct stat info;
    const char *path = flm_settings.filter;
    int file = path[0] && !filter.text ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file >= 0 && fstat(file, &info) == 0 && info.st_size > 0) {
        char *text = flm_memory_new((size_t)info.st_size);
        ssize_t size = text ? read(file, text, (size_t)info.st_size) : 0;
        filter.text = size > 0 ? text : NULL;
        filter.size = size > 0 ? (size_t)size : 0;
        if (filter.text)
            by_file("");
    }
    if (file >= 0)
        close(file);
}

/* ---- The first call -------------------------------------------------------------------------- */

static struct flm_site *new_site(void)
{
    enum { SITES = 512 };
    static struct flm_site *room;
    static uint32_t left;
    if (left == 0) {
        room = flm_memory_new(SITES * sizeof *room);
        left = room ? SITES : 0;
    }
    return left > 0 ? &room[--left] : NULL;
}

static void put(struct flm_functions *table, uintptr_t address, struct flm_site *site)
{
    size_t mask = table->size - 1, i = address * 0x9E3779B97F4A7C15u >> table->shift;
    while (table->at[i & mask].address != 0)
        i++;
    table->at[i & mask].site = site;
    __atomic_store_n(&table->at[i & mask].address, address, __ATOMIC_RELEASE);
    table->count++;
}

static struct flm_functions *grow(struct flm_functions *old)
{
    const uint32_t bits = old ? 64 - old->shift + 1 : FIRST_BITS;
    size_t size = (size_t)1 << bits;
    struct flm_functions *table = flm_memory_new(sizeof *table + size * sizeof table->at[0]);
    if (!table)
        return NULL;
    table->size = size;
    table->shift = 64 - bits;
    for (size_t i = 0; old && i < old->size; i++)
        if (old->at[i].address > UNLOADED)
            put(table, old->at[i].address, old->at[i].site);
    __atomic_store_n(&flm_functions, table, __ATOMIC_RELEASE);
    return table;
}

/* The caller holds the lock. */
static struct flm_site *add(uintptr_t key, uintptr_t address, bool is_counted)
{
    struct flm_functions *table = flm_functions;
    struct flm_site *site = flm_function_find(key);
    if (site)
        return site;
    if ((!table || 2 * (size_t)table->count >= table->size) && !(table = grow(table)))
        return NULL;
    site = flm_function_is_wanted(address) ? new_site() : &flm_left_out;
    if (!site)
        return NULL;
    if (site != &flm_left_out) {
        site->address = (const void *)address; // NOLINT(performance-no-int-to-ptr)
        site->operation = is_counted ? FLM_PROBE_COUNTED : FLM_PROBE_NO_OPERATION;
    }
    put(table, key, site);
    return site;
}

struct flm_site *flm_function_site(uintptr_t key, uintptr_t address, bool is_counted)
{
    struct flm_site *found = flm_function_find(key);
    if (found || (!flm_top && !flm_local_begin_scope()))
        return found;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    struct flm_site *site = add(key, address, is_counted);
    flm_unlock();
    flm_local_rest(top);
    return site;
}

/* ---- Frames that are left -------------------------------------------------------------------- */

/* A frame that is not above this one, on the same stack, has ended. What is too far away may be
 * on another one: of a signal handler, of a coroutine. */
static bool has_ended(uint64_t frame, uintptr_t now)
{
    enum { NEAR = 1 << 20 };
    stack_t other;
    if (frame == 0 || frame > now || now - frame > NEAR)
        return false;
    if (sigaltstack(NULL, &other) != 0 || !(other.ss_flags & SS_ONSTACK))
        return true;
    return frame - (uintptr_t)other.ss_sp < other.ss_size;
}

static void end_frame(struct flm_probe_open *open)
{
    flm_local->thread->left++;
    flm_scope_leave(open);
}

/* In the same frame: what begins now is inlined there. */
static inline bool has_inlined(const struct flm_probe_open *open, const struct flm_frame *now)
{
    return open->stack == now->stack && open->caller == now->caller &&
           open->began_at != now->began_at;
}

/* Functions in macros' scopes, and these in functions: those between have ended too. Of those that
 * are inlined in one frame, what is in the one that begins again. */
static __attribute__((noinline)) void end_frames(const struct flm_frame *now)
{
    struct flm_probe_open *first = NULL;
    for (struct flm_probe_open *open = flm_top; open > &flm_local->thread->open[0]; open--) {
        if (open->stack == 0 || has_inlined(open, now))
            continue;
        if (!has_ended(open->stack, now->stack))
            break;
        first = open;
        if (open->stack == now->stack && open->caller == now->caller)
            break;
    }
    while (first && flm_top >= first)
        end_frame(flm_top);
}

/* Beyond the most depth nothing is open; their ends are told from that of the one that is open by
 * counting them. */
static __attribute__((noinline)) void enter_nothing(uintptr_t stack)
{
    struct flm_local *local = flm_local;
    if (!local || !flm_top)
        return;
    if (local->not_open == 0)
        local->not_open_stack = stack;
    local->not_open++;
}

static inline bool has_none_ended(const struct flm_probe_open *top, const struct flm_frame *now)
{
    return top->stack == 0 || top->stack > now->stack || has_inlined(top, now);
}

static inline void set_frame(struct flm_probe_open *open, const struct flm_frame *frame)
{
    open->stack = frame->stack;
    open->caller = frame->caller;
    open->began_at = frame->began_at;
}

bool flm_function_enter(uintptr_t key, struct flm_site *site, const struct flm_frame *frame)
{
    const struct flm_probe_open *top = flm_top;
    if (top && !has_none_ended(top, frame))
        end_frames(frame);
    struct flm_probe_open *open = flm_scope_enter(site);
    if (!open)
        return false;
    open->function = key;
    set_frame(open, frame);
    return true;
}

static __attribute__((noinline)) void enter_slowly(uintptr_t function, struct flm_frame frame)
{
    struct flm_site *site = flm_function_find(function);
    if (FLM_RARELY(!site))
        site = flm_function_site(function, function, false);
    if (site && site != &flm_left_out && !flm_function_enter(function, site, &frame))
        enter_nothing(frame.stack);
}

/* Mostly the function is the one that was open at this depth last: then nothing is looked up. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    if (FLM_RARELY(!FLM_PROBE_IS_ON))
        return;
    const struct flm_frame frame = {(uintptr_t)__builtin_frame_address(0),
                                    (uint32_t)(uintptr_t)caller,
                                    (uint32_t)(uintptr_t)__builtin_return_address(0)};
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top || flm_scope_mode || !has_none_ended(top, &frame))) {
        enter_slowly((uintptr_t)function, frame);
        return;
    }
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->function != (uintptr_t)function || open->parent != top->node)) {
        flm_top = top;
        enter_slowly((uintptr_t)function, frame);
        return;
    }
    set_frame(open, &frame);
    open->start = flm_clock_counter();
}

/* Of the frames that end with this one the outermost is it. One whose stack grew (alloca) is
 * below where it began. */
static __attribute__((noinline)) void leave_slowly(uintptr_t function, uintptr_t stack)
{
    struct flm_local *local = flm_local;
    struct flm_probe_open *top = flm_top, *found = NULL, *open = top;
    const struct flm_site *site = top ? flm_function_find(function) : NULL;
    if (!site || site == &flm_left_out)
        return;
    if (local->not_open > 0 && stack <= local->not_open_stack) {
        local->not_open = stack == local->not_open_stack ? 0 : local->not_open - 1;
        return;
    }
    local->not_open = 0;
    for (; open > &local->thread->open[0]; open--) {
        if (open->stack > stack)
            break;
        if (open->stack > 0 && open->function == function)
            found = open;
    }
    if (!found && open > &local->thread->open[0] && open->function == function)
        found = open;
    while (found && flm_top > found)
        end_frame(flm_top);
    if (found)
        flm_scope_leave(found);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    /* Called by a jump, in the place of its return: the frame is the caller's already. */
    if (FLM_RARELY(__builtin_return_address(0) == caller))
        stack--;
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top || top->function != (uintptr_t)function || top->stack != stack)) {
        leave_slowly((uintptr_t)function, stack);
        return;
    }
    flm_scope_leave(top);
}

void flm_function_leave(uintptr_t stack)
{
    struct flm_probe_open *open = flm_top;
    while (open && open > &flm_local->thread->open[0] && open->stack < stack)
        open--;
    if (!open || open->stack != stack)
        return;
    while (flm_top > open)
        end_frame(flm_top);
    flm_scope_leave(open);
}

/* ---- Libraries that are unloaded ------------------------------------------------------------- */

/* Nobody is in a function that is gone, so its place may be changed by another thread. */
static void forget_places(struct flm_probe_thread *thread)
{
    for (uint32_t depth = 1; depth <= FLM_PROBE_MOST_DEPTH; depth++) {
        struct flm_probe_open *open = &thread->open[depth];
        if (open->function != 0 && !flm_names_has_code((uintptr_t)open->function))
            open->function = 0;
    }
}

void flm_functions_unload(void)
{
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    flm_names_forget();
    for (size_t i = 0; flm_functions && i < flm_functions->size; i++) {
        struct flm_function *function = &flm_functions->at[i];
        if (function->address > UNLOADED && !flm_names_has_code(function->address))
            __atomic_store_n(&function->address, UNLOADED, __ATOMIC_RELEASE);
    }
    for (uint32_t place = __atomic_load_n(&flm_run.arena.header->first_thread, __ATOMIC_ACQUIRE);
         place > 0;) {
        struct flm_probe_thread *thread = flm_arena_at(&flm_run.arena, place);
        forget_places(thread);
        place = thread->next;
    }
    flm_unlock();
    flm_local_rest(top);
}
