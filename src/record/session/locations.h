/* locations.h - where frames are: addresses that stay the same when mappings change, as numbers.
 *
 * An address of a process means something only as long as its mappings are what they are. So the
 * moment one is seen it becomes a location: whose code it is (a module, the kernel, memory without
 * a file), and the address there. The same location is the same number, whatever process it was
 * seen in.
 *
 *     owner   a module       its own addresses, as ELF and DWARF have them
 *             a module       offsets in the file, where it cannot be read: a frame without a symbol
 *             the kernel     its addresses
 *             a process      addresses in memory without a file: jitted code
 *             code           functions of interpreters, by their numbers (session.h)
 *             labels         commands and threads: outermost frames that are no code
 *
 * A return address stands for the call in front of it, so it is the address before that is kept. */
#ifndef FLAMEL_RECORD_SESSION_LOCATIONS_H
#define FLAMEL_RECORD_SESSION_LOCATIONS_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/session/process_map.h"

enum flm_owner_kind {
    FLM_OWNER_MODULE,
    FLM_OWNER_FILE, /* of a module that cannot be read: its offsets */
    FLM_OWNER_KERNEL,
    FLM_OWNER_PROCESS,
    FLM_OWNER_GUEST,
    FLM_OWNER_CODE,
    FLM_OWNER_LABEL
};

struct flm_location_owner {
    enum flm_owner_kind kind;
    struct flm_module *module; /* NULL: of a kernel whose mappings are not known */
    int32_t process;
};

struct flm_location {
    uint32_t owner;
    uint32_t era; /* of jitted code: when, in turns of about a second */
    uint64_t address;
};

/* Answers that were given, by process as it was then: most addresses come again and again. */
struct flm_location_cache_entry {
    uint64_t changed, address;
    uint32_t role, location;
};
enum { FLM_LOCATION_CACHE_SIZE = 8192 };

struct flm_locations {
    struct FLM_ARRAY(struct flm_location_owner) owners;
    struct FLM_ARRAY(struct flm_location) locations;
    struct flm_index owner_index, location_index;
    struct flm_location_cache_entry *cache;
};

enum flm_role { FLM_ROLE_EXACT = 0, FLM_ROLE_RETURN = 1, FLM_ROLE_KERNEL = 2, FLM_ROLE_GUEST = 4 };

bool flm_locations_init(struct flm_locations *locations, struct flm_error *why);
void flm_locations_clear(struct flm_locations *locations);

/* The number of a location; UINT32_MAX when memory ran out. */
uint32_t flm_locations_add(struct flm_locations *locations, struct flm_location_owner owner,
                           uint64_t address, uint32_t era);

/* The location of an address of a process (or of the kernel, by its role). `era` is 0 but where
 * code moves. */
uint32_t flm_locations_find(struct flm_locations *locations, const struct flm_process *process,
                            const struct flm_process *kernel, uint64_t address, uint32_t role,
                            uint32_t era);

#endif
