/* proto.h - profiles in the wire format, made by hand for tests: a text of one letter and two
 * digits is easier to get wrong than a list of calls. */
#ifndef FLAMEL_TESTS_FORMAT_PPROF_PROTO_H
#define FLAMEL_TESTS_FORMAT_PPROF_PROTO_H

#include <string.h>

#include "format/protobuf/wire_write.h"

struct proto {
    struct flm_text out, message, inner;
};

static inline void proto_clear(struct proto *p)
{
    flm_text_clear(&p->out);
    flm_text_clear(&p->message);
    flm_text_clear(&p->inner);
}

static inline struct flm_bytes proto_bytes(const struct proto *p)
{
    return (struct flm_bytes){p->out.at, p->out.size};
}

/* A message of numbers, of which field i + 1 is numbers[i]; zeros are left out. */
static inline void proto_message(struct proto *p, uint32_t field, size_t count,
                                 const uint64_t *numbers)
{
    for (size_t i = 0; i < count; i++)
        flm_wire_put_number(&p->message, (uint32_t)i + 1, numbers[i]);
    flm_wire_put_message(&p->out, field, &p->message);
}

static inline void proto_strings(struct proto *p, const char *const *strings)
{
    for (; *strings; strings++)
        flm_wire_put_bytes(&p->out, 6, flm_bytes_of(*strings));
}

static inline void proto_packed(struct flm_text *message, uint32_t field, struct flm_text *inner,
                                size_t count, const uint64_t *numbers)
{
    for (size_t i = 0; i < count; i++)
        flm_wire_put_varint(inner, numbers[i]);
    flm_wire_put_message(message, field, inner);
}

/* A sample with up to three locations (0: no more), leaf first, and values. `label`: key, text,
 * number, unit; NULL: none. */
static inline void proto_sample(struct proto *p, const uint64_t locations[3], size_t value_count,
                                const uint64_t *values, const uint64_t *label)
{
    size_t count = 0;
    while (count < 3 && locations[count])
        count++;
    proto_packed(&p->message, 1, &p->inner, count, locations);
    proto_packed(&p->message, 2, &p->inner, value_count, values);
    if (label) {
        for (uint32_t i = 0; i < 4; i++)
            flm_wire_put_number(&p->inner, i + 1, label[i]);
        flm_wire_put_message(&p->message, 3, &p->inner);
    }
    flm_wire_put_message(&p->out, 2, &p->message);
}

/* A location with up to two lines: functions and their lines, the innermost first. */
static inline void proto_location(struct proto *p, uint64_t id, uint64_t mapping, uint64_t address,
                                  const uint64_t lines[4])
{
    flm_wire_put_number(&p->message, 1, id);
    flm_wire_put_number(&p->message, 2, mapping);
    flm_wire_put_number(&p->message, 3, address);
    for (int i = 0; lines && i < 4 && lines[i]; i += 2) {
        flm_wire_put_number(&p->inner, 1, lines[i]);
        flm_wire_put_number(&p->inner, 2, lines[i + 1]);
        flm_wire_put_message(&p->message, 4, &p->inner);
    }
    flm_wire_put_message(&p->out, 4, &p->message);
}

#define NUMBERS(...)                                                                               \
    (const uint64_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

#endif
