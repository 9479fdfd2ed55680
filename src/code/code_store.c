#include "code/code_store.h"

#include <assert.h>
#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "profile/interner.h"

struct kept_file {
    struct flm_code_file file;
    char *block; /* all of its texts */
    struct flm_line_index lines;
};

struct kept_function {
    struct flm_code_function function;
    struct flm_code_instruction *instructions;
    struct flm_bytes *files;
    struct flm_code_inlined *inlined;
    char *strings; /* each once */
    char *code;
};

struct flm_code_store {
    struct FLM_ARRAY(struct kept_file *) files; /* each stays where it is */
    struct FLM_ARRAY(struct kept_function *) functions;
    struct flm_index file_index, function_index;
};

struct flm_code_store *flm_code_store_new(struct flm_error *why)
{
    struct flm_code_store *store = calloc(1, sizeof *store);
    if (!store)
        flm_error_memory(why);
    return store;
}

static void free_file(struct kept_file *kept)
{
    flm_line_index_clear(&kept->lines);
    free(kept->block);
    free(kept);
}

static void free_function(struct kept_function *kept)
{
    free(kept->instructions);
    free(kept->files);
    free(kept->inlined);
    free(kept->strings);
    free(kept->code);
    free(kept);
}

void flm_code_store_free(struct flm_code_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->files.count; i++)
        free_file(store->files.at[i]);
    for (size_t i = 0; i < store->functions.count; i++)
        free_function(store->functions.at[i]);
    FLM_ARRAY_CLEAR(&store->files);
    FLM_ARRAY_CLEAR(&store->functions);
    flm_index_clear(&store->file_index);
    flm_index_clear(&store->function_index);
    free(store);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static uint32_t hash_of(struct flm_bytes name)
{
    return (uint32_t)(flm_hash(name.at, name.size) >> 32);
}

static uint32_t find_file(const struct flm_code_store *store, struct flm_bytes name)
{
    for (struct flm_probe at = flm_index_probe(&store->file_index, hash_of(name));
         flm_index_next(&store->file_index, &at);)
        if (flm_bytes_equal(store->files.at[at.found]->file.name, name))
            return at.found;
    return FLM_CODE_NONE;
}

static struct flm_bytes copy(char **to, struct flm_bytes bytes)
{
    struct flm_bytes copied = {*to, bytes.size};
    if (bytes.size > 0)
        memcpy(*to, bytes.at, bytes.size);
    *to += bytes.size;
    return copied;
}

static struct kept_file *keep_file(const struct flm_code_file *file)
{
    struct kept_file *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    char *to = kept->block =
        malloc(file->name.size + file->path.size + file->status.size + file->text.size + 1);
    if (kept->block)
        kept->file = (struct flm_code_file){.name = copy(&to, file->name),
                                            .path = copy(&to, file->path),
                                            .status = copy(&to, file->status),
                                            .is_doubtful = file->is_doubtful,
                                            .text = copy(&to, file->text)};
    if (kept->block && flm_line_index_init(&kept->lines, kept->file.text))
        return kept;
    free_file(kept);
    return NULL;
}

/* In place of one with its name, if there is one. False when memory ran out. */
static bool place_file(struct flm_code_store *store, struct kept_file *kept)
{
    const struct flm_bytes name = kept->file.name;
    uint32_t there = find_file(store, name), next = (uint32_t)store->files.count;
    if (there != FLM_CODE_NONE) {
        free_file(store->files.at[there]);
        store->files.at[there] = kept;
        return true;
    }
    if (!FLM_ARRAY_RESERVE(&store->files, 1) ||
        !flm_index_add(&store->file_index, hash_of(name), next))
        return false;
    store->files.at[store->files.count++] = kept;
    return true;
}

bool flm_code_store_add_file(struct flm_code_store *store, const struct flm_code_file *file,
                             struct flm_error *why)
{
    assert(store && file);
    struct kept_file *kept = keep_file(file);
    if (kept && place_file(store, kept))
        return true;
    if (kept)
        free_file(kept);
    return flm_error_memory(why);
}

size_t flm_code_store_file_count(const struct flm_code_store *store)
{
    return store->files.count;
}

const struct flm_code_file *flm_code_store_file_at(const struct flm_code_store *store, size_t index)
{
    assert(index < store->files.count);
    return &store->files.at[index]->file;
}

const struct flm_code_file *flm_code_store_file(const struct flm_code_store *store,
                                                struct flm_bytes name)
{
    uint32_t found = find_file(store, name);
    return found == FLM_CODE_NONE ? NULL : &store->files.at[found]->file;
}

const struct flm_line_index *flm_code_store_lines(const struct flm_code_store *store,
                                                  struct flm_bytes name)
{
    uint32_t found = find_file(store, name);
    return found == FLM_CODE_NONE ? NULL : &store->files.at[found]->lines;
}

/* ---- Functions ------------------------------------------------------------------------------- */

static uint32_t hash_function(struct flm_bytes name, struct flm_bytes module)
{
    return hash_of(name) ^ (uint32_t)flm_mix(hash_of(module), 0x9E3779B97F4A7C15u);
}

static uint32_t find_function(const struct flm_code_store *store, struct flm_bytes name,
                              struct flm_bytes module)
{
    for (struct flm_probe at = flm_index_probe(&store->function_index, hash_function(name, module));
         flm_index_next(&store->function_index, &at);) {
        const struct flm_code_function *f = &store->functions.at[at.found]->function;
        if (flm_bytes_equal(f->name, name) && flm_bytes_equal(f->module, module))
            return at.found;
    }
    return FLM_CODE_NONE;
}

/* A text is first its number in `strings`, which move while they grow. */
static bool put_string(struct flm_interner *strings, struct flm_bytes *text)
{
    uint32_t number = flm_interner_string(strings, *text);
    text->at = NULL;
    text->size = number;
    return number != FLM_CODE_NONE;
}

static void take_string(const struct flm_interner *strings, struct flm_bytes *text)
{
    *text = flm_interner_text(strings, (uint32_t)text->size);
}

/* Every text, but the code of instructions, which rarely repeats. */
static bool put_strings(struct kept_function *kept, struct flm_interner *strings)
{
    struct flm_code_function *f = &kept->function;
    bool good = put_string(strings, &f->name) && put_string(strings, &f->module) &&
                put_string(strings, &f->status) && put_string(strings, &f->machine);
    for (size_t i = 0; good && i < f->file_count; i++)
        good = put_string(strings, &kept->files[i]);
    for (size_t i = 0; good && i < f->inlined_count; i++)
        good = put_string(strings, &kept->inlined[i].function);
    for (size_t i = 0; good && i < f->instruction_count; i++)
        good = put_string(strings, &kept->instructions[i].text) &&
               put_string(strings, &kept->instructions[i].target);
    return good;
}

static void take_strings(struct kept_function *kept, struct flm_interner *strings)
{
    struct flm_code_function *f = &kept->function;
    take_string(strings, &f->name);
    take_string(strings, &f->module);
    take_string(strings, &f->status);
    take_string(strings, &f->machine);
    for (size_t i = 0; i < f->file_count; i++)
        take_string(strings, &kept->files[i]);
    for (size_t i = 0; i < f->inlined_count; i++)
        take_string(strings, &kept->inlined[i].function);
    for (size_t i = 0; i < f->instruction_count; i++) {
        take_string(strings, &kept->instructions[i].text);
        take_string(strings, &kept->instructions[i].target);
    }
    kept->strings = strings->bytes;
    strings->bytes = NULL;
}

static bool keep_code(struct kept_function *kept)
{
    size_t size = 1;
    for (size_t i = 0; i < kept->function.instruction_count; i++)
        size += kept->instructions[i].code.size;
    char *to = kept->code = malloc(size);
    for (size_t i = 0; to && i < kept->function.instruction_count; i++)
        kept->instructions[i].code = copy(&to, kept->instructions[i].code);
    return kept->code != NULL;
}

static void *copy_array(const void *from, size_t count, size_t size)
{
    void *copied = malloc((count ? count : 1) * size);
    if (copied && count > 0)
        memcpy(copied, from, count * size);
    return copied;
}

static struct kept_function *keep_function(const struct flm_code_function *f)
{
    struct kept_function *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    struct flm_interner strings = {0};
    kept->function = *f;
    kept->instructions = copy_array(f->instructions, f->instruction_count, sizeof *f->instructions);
    kept->files = copy_array(f->files, f->file_count, sizeof *f->files);
    kept->inlined = copy_array(f->inlined, f->inlined_count, sizeof *f->inlined);
    bool good = kept->instructions && kept->files && kept->inlined &&
                flm_interner_init(&strings, NULL) && put_strings(kept, &strings) && keep_code(kept);
    if (good) {
        take_strings(kept, &strings);
        kept->function.instructions = kept->instructions;
        kept->function.files = kept->files;
        kept->function.inlined = kept->inlined;
    } else {
        free_function(kept);
    }
    flm_interner_clear(&strings);
    return good ? kept : NULL;
}

static bool place_function(struct flm_code_store *store, struct kept_function *kept)
{
    const struct flm_code_function *f = &kept->function;
    uint32_t there = find_function(store, f->name, f->module);
    if (there != FLM_CODE_NONE) {
        free_function(store->functions.at[there]);
        store->functions.at[there] = kept;
        return true;
    }
    if (!FLM_ARRAY_RESERVE(&store->functions, 1) ||
        !flm_index_add(&store->function_index, hash_function(f->name, f->module),
                       (uint32_t)store->functions.count))
        return false;
    store->functions.at[store->functions.count++] = kept;
    return true;
}

bool flm_code_store_add_function(struct flm_code_store *store, const struct flm_code_function *f,
                                 struct flm_error *why)
{
    assert(store && flm_code_function_check(f, NULL));
    struct kept_function *kept = keep_function(f);
    if (kept && place_function(store, kept))
        return true;
    if (kept)
        free_function(kept);
    return flm_error_memory(why);
}

size_t flm_code_store_function_count(const struct flm_code_store *store)
{
    return store->functions.count;
}

const struct flm_code_function *flm_code_store_function_at(const struct flm_code_store *store,
                                                           size_t index)
{
    assert(index < store->functions.count);
    return &store->functions.at[index]->function;
}

const struct flm_code_function *flm_code_store_function(const struct flm_code_store *store,
                                                        struct flm_bytes name,
                                                        struct flm_bytes module)
{
    uint32_t found = find_function(store, name, module);
    return found == FLM_CODE_NONE ? NULL : &store->functions.at[found]->function;
}

size_t flm_code_instruction_from(const struct flm_code_function *function, uint64_t address)
{
    size_t first = 0, end = function->instruction_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct flm_code_instruction *i = &function->instructions[middle];
        if (i->address <= address && address - i->address >= i->size)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

bool flm_code_store_take(struct flm_code_store *store, struct flm_code_store *from,
                         struct flm_error *why)
{
    assert(store && from && store != from);
    size_t files = 0, functions = 0;
    while (files < from->files.count && place_file(store, from->files.at[files]))
        files++;
    while (files == from->files.count && functions < from->functions.count &&
           place_function(store, from->functions.at[functions]))
        functions++;
    bool good = files == from->files.count && functions == from->functions.count;
    for (; files < from->files.count; files++)
        free_file(from->files.at[files]);
    for (; functions < from->functions.count; functions++)
        free_function(from->functions.at[functions]);
    from->files.count = from->functions.count = 0;
    flm_index_clear(&from->file_index);
    flm_index_clear(&from->function_index);
    return good || flm_error_memory(why);
}

/* ---- What holds ------------------------------------------------------------------------------ */

static bool check_place(const struct flm_code_function *f, uint32_t file)
{
    return file == FLM_CODE_NONE || file < f->file_count;
}

static const char *broken_instruction(const struct flm_code_function *f, size_t index)
{
    const struct flm_code_instruction *i = &f->instructions[index];
    if (i->size == 0 || i->size - 1 > UINT64_MAX - i->address)
        return "an instruction has no size, or does not fit into memory";
    if (index > 0 && i->address - i[-1].address < i[-1].size)
        return "an instruction begins in another one";
    if (index > 0 && i->address < i[-1].address)
        return "instructions do not ascend";
    if (i->kind >= FLM_INSTRUCTION_KIND_COUNT || (i->leads && !i->has_place))
        return "an instruction is of no kind, or leads nowhere";
    if (i->code.size > 0 && i->code.size != i->size)
        return "an instruction has other bytes than its size says";
    if (!check_place(f, i->file))
        return "an instruction is of a file that is not there";
    if (i->inlined != FLM_CODE_NONE && i->inlined >= f->inlined_count)
        return "an instruction is of an inlined function that is not there";
    return NULL;
}

bool flm_code_function_check(const struct flm_code_function *f, struct flm_error *why)
{
    const char *broken = NULL;
    for (size_t i = 0; !broken && i < f->inlined_count; i++) {
        uint32_t caller = f->inlined[i].caller;
        if ((caller != FLM_CODE_NONE && caller >= i) || !check_place(f, f->inlined[i].file))
            broken = "an inlined function is called by none, or in no file";
    }
    for (size_t i = 0; !broken && i < f->instruction_count; i++)
        broken = broken_instruction(f, i);
    return !broken || flm_error_set(why, FLM_ERROR_FORMAT, "%s", broken);
}
