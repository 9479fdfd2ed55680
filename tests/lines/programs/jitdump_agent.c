/* jitdump_agent.c - what a Java VM compiles, as a jitdump:
 *
 *     java -agentpath:./libjitdump_agent.so=FOLDER ...
 *
 * The file is as perf's jitdump specification has it: for each compiled method its lines, then its
 * code. HotSpot says which methods are inlined at an address; the line is that of the innermost
 * one. A mapping of the file is the sign by which who records finds it. */
#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CODE_LOAD = 0, DEBUG_INFO = 2, MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183 };

static FILE *out;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct prefix {
    uint32_t id, size;
    uint64_t time_ns;
};

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void write_header(void)
{
    struct {
        uint32_t magic, version, size, machine, none, pid;
        uint64_t time_ns, flags;
    } header = {
        .magic = 0x4a695444, .version = 1, .size = sizeof header, .pid = (uint32_t)getpid()};
#if defined(__aarch64__)
    header.machine = MACHINE_AARCH64;
#else
    header.machine = MACHINE_X86_64;
#endif
    header.time_ns = now_ns();
    fwrite(&header, sizeof header, 1, out);
    fflush(out);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

struct line {
    uint64_t address;
    uint32_t number, none;
};

static uint32_t line_of(jvmtiEnv *vm, jmethodID method, jint bci)
{
    jvmtiLineNumberEntry *table = NULL;
    jint count = 0;
    uint32_t line = 0;
    if ((*vm)->GetLineNumberTable(vm, method, &count, &table) != JVMTI_ERROR_NONE)
        return 0;
    for (jint i = 0; i < count; i++)
        if (table[i].start_location <= bci)
            line = (uint32_t)table[i].line_number;
    (*vm)->Deallocate(vm, (unsigned char *)table);
    return line;
}

static void file_of(jvmtiEnv *vm, jmethodID method, char file[256])
{
    jclass of;
    char *name = NULL;
    snprintf(file, 256, "unknown");
    if ((*vm)->GetMethodDeclaringClass(vm, method, &of) == JVMTI_ERROR_NONE &&
        (*vm)->GetSourceFileName(vm, of, &name) == JVMTI_ERROR_NONE)
        snprintf(file, 256, "%s", name);
    if (name)
        (*vm)->Deallocate(vm, (unsigned char *)name);
}

static void write_lines(jvmtiEnv *vm, const void *address, const void *compile_info)
{
    enum { MOST = 100000 };
    static struct line line[MOST];
    static char file[MOST][256];
    struct prefix prefix = {.id = DEBUG_INFO, .time_ns = now_ns()};
    uint64_t count = 0;
    const jvmtiCompiledMethodLoadRecordHeader *at = compile_info;
    for (; at; at = at->next) {
        const jvmtiCompiledMethodLoadInlineRecord *inlined = (const void *)at;
        for (jint i = 0; at->kind == JVMTI_CMLR_INLINE_INFO && i < inlined->numpcs; i++) {
            const PCStackInfo *pc = &inlined->pcinfo[i];
            if (pc->numstackframes < 1 || count == MOST)
                continue;
            line[count].address = (uint64_t)(uintptr_t)pc->pc;
            line[count].number = line_of(vm, pc->methods[0], pc->bcis[0]);
            file_of(vm, pc->methods[0], file[count]);
            count += line[count].number > 0;
        }
    }
    if (count == 0)
        return;
    prefix.size = sizeof prefix + 16;
    for (uint64_t i = 0; i < count; i++)
        prefix.size += sizeof line[i] + (uint32_t)strlen(file[i]) + 1;
    uint64_t start = (uint64_t)(uintptr_t)address;
    fwrite(&prefix, sizeof prefix, 1, out);
    fwrite(&start, sizeof start, 1, out);
    fwrite(&count, sizeof count, 1, out);
    for (uint64_t i = 0; i < count; i++) {
        fwrite(&line[i], sizeof line[i], 1, out);
        fwrite(file[i], strlen(file[i]) + 1, 1, out);
    }
}

/* ---- Code ------------------------------------------------------------------------------------ */

static void write_code(const char *name, const void *code, uint32_t size)
{
    static uint64_t number;
    struct {
        struct prefix prefix;
        uint32_t pid, tid;
        uint64_t mapped, address, size, number;
    } load = {.prefix = {.id = CODE_LOAD, .time_ns = now_ns()},
              .pid = (uint32_t)getpid(),
              .tid = (uint32_t)syscall(SYS_gettid),
              .size = size,
              .number = number++};
    load.mapped = load.address = (uint64_t)(uintptr_t)code;
    load.prefix.size = (uint32_t)(sizeof load + strlen(name) + 1 + size);
    fwrite(&load, sizeof load, 1, out);
    fwrite(name, strlen(name) + 1, 1, out);
    fwrite(code, size, 1, out);
    fflush(out);
}

static void JNICALL compiled(jvmtiEnv *vm, jmethodID method, jint size, const void *code,
                             jint count, const jvmtiAddrLocationMap *map, const void *compile_info)
{
    (void)count, (void)map;
    char *method_name = NULL, *class_name = NULL, name[1024];
    jclass of;
    if ((*vm)->GetMethodName(vm, method, &method_name, NULL, NULL) != JVMTI_ERROR_NONE ||
        (*vm)->GetMethodDeclaringClass(vm, method, &of) != JVMTI_ERROR_NONE ||
        (*vm)->GetClassSignature(vm, of, &class_name, NULL) != JVMTI_ERROR_NONE)
        return;
    /* "Lcom/x/Foo;" */
    snprintf(name, sizeof name, "%.*s.%s", (int)strlen(class_name) - 2, class_name + 1,
             method_name);
    pthread_mutex_lock(&one_at_a_time);
    write_lines(vm, code, compile_info);
    write_code(name, code, (uint32_t)size);
    pthread_mutex_unlock(&one_at_a_time);
    (*vm)->Deallocate(vm, (unsigned char *)method_name);
    (*vm)->Deallocate(vm, (unsigned char *)class_name);
}

static void JNICALL generated(jvmtiEnv *vm, const char *name, const void *code, jint size)
{
    (void)vm;
    pthread_mutex_lock(&one_at_a_time);
    write_code(name, code, (uint32_t)size);
    pthread_mutex_unlock(&one_at_a_time);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *machine, char *options, void *reserved)
{
    (void)reserved;
    jvmtiEnv *vm;
    char path[4096];
    snprintf(path, sizeof path, "%s/jit-%d.dump", options && *options ? options : ".",
             (int)getpid());
    out = fopen(path, "w+");
    if (!out || (*machine)->GetEnv(machine, (void **)&vm, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    write_header();
    if (mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(out),
             0) == MAP_FAILED)
        return JNI_ERR;
    jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1,
                                .can_get_source_file_name = 1,
                                .can_get_line_numbers = 1};
    jvmtiEventCallbacks calls = {.CompiledMethodLoad = compiled, .DynamicCodeGenerated = generated};
    (*vm)->AddCapabilities(vm, &wanted);
    (*vm)->SetEventCallbacks(vm, &calls, sizeof calls);
    (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
    (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
    return JNI_OK;
}
