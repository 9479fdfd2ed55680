/* Loops.java - methods whose shares are known, for `bench/java/compare`.
 *
 *     java Loops            until it is ended
 *     java Loops work       a fixed amount of work; prints the CPU time that it took: "cpu 12.3"
 *
 * Sampled at safepoints only, hot() would be missed: it is a counted loop that calls nothing, so its time
 * would be seen at the call behind it. */
import java.lang.management.ManagementFactory;

public class Loops {
    static volatile long sink;

    /* Three parts of the time. */
    static long hot(long x) {
        for (int i = 0; i < 30000; i++)
            x = x * 6364136223846793005L + 1442695040888963407L;
        return x;
    }

    /* One part. */
    static long cold(long x) {
        for (int i = 0; i < 10000; i++)
            x = x * 6364136223846793005L + 1442695040888963407L;
        return x;
    }

    static void round() {
        sink = hot(sink);
        sink = cold(sink);
    }

    public static void main(String[] words) throws Exception {
        boolean works = words.length > 0;
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 0; !works || i < 100000; i++)
                    round();
            }, "loops-" + t);
            threads[t].start();
        }
        for (Thread thread : threads)
            thread.join();
        Object os = ManagementFactory.getOperatingSystemMXBean();
        System.out.println("cpu " + ((com.sun.management.OperatingSystemMXBean) os).getProcessCpuTime() / 1e9);
    }
}
