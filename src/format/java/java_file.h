/* java_file.h - where the source of a class of Java is, by its name: files stand in folders named
 * as their packages, and a profiler says neither.
 *
 *     com.x.Foo$Inner            com/x/Foo.java      compilers demand it of public classes
 *     com.x.Foo, "Foo.kt"        com/x/Foo.kt        where the name of the file is known
 *     com/x/Foo$$Lambda$14/0x7f  com/x/Foo.java      the virtual machine's own form */
#ifndef FLAMEL_FORMAT_JAVA_JAVA_FILE_H
#define FLAMEL_FORMAT_JAVA_JAVA_FILE_H

#include "base/text/text.h"

/* Appends the path, below the folder of a program's sources. `file` "": that of the outermost
 * class. Nothing for a class without a name. */
void flm_java_file_add(struct flm_text *out, struct flm_bytes class_name, struct flm_bytes file);

#endif
