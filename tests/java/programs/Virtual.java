/* Virtual.java - a program with virtual threads that work for a known number of turns each: of the long ones it
 * prints the name, or "#" and the number of those without one, and the turns.
 *
 *     Virtual.longer   12 threads, "long-0" to "long-7" and four without a name, which sleep after each turn
 *     Virtual.shorter  threads "short-0", "short-1" ... that end after some milliseconds
 *     Virtual.outside  a platform thread */
import java.util.ArrayList;
import java.util.List;

public class Virtual {
    static volatile long sink;
    static volatile byte[] last;

    static long work(long n) {
        long s = n;
        for (long i = 0; i < n; i++)
            s = s * 6364136223846793005L + (i ^ s >>> 7);
        return s;
    }

    static void longer(int turns) throws InterruptedException {
        for (int i = 0; i < turns; i++) {
            sink += work(2_000_000);
            last = new byte[300_000];
            Thread.sleep(1);
        }
    }

    static void shorter() {
        sink += work(3_000_000);
    }

    static void outside(int turns) {
        for (int i = 0; i < turns; i++)
            sink += work(2_000_000);
    }

    public static void main(String[] args) throws Exception {
        int turns = Integer.parseInt(args[0]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int mine = turns * (1 + i % 4);
            Runnable r = () -> {
                try {
                    longer(mine);
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            };
            Thread t = i < 8 ? Thread.ofVirtual().name("long-" + i).start(r) : Thread.ofVirtual().start(r);
            all.add(t);
            System.out.println((i < 8 ? t.getName() : "#" + t.threadId()) + " " + mine);
        }
        Thread platform = new Thread(() -> outside(turns), "outside");
        platform.start();
        for (int i = 0; i < 20 * turns; i += 10) {
            Thread[] some = new Thread[10];
            for (int k = 0; k < 10; k++)
                some[k] = Thread.ofVirtual().name("short-" + (i + k)).start(Virtual::shorter);
            for (Thread t : some)
                t.join();
        }
        for (Thread t : all)
            t.join();
        platform.join();
        System.out.println("done");
    }
}
