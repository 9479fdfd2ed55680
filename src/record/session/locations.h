/* locations.h - the code addresses of a recording, independent of mappings, as numbers.
 *
 * An address of a process is only valid with its mappings at that time. So it becomes a location at
 * once: an owner (a module, the kernel, memory without a file), and an address there. Equal
 * locations have the same number, in whatever process they occur.
 *
 *     owner   a module       its own addresses, as in ELF and DWARF
 *             a file         offsets in a module that cannot be read: unsymbolized
 *             the kernel     its addresses
 *             a process      addresses in memory without a file: JIT-compiled code
 *             code           functions of interpreters, by number (event.h)
 *             labels         commands and threads: frames that are not code
 *
 * A return address stands for the call in front of it, so the address before it is kept. */
#ifndef FLAMEL_RECORD_SESSION_LOCATIONS_H
#define FLAMEL_RECORD_SESSION_LOCATIONS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/process/process_map.h"

enum flm_owner_kind {
    FLM_OWNER_MODULE,
    FLM_OWNER_FILE, /* offsets in a module that cannot be read */
    FLM_OWNER_KERNEL,
    FLM_OWNER_PROCESS,
    FLM_OWNER_GUEST,
    FLM_OWNER_CODE,
    FLM_OWNER_LABEL
};

struct flm_location_owner {
    enum flm_owner_kind kind;
    struct flm_module *module; /* NULL: a kernel whose mappings are unknown */
    int32_t process;
};

struct flm_session_location {
    uint32_t owner;
    uint32_t era; /* of JIT-compiled code: the time, in units of about a second; 0: any */
    uint64_t address;
};

/* A cache of lookups by address and by the mappings of the process at that time: most addresses
 * occur again and again. */
struct flm_location_cache_entry {
    uint64_t changed, address;
    uint32_t role, location;
};
enum { FLM_LOCATION_CACHE_SIZE = 8192 };

struct flm_locations {
    const struct flm_symbolizer_calls *calls;
    struct FLM_ARRAY(struct flm_location_owner) owners;
    struct FLM_ARRAY(struct flm_session_location) locations;
    struct flm_index owner_index, location_index;
    struct flm_location_cache_entry *cache;
};

enum flm_role { FLM_ROLE_EXACT = 0, FLM_ROLE_RETURN = 1, FLM_ROLE_KERNEL = 2, FLM_ROLE_GUEST = 4 };

bool flm_locations_init(struct flm_locations *locations, const struct flm_symbolizer *symbolizer,
                        struct flm_error *why);
void flm_locations_clear(struct flm_locations *locations);

/* The number of a location; UINT32_MAX when memory ran out. */
uint32_t flm_locations_add(struct flm_locations *locations, struct flm_location_owner owner,
                           uint64_t address, uint32_t era);

/* The location of an address in a process, or in the kernel, by its role. `era` is 0 unless the
 * process has code that may move. */
uint32_t flm_locations_find(struct flm_locations *locations, const struct flm_process *process,
                            const struct flm_process *kernel, uint64_t address, uint32_t role,
                            uint32_t era);

#endif
