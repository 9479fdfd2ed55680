/* Shares.java - a program that knows how much CPU time its methods use: it spins in each for a share
 * of rounds, measures with the thread's own clock, and prints the shares as it ends.
 *
 *     java Shares SECONDS        of CPU time; alpha 50 %, beta 30 %, gamma 20 %, as measured
 *
 * The work of beta is inlined, that of gamma is in a lambda, and alpha's calls a native method. */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.zip.CRC32;

public class Shares {
    static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    static final byte[] bytes = new byte[4096];
    static long sink;

    static long mix(long x) {
        x ^= x << 13;
        x ^= x >>> 7;
        return x ^ (x << 17);
    }

    static long alpha(int rounds) {
        CRC32 crc = new CRC32();
        long x = rounds;
        for (int i = 0; i < rounds; i++) {
            for (int k = 0; k < 900; k++)
                x = mix(x);
            crc.update(bytes, 0, 64);
        }
        return x + crc.getValue();
    }

    static long beta(int rounds) {
        long x = rounds | 1;
        for (int i = 0; i < rounds; i++)
            for (int k = 0; k < 1000; k++)
                x = mix(x) + k;
        return x;
    }

    interface Work {
        long run(int rounds);
    }

    static final Work gamma = rounds -> {
        long x = rounds | 3;
        for (int i = 0; i < rounds; i++)
            for (int k = 0; k < 1000; k++)
                x = x * 6364136223846793005L + k;
        return x;
    };

    static long cpu() {
        return threads.getCurrentThreadCpuTime();
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        long[] used = new long[3];
        long[] wanted = {50, 30, 20};
        long from = cpu(), start = from, until = from + (long) (Double.parseDouble(args[0]) * 1e9);
        while (from < until) {
            /* Whichever is most behind its share. */
            int next = 0;
            for (int i = 1; i < 3; i++)
                if (used[i] * wanted[next] < used[next] * wanted[i])
                    next = i;
            switch (next) {
            case 0:
                sink += alpha(2000);
                break;
            case 1:
                sink += beta(2000);
                break;
            default:
                sink += gamma.run(2000);
            }
            long now = cpu();
            used[next] += now - from;
            from = now;
        }
        double all = from - start;
        System.out.printf("alpha %.2f%nbeta %.2f%ngamma %.2f%n", 100 * used[0] / all, 100 * used[1] / all,
                          100 * used[2] / all);
    }
}
