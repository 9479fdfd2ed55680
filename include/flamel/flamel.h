/* flamel.h - all of libflamel: profiles of programs, read, compared, drawn and recorded.
 *
 *     error.h     what went wrong            every function that fails fills one
 *     profile.h   the profile                one tree of stacks, samples, labels; reading from it
 *     builder.h   making one                 a stack or a sample at a time
 *     algebra.h   profiles in, profile out   operations, comparisons
 *     aggregate.h sums                       by function, by caller and callee, in all
 *     changes.h   two profiles compared      in numbers: in all, by function, by stack
 *     report.h    reports                    tables of a profile as text, Markdown, JSON, CSV
 *     compare.h   recordings compared        what changed, how similar, in the course of time
 *     gate.h      sets of runs judged        is it a regression, where, by how much, how sure
 *     draw.h      pictures                   SVG, PDF, PNG, pixels in a buffer
 *     layout.h    drawing by yourself        rectangles of a flame graph, hit test
 *     file.h      files                      reading and writing every format
 *     page.h      the viewer                 as a web page, for your own HTTP server
 *     record.h    recording                  samples of programs, of the machine, of yourself
 *     live.h      recording without end      the last seconds as a profile, again and again
 *     services.h  a machine as services      a profile of each, by unit, container or program
 *
 * Compatibility. The soname is libflamel.so.N; N is the ABI number of the Makefile. It changes with
 * every release that is incompatible for programs that are compiled already; while N is 0, each
 * release may be. Within one N, functions are only added, and so are enumerators, at the end: treat
 * numbers that you do not know as "other". Types without a visible definition are opaque. Records
 * that the library returns one at a time by pointer may grow at their end. Option structs begin
 * with `size_t size`, which the caller sets to sizeof of the struct; so they can grow, and an old
 * program gets the defaults of options that it does not know. A size of 0, and one that is larger
 * than this library's, is refused as FLM_ERROR_USAGE. All zero, but for the size, is a good choice.
 * The index types (struct flm_node and others) and struct flm_frame_record stay as they are: they
 * are passed by value, or are part of the .flm file.
 *
 * Threads. There are no globals: threads that share no object need no locks. Profiles never change
 * once they are made; any number of threads may read one, and one of them frees it when all are
 * done. Builders, errors, and everything else that has a function that changes it belong to one
 * thread at a time.
 *
 * Conduct. Functions report failure by their return value and through `struct flm_error`; input is
 * never a reason to abort, but a broken promise of the caller (an index out of its table) may stop
 * the program in an assert. The library does not print, exit, read the environment, or change
 * the locale or signal handlers. One exception: where options ask for debuginfod, libdebuginfod
 * reads its own variables, DEBUGINFOD_URLS and others. */
#ifndef FLAMEL_FLAMEL_H
#define FLAMEL_FLAMEL_H

#include "flamel/aggregate.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "flamel/changes.h"
#include "flamel/compare.h"
#include "flamel/draw.h"
#include "flamel/error.h"
#include "flamel/file.h"
#include "flamel/gate.h"
#include "flamel/layout.h"
#include "flamel/live.h"
#include "flamel/notes.h"
#include "flamel/page.h"
#include "flamel/profile.h"
#include "flamel/record.h"
#include "flamel/report.h"
#include "flamel/serve.h"
#include "flamel/services.h"
#include "flamel/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the headers that a program is compiled with. */
#define FLM_VERSION_MAJOR 0
#define FLM_VERSION_MINOR 1
#define FLM_VERSION_PATCH 0

/* Of the library that it runs with: "0.1.0". */
const char *flm_version(void);

#ifdef __cplusplus
}
#endif

#endif
