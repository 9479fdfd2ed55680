/* Waits.java - threads that each do one thing, and a program that measures what they do:
 *
 *     runs       computes
 *     sleeps     Thread.sleep
 *     waits      Object.wait without a timeout; timed: with one
 *     parks      LockSupport.park
 *     reads      a socket, from which nothing comes
 *     blocked    waits for a monitor that "holds" has most of the time: it prints for how long
 *     queued     waits for a ReentrantLock that "keeps" has most of the time: it prints for how long
 *     signaled   waits for a condition of another lock, and a latch: no waits for locks
 *     allocates  arrays of bytes, and objects: it prints how much
 *
 *     java Waits        until its input ends */
import java.net.ServerSocket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

public class Waits {
    static class Small {
        long a, b, c, d, e, f;
    }

    static volatile boolean over;
    static volatile Object garbage;
    static final Object held = new Object(), never = new Object(), timed = new Object();
    static final ReentrantLock kept = new ReentrantLock(true), free = new ReentrantLock();
    static final Condition condition = free.newCondition();
    static final CountDownLatch latch = new CountDownLatch(1);
    static long blockedNs, queuedNs, arrayBytes, smallBytes;
    static volatile long sink;

    interface Body {
        void run() throws Exception;
    }

    static Thread start(String name, boolean daemon, Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }, name);
        t.setDaemon(daemon);
        t.start();
        return t;
    }

    static void compute() {
        for (long i = 0; !over; i++)
            sink += i * i;
    }

    static void hold() throws Exception {
        while (!over)
            synchronized (held) {
                Thread.sleep(20);
            }
    }

    static void enter() {
        while (!over) {
            long from = System.nanoTime();
            synchronized (held) {
                blockedNs += System.nanoTime() - from;
            }
        }
    }

    static void keep() throws Exception {
        while (!over) {
            kept.lock();
            try {
                Thread.sleep(20);
            } finally {
                kept.unlock();
            }
        }
    }

    static void queue() {
        while (!over) {
            long from = System.nanoTime();
            kept.lock();
            queuedNs += System.nanoTime() - from;
            kept.unlock();
        }
    }

    static void awaitSignal() throws Exception {
        while (!over) {
            free.lock();
            condition.await(20, TimeUnit.MILLISECONDS);
            free.unlock();
            latch.await(20, TimeUnit.MILLISECONDS);
        }
    }

    static void allocateArrays() {
        garbage = new byte[4080];
        arrayBytes += 4096;
    }

    static void allocateSmall() {
        garbage = new Small();
        smallBytes += 64;
    }

    static void allocate() throws Exception {
        while (!over) {
            for (int i = 0; i < 1000; i++)
                allocateArrays();
            for (int i = 0; i < 16000; i++)
                allocateSmall();
            Thread.sleep(1);
        }
    }

    public static void main(String[] args) throws Exception {
        ServerSocket socket = new ServerSocket(0);
        start("runs", true, Waits::compute);
        start("sleeps", true, () -> Thread.sleep(Long.MAX_VALUE));
        start("waits", true, () -> {
            synchronized (never) {
                never.wait();
            }
        });
        start("timed", true, () -> {
            synchronized (timed) {
                timed.wait(1000000);
            }
        });
        start("parks", true, LockSupport::park);
        start("reads", true, () -> socket.accept());
        Thread holds = start("holds", false, Waits::hold);
        Thread blocked = start("blocked", false, Waits::enter);
        Thread keeps = start("keeps", false, Waits::keep);
        Thread queued = start("queued", false, Waits::queue);
        Thread signaled = start("signaled", false, Waits::awaitSignal);
        Thread allocates = start("allocates", false, Waits::allocate);
        System.out.println("ready");
        while (System.in.read() >= 0)
            ;
        over = true;
        holds.join();
        blocked.join();
        keeps.join();
        queued.join();
        signaled.join();
        allocates.join();
        System.out.println("blocked " + blockedNs + "\nqueued " + queuedNs + "\narrays " + arrayBytes + "\nsmall " + smallBytes);
    }
}
