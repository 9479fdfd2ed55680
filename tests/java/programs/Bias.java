/* Bias.java - a program whose time is in loops without a place where the VM may stop it: compiled, a counted loop
 * whose calls are inlined has no safepoint. Who looks at safepoints only sees what comes behind: the end of the loop,
 * in its caller. It measures the shares with the thread's own clock, and prints them as it ends.
 *
 *     java -XX:-UseCountedLoopSafepoints -XX:CompileCommand=dontinline,Bias.* Bias SECONDS        of CPU time */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Bias {
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static long sink;

    static class Step {
        static long mix(long x) {
            x ^= x << 13;
            x ^= x >>> 7;
            return x ^ (x << 17);
        }
    }

    /* Most of the time. */
    static long counted(long x) {
        for (int i = 0; i < 6000000; i++)
            x = Step.mix(x);
        return x;
    }

    static long behind(long x) {
        for (int i = 0; i < 1500000; i++)
            x = Step.mix(x) + i;
        return x;
    }

    static long cpu() {
        return threads.getCurrentThreadCpuTime();
    }

    public static void main(String[] words) throws Exception {
        long until = cpu() + (long) (Double.parseDouble(words[0]) * 1e9), inCounted = 0, inBehind = 0;
        System.out.println("ready");
        for (long from = cpu(); from < until;) {
            sink += counted(from);
            long between = cpu();
            sink += behind(from);
            long now = cpu();
            inCounted += between - from;
            inBehind += now - between;
            from = now;
        }
        System.out.printf("counted %.2f%n", 100.0 * inCounted / (inCounted + inBehind));
    }
}
