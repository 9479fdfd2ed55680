/* program_name.h - what people call a program: its file, or the script that an interpreter runs.
 *
 *     /usr/sbin/nginx            nginx: master process         nginx
 *     /usr/bin/python3.11        python3 -u manage.py run      manage.py
 *     /usr/bin/python3.11        python3 -m http.server        http.server
 *     /usr/lib/jvm/.../java      java -cp x:y -Xmx1g com.acme.Main       com.acme.Main
 *     /usr/lib/jvm/.../java      java -jar /srv/app.jar        app.jar
 *     /usr/bin/dash              sh -c 'make; ls'              dash */
#ifndef FLAMEL_RECORD_SERVICES_PROGRAM_NAME_H
#define FLAMEL_RECORD_SERVICES_PROGRAM_NAME_H

#include "base/core/bytes.h"

/* `program`: the path of its file, as /proc/PID/exe has it; `arguments`, with a NUL behind each, as
 * /proc/PID/cmdline. The name lies in one of these; it is empty where both are. */
struct flm_bytes flm_program_name(struct flm_bytes program, struct flm_bytes arguments);

#endif
