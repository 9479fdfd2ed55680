/* remedy.c - the option with which a runtime names the code that it compiles. */
#include "record/runtime/runtime.h"

/* The JDK's programs hand options to their VM with -J. */
#define JAVA_TOOL                                                                                  \
    "run it with -J-XX:+PreserveFramePointer -J-XX:+UnlockDiagnosticVMOptions "                    \
    "-J-XX:+DumpPerfMapAtExit (JDK 17)"

/* The name, or the name with a version or a part: "php-fpm8.2", "beam.smp"; not "javap". */
static bool is_program(struct flm_bytes name, const char *program)
{
    size_t size = strlen(program);
    return flm_bytes_start_with(name, program) &&
           (name.size == size || flm_is_one_of(name.at[size], "-.:0123456789"));
}

const char *flm_runtime_remedy(struct flm_bytes program, bool has_agents)
{
    static const struct {
        const char *start; /* the program's name, or how it begins */
        const char *remedy;
        const char *with_agent; /* NULL: the same */
    } all[] = {
        {"node", "run it with --perf-basic-prof, or set NODE_OPTIONS=--perf-basic-prof"},
        {"nodejs", "run it with --perf-basic-prof, or set NODE_OPTIONS=--perf-basic-prof"},
        {"deno", "run it with --v8-flags=--perf-basic-prof"},
        {"chrome", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
        {"chromium", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
        {"electron", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
        {"bun", "set BUN_JSC_useJITDump=1"},
        {"java",
         "record it with --java; else run it with -XX:+PreserveFramePointer "
         "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit (JDK 17), or ask for the map while "
         "it runs: jcmd PID Compiler.perfmap",
         "the agent names code from when it is loaded until it is removed: record for longer"},
        {"javac", JAVA_TOOL},
        {"javadoc", JAVA_TOOL},
        {"jar", JAVA_TOOL},
        {"jshell", JAVA_TOOL},
        {"dotnet", "set DOTNET_PerfMapEnabled=1"},
        {"ruby", "run it with --yjit-perf"},
        {"php", "set opcache.jit_debug=16"},
        {"beam", "start Erlang with +JPperf true"},
        {"julia", "set ENABLE_JITPROFILING=1"},
        {"postgres", "set jit_profiling_support=on, which takes a restart"},
        {"wasmtime", "run it with --profile=perfmap"},
        {"qemu", "run it with -perfmap"},
        {"luajit", "LuaJIT writes no perf map; -joff shows what its interpreter does"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (is_program(program, all[i].start))
            return has_agents && all[i].with_agent ? all[i].with_agent : all[i].remedy;
    return "a JIT compiler names it in a perf map (/tmp/perf-PID.map) or a jitdump, if the runtime "
           "has an option for perf";
}
