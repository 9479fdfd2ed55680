// Lines.java - as lines.c, for a Java VM: java -agentpath:./libjitdump_agent.so
// -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints Lines MILLISECONDS.
//
// Without DebugNonSafepoints HotSpot knows lines of calls alone. What runs before it is compiled is a small part.
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

public class Lines {
    static final com.sun.management.OperatingSystemMXBean PROCESS =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    static final Map<String, Long> known = new LinkedHashMap<>();
    static long last, state = 12345;

    static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    static void lap(String kind, int line, String group) {
        long spent = now() - last;
        if (kind != null) known.merge(kind + " Lines.java " + line + " - " + group, spent, Long::sum);
        last = now();
    }

    static int jitter() {
        state = state * 1664525 + 1013904223 & 0xffffffffL;
        return 100000 + (int) (state * 800000 >> 32);
    }

    static int pair(int x, int n) {
        for (int round = 0; round < 2; round++) {
            lap(null, 0, null);
            x = triple(x, n);
            lap("self", TRIPLE, "pair");
            x = once(x, n);
            lap("self", ONCE, "pair");
        }
        return x;
    }

    static int triple(int x, int n) {
        for (int i = 0; i < 3 * n; i++) x = (x ^ (x >>> 15)) * 0x2c1b3c6d;
        return x;
    }
    static final int TRIPLE = 42;

    static int once(int x, int n) {
        for (int i = 0; i < n; i++) x = (x ^ (x >>> 15)) * 0x2c1b3c6d;
        return x;
    }
    static final int ONCE = 48;

    static int inlined(int y) {
        for (int i = 0; i < 20; i++) y = (y ^ (y >>> 15)) * 0x2c1b3c6d;
        return y;
    }

    // HotSpot gives the call's line to instructions of what is inlined there, so the total is compared.
    static int calls(int x, int n) {
        lap(null, 0, null);
        for (int i = 0; i < n / 20; i++) x = inlined(x);
        lap("total", CALLS, "-");
        return x;
    }

    static final int CALLS = 61;

    public static void main(String[] arguments) {
        long budget = Long.parseLong(arguments.length > 0 ? arguments[0] : "500") * 1000000;
        int x = 1;
        while (now() < budget) x = calls(pair(x, jitter()), jitter());
        for (Map.Entry<String, Long> one : known.entrySet()) System.out.println(one.getKey() + " " + one.getValue());
        System.out.println("all - - - - " + PROCESS.getProcessCpuTime());
        if (x == 0) System.out.println();
    }
}
