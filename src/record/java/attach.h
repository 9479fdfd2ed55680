/* attach.h - commands for a running HotSpot VM, as jcmd and jstack send them, without a JDK.
 *
 *     we                                            the VM
 *     /tmp/.attach_pid7 is created, SIGQUIT   -->   sees the file, listens at /tmp/.java_pid7
 *     connect                                 -->   looks at who we are: its own user, or root
 *     "1" 0 "threaddump" 0 "" 0 "" 0 "" 0     -->
 *                                             <--   "0\n", the result; then what the command prints
 *
 * The first step is only for the first command in the life of a VM. The VM may be in another mount
 * and PID namespace, as one in a container is: files are those below its own root, and 7 is the
 * number that it knows itself by. As root we take its user for the moment of connecting, because
 * older versions accept nobody else.
 *
 * SIGQUIT ends a process that does not expect it. It is sent only where libjvm.so is mapped and the
 * signal is caught, and to the process that was looked at, not to a later one of the same number.
 * A program that has a VM inside may have caught the signal itself before the VM did: there it is
 * sent once the VM has begun, by its threads' names or, of Java 8, by its counters.
 * Nothing stays behind but the VM's own socket, which is there until it ends. */
#ifndef FLAMEL_RECORD_JAVA_ATTACH_H
#define FLAMEL_RECORD_JAVA_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text/text.h"

struct flm_java_vm;

/* How long to wait for the VM, unless somebody else says that it is over. */
struct flm_java_patience {
    int64_t ns;
    const _Atomic bool *is_over; /* NULL: nobody */
};

/* A VM that takes commands. NULL, and `why`, if the process is no HotSpot VM (others, such as
 * OpenJ9, are named), may not be reached, or does not answer in time. A signal that is handled
 * (Ctrl-C) ends the wait as a failure, too. */
struct flm_java_vm *flm_java_vm_open(int32_t process, struct flm_java_patience patience,
                                     struct flm_error *why);
void flm_java_vm_close(struct flm_java_vm *vm);

/* Sends a command ("threaddump", "load", "jcmd" ...) with three arguments, NULL: "", and adds what
 * it prints to `answer`. False, and `why` with the beginning of that, where its result is not 0:
 * of "load", whose result says only that the library was found, the answer says more. */
bool flm_java_vm_command(struct flm_java_vm *vm, const char *command,
                         const char *const arguments[3], struct flm_java_patience patience,
                         struct flm_text *answer, struct flm_error *why);

/* The VM as its own namespaces and its files know it. */
struct flm_java_vm_identity {
    int32_t process;           /* by our number */
    int32_t process_in_itself; /* in its PID namespace */
    uid_t user;
    gid_t group;
    int folder; /* its /proc/PID, open as long as the VM is: openat(folder, "root/tmp", ...) */
};
const struct flm_java_vm_identity *flm_java_vm_identity(const struct flm_java_vm *vm);

/* Whether the process has mapped a HotSpot VM, without touching it. False, and `why`, where it has
 * not, or where that cannot be known. */
bool flm_java_is_hotspot(int32_t process, struct flm_error *why);

#endif
