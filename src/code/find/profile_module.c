#include "code/find/profile_module.h"

#include <assert.h>

#include "format/core/mapped.h"
#include "os/file_bytes.h"
#include "record/perf_data/kernel_version.h"
#include "symbol/registry/kallsyms.h"

static const char kernel_itself[] = "[kernel.kallsyms]";

/* Whether a build id is that of which only the first digits are known. */
static bool begins_with(const struct flm_build_id *id, struct flm_bytes digits)
{
    struct flm_build_id begin = {0};
    return digits.size == 0 || (flm_build_id_parse(digits, &begin) && begin.size <= id->size &&
                                memcmp(begin.bytes, id->bytes, begin.size) == 0);
}

/* Where the text of the running kernel begins, as recordings say it: 0 where it is hidden. */
static uint64_t kernel_start(void)
{
    struct flm_text list = {0};
    uint64_t start = 0;
    if (flm_file_read("/proc/kallsyms", &list, NULL) &&
        !flm_kernel_find((struct flm_bytes){list.at, list.size}, "_text", &start))
        flm_kernel_find((struct flm_bytes){list.at, list.size}, "_stext", &start);
    flm_text_clear(&list);
    return start;
}

/* Of another kernel than the running one nobody knows where it was loaded, nor needs to: where it
 * is linked to run, on x86-64, stands for it. */
static const uint64_t linked_start = 0xffffffff81000000;

/* The running kernel is the recorded one if it has its build id; nothing else tells here. The code
 * of another one is that of its vmlinux. */
static bool find_kernel(struct flm_modules *modules, struct flm_module_request *request,
                        struct flm_profile_module *found)
{
    struct flm_build_id running;
    bool is_ours = request->build_id.size > 0 && flm_kernel_build_id(&running) &&
                   flm_build_id_equal(&running, &request->build_id);
    bool is_known = request->build_id.size > 0;
    found->kernel_start = is_ours ? kernel_start() : is_known ? linked_start : 0;
    flm_modules_kernel(modules, is_ours);
    request->kernel_text = found->kernel_start;
    if (found->kernel_start == 0)
        return true;
    found->is_known_build = true;
    found->module = flm_modules_get(modules, request);
    return found->module != NULL;
}

bool flm_profile_module_find(struct flm_modules *modules, const struct flm_profile *p,
                             uint32_t module, struct flm_profile_module *found)
{
    assert(modules && p && found);
    struct flm_bytes path = flm_string_bytes(p, module);
    *found = (struct flm_profile_module){.note = flm_mapped_note_of(p, module)};
    struct flm_bytes file = flm_mapped_file(found->note);
    struct flm_module_request request = {.path = file.size > 0 ? file : path};
    flm_build_id_parse(flm_mapped_id(found->note), &request.build_id);
    if (flm_bytes_are(path, kernel_itself))
        return find_kernel(modules, &request, found);
    if (path.size == 0 || path.at[0] == '[')
        return true;
    found->module = flm_modules_get(modules, &request);
    if (!found->module)
        return false;
    struct flm_bytes begin = flm_mapped_id_begin(found->note);
    found->is_known_build = request.build_id.size > 0 || begin.size > 0;
    if (!begins_with(flm_module_build_id(found->module), begin))
        found->module = NULL;
    return true;
}

bool flm_profile_module_address(const struct flm_profile_module *m, uint64_t address,
                                uint64_t *in_file)
{
    struct flm_bytes note = m->note;
    struct flm_mapped range;
    bool has_ranges = false;
    while (flm_mapped_next(&note, &range)) {
        has_ranges = true;
        if (range.limit == 0 && m->kernel_start) {
            *in_file = m->kernel_start + address;
            return true;
        }
        if (range.limit == 0) {
            bool has_base = flm_module_address(m->module, 0, in_file);
            *in_file = (has_base ? *in_file : 0) + address;
            return true;
        }
        if (range.start <= address && address < range.limit)
            return flm_module_address(m->module, address - range.start + range.offset, in_file);
    }
    *in_file = address;
    return !has_ranges;
}
