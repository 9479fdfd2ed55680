/* grpc_message.h - what gRPC puts around a message, and its statuses.
 *
 *     message     1 byte: 1 where it is compressed, as grpc-encoding says; 4 bytes: its size, the
 *                 highest first; its bytes
 *     trailers    grpc-status: 3, grpc-message: percent-encoded text */
#ifndef FLAMEL_SERVE_GRPC_GRPC_MESSAGE_H
#define FLAMEL_SERVE_GRPC_GRPC_MESSAGE_H

#include "base/text/text.h"

enum { FLM_GRPC_PREFIX = 5 };

/* The one message of a unary call. False, and `why`, where there is none, or more than one. */
bool flm_grpc_message(struct flm_bytes body, struct flm_bytes *message, bool *is_compressed,
                      struct flm_error *why);

/* The message with its prefix. */
void flm_grpc_put_message(struct flm_text *out, struct flm_bytes message);

/* The status of gRPC for one of HTTP: 0 for 200, 3 (INVALID_ARGUMENT) for 400 ... */
unsigned flm_grpc_status(unsigned http_status);

/* As grpc-message has it: what is not printable ASCII, and %, as %XX. */
void flm_grpc_put_text(struct flm_text *out, struct flm_bytes text);

#endif
