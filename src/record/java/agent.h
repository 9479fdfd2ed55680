/* agent.h - the agent in one Java VM, from outside: loaded, its records taken out, sent away.
 *
 *     a running VM   a socket in its /tmp, the library where it can be read, and the command "load"
 *                    (attach.h); both files are gone when the agent has connected
 *     our own child  a connection that it inherits, and -agentpath among its words
 *
 * The library is loaded from where it is installed, where the VM sees the same files and may read
 * it; into another mount namespace, or as another user, from a copy in the VM's /tmp. What comes
 * from the VM is not trusted: it is copied, and checked, before it is used. */
#ifndef FLAMEL_RECORD_JAVA_AGENT_H
#define FLAMEL_RECORD_JAVA_AGENT_H

#include "flamel/error.h"
#include "record/java/attach.h"
#include "record/java/wire.h"

struct flm_java_agent;

/* Loads it into a running VM. NULL, and `why`. */
struct flm_java_agent *flm_java_agent_load(int32_t process, const char *library,
                                           const struct flm_java_config *config,
                                           struct flm_java_patience patience,
                                           struct flm_error *why);

/* For a program that will be started: *inherited receives the descriptor that it is to have, which
 * is the caller's to close. `flm_java_agent_configure` comes before it runs, `flm_java_agent_begin`
 * with its number. */
struct flm_java_agent *flm_java_agent_inherit(int *inherited, struct flm_error *why);
bool flm_java_agent_configure(struct flm_java_agent *agent, const struct flm_java_config *config,
                              struct flm_error *why);
void flm_java_agent_begin(struct flm_java_agent *agent, int32_t process);

int32_t flm_java_agent_process(const struct flm_java_agent *agent);

/* Takes out the next record: a copy, aligned to 8, good until the next call. NULL: there is none
 * now. */
const struct flm_java_record *flm_java_agent_next(struct flm_java_agent *agent);

/* What it has counted so far. */
struct flm_java_ring flm_java_agent_counts(const struct flm_java_agent *agent);

/* Whether the agent has said that it begins, or ended the connection: then `why` has its reason, or
 * is empty where the VM has ended. */
enum flm_java_agent_state { FLM_JAVA_AGENT_WAITS, FLM_JAVA_AGENT_BEGUN, FLM_JAVA_AGENT_GONE };
enum flm_java_agent_state flm_java_agent_state(struct flm_java_agent *agent, struct flm_error *why);

/* Asks the agent to take everything back, and waits until it has, or the time is over: false then.
 * Records may still be taken out after it. */
bool flm_java_agent_end(struct flm_java_agent *agent, int64_t patience_ns);
void flm_java_agent_free(struct flm_java_agent *agent);

#endif
