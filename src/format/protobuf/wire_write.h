/* wire_write.h - the wire format of Protocol Buffers, written into a text.
 *
 * A message in a message begins with its size, which is known when it is made: it is made in a text
 * of its own, which is emptied for the next one, and then added as a field. A value of 0 and an
 * empty text are what a field has that is not there, so they are left out; in a list they are
 * written. */
#ifndef FLAMEL_FORMAT_PROTOBUF_WIRE_WRITE_H
#define FLAMEL_FORMAT_PROTOBUF_WIRE_WRITE_H

#include "base/text/text.h"

void flm_wire_put_varint(struct flm_text *out, uint64_t value);

/* A number, unless it is 0; a negative one has the bits of its two's complement. */
void flm_wire_put_number(struct flm_text *out, uint32_t field, uint64_t value);
void flm_wire_put_fixed64(struct flm_text *out, uint32_t field, uint64_t value);

/* A text or a message, also an empty one. */
void flm_wire_put_bytes(struct flm_text *out, uint32_t field, struct flm_bytes bytes);

/* The message that was made in `message`, or packed numbers, which is empty afterward. A failure
 * of one is a failure of the other. */
void flm_wire_put_message(struct flm_text *out, uint32_t field, struct flm_text *message);

#endif
