/* link.c - part of every program that is linked with -lflamel-probe: refers to the library
 * strongly, where the header does so weakly (mk/probe.mk). Weak itself: a program may name the
 * library twice, as its own and by a library of its own. */
extern int flm_probe_do_start(const char *settings);

int (*const flm_probe_linked)(const char *)
    __attribute__((visibility("hidden"), weak, used)) = flm_probe_do_start;
