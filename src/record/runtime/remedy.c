/* remedy.c - what a runtime must be told so that it names the code it compiles. */
#include "record/runtime/runtime.h"

const char *flm_runtime_remedy(struct flm_bytes program)
{
    static const struct {
        const char *start; /* of the program's name */
        const char *remedy;
    } all[] = {
        {"node", "run it with --perf-basic-prof, or set NODE_OPTIONS=--perf-basic-prof"},
        {"deno", "run it with --v8-flags=--perf-basic-prof"},
        {"chrom", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
        {"electron", "run it with --js-flags=--perf-basic-prof --no-sandbox"},
        {"bun", "set BUN_JSC_useJITDump=1"},
        {"java", "run it with -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
                 "-XX:+DumpPerfMapAtExit (JDK 17), or ask for the map while it runs: jcmd PID "
                 "Compiler.perfmap"},
        {"dotnet", "set DOTNET_PerfMapEnabled=1"},
        {"ruby", "run it with --yjit-perf"},
        {"php", "set opcache.jit_debug=16"},
        {"beam", "start Erlang with +JPperf true"},
        {"julia", "set ENABLE_JITPROFILING=1"},
        {"postgres", "set jit_profiling_support=on, which takes a restart"},
        {"wasmtime", "run it with --profile=perfmap"},
        {"qemu-", "run it with -perfmap"},
        {"luajit", "LuaJIT writes no perf map; -joff shows what its interpreter does"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (flm_bytes_start_with(program, all[i].start))
            return all[i].remedy;
    return "a JIT compiler names it in a perf map (/tmp/perf-PID.map) or a jitdump, if the runtime "
           "has an option for perf";
}
