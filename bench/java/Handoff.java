/* Handoff.java - threads that pass a fair lock to and fro, for `bench/java/handoff`.
 *
 *     java Handoff [ROUNDS]     prints the middle of ROUNDS (40) rounds: "handoff 5880 ns"
 *
 * Each handoff is two switches of threads, so what a profiler does at a switch is seen here first. */
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class Handoff {
    static final int PER_ROUND = 5000;
    static final ReentrantLock lock = new ReentrantLock(true);
    static final Condition turned = lock.newCondition();
    static int turn;

    static void pass(int me) throws InterruptedException {
        for (int i = 0; i < PER_ROUND; i++) {
            lock.lock();
            try {
                while (turn != me)
                    turned.await();
                turn = 1 - me;
                turned.signal();
            } finally {
                lock.unlock();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        int rounds = words.length > 0 ? Integer.parseInt(words[0]) : 40;
        long[] took = new long[rounds];
        CyclicBarrier start = new CyclicBarrier(2), end = new CyclicBarrier(2);
        Thread other = new Thread(() -> {
            try {
                for (int i = 0; i < rounds; i++) {
                    start.await();
                    pass(1);
                    end.await();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "other");
        other.start();
        for (int i = 0; i < rounds; i++) {
            start.await();
            long from = System.nanoTime();
            pass(0);
            end.await();
            took[i] = (System.nanoTime() - from) / (2 * PER_ROUND);
        }
        other.join();
        Arrays.sort(took);
        System.out.println("handoff " + took[rounds / 2] + " ns, least " + took[0] + ", most " + took[rounds - 1]);
    }
}
