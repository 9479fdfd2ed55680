/* refusal.h - what a server says where it refuses: flamel serve in JSON, proxies in anything. */
#ifndef FLAMEL_CLI_SERVER_REFUSAL_H
#define FLAMEL_CLI_SERVER_REFUSAL_H

#include "net/http_request.h"

/* The text of {"error": "..."}, or the first line. Terminated, in `line`. */
void flm_refusal_reason(const struct flm_http_reply *reply, char line[200]);

#endif
