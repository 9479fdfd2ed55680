/* thread_name.h - the name of a thread that threading.Thread has started.
 *
 *     the outermost frame, Thread._bootstrap ─► its first variable, self ─► self._name
 *
 * Since 3.14 the kernel has these names as well, at most 15 bytes of each. The main thread, and
 * threads that are started in another way, have no such frame. 3.15 and free-threaded builds are
 * not read. */
#ifndef FLAMEL_RECORD_PYTHON_THREAD_NAME_H
#define FLAMEL_RECORD_PYTHON_THREAD_NAME_H

#include "record/python/python.h"
#include "record/runtime/lasting_texts.h"

/* The name of a thread, read from the frames that were just read of it; with `count` 0, the name
 * that was read last. Empty if it is unknown. The bytes belong to `names`. */
struct flm_bytes flm_python_thread_name(struct flm_python *python, int32_t thread,
                                        const struct flm_python_frame *frames, size_t count,
                                        int64_t now_ns, struct flm_lasting_texts *names);

#endif
