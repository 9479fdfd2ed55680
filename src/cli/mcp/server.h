/* server.h - the Model Context Protocol over two streams: requests come in, answers go out.
 *
 * Requests are read by the calling thread, which answers at once what takes no time (initialize,
 * ping, tools/list). Tools are called by a second thread, one after the other, so that a client can
 * cancel what takes long, and is not left alone meanwhile. Ends with its input, after what was
 * asked until then is answered. */
#ifndef FLAMEL_CLI_MCP_SERVER_H
#define FLAMEL_CLI_MCP_SERVER_H

#include <stdio.h>

#include "flamel/error.h"

/* False, and `why`, where reading fails or memory runs out. It ends where writing fails, which the
 * stream tells its owner. */
bool flm_mcp_serve(FILE *in, FILE *out, struct flm_error *why);

#endif
