/* rpc.h - messages of JSON-RPC 2.0, as the Model Context Protocol has them: a line each.
 *
 *     -> {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
 *     <- {"jsonrpc": "2.0", "id": 1, "result": {...}}             or "error": {"code", "message"}
 *
 * A message without an id is a notification, which is never answered. */
#ifndef FLAMEL_NET_RPC_H
#define FLAMEL_NET_RPC_H

#include "base/text/json_read.h"
#include "base/text/json_write.h"

enum flm_rpc_code {
    FLM_RPC_NO_JSON = -32700,
    FLM_RPC_NO_REQUEST = -32600,
    FLM_RPC_NO_METHOD = -32601,
    FLM_RPC_WRONG_PARAMETERS = -32602,
    FLM_RPC_FAILED = -32603
};

struct flm_rpc_message {
    struct flm_bytes id;     /* JSON, as it came: a number or a string. {NULL}: a notification */
    struct flm_text method;  /* owned; "" in a response, which we never ask for */
    struct flm_bytes params; /* JSON, as it came; {NULL}: none */
};

/* Reads one object; `line` must stay as long as the message. False, and the code of an error with
 * its sentence, where it is none; what was found of it until then is in the message. To be cleared
 * in any case. */
bool flm_rpc_read(struct flm_bytes line, struct flm_rpc_message *message, enum flm_rpc_code *code,
                  struct flm_error *why);
void flm_rpc_clear(struct flm_rpc_message *message);

/* The objects of a batch, an array (protocol version 2025-03-26): in order, each as it came. False
 * where the line is none. The caller clears the array. */
struct flm_rpc_batch FLM_ARRAY(struct flm_bytes);
bool flm_rpc_batch(struct flm_bytes line, struct flm_rpc_batch *batch);

/* A line. `result` is JSON. `id` {NULL}: null, of a message that could not be read. */
void flm_rpc_add_result(struct flm_text *out, struct flm_bytes id, struct flm_bytes result);
void flm_rpc_add_error(struct flm_text *out, struct flm_bytes id, enum flm_rpc_code code,
                       const char *message);

/* The value that is next, as it came, and passes it. {NULL, 0} where there is none. */
struct flm_bytes flm_rpc_take(struct flm_json *json);

#endif
