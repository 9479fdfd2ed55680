/* Busy.java - a program that does what disturbs a profiler: threads that start and end, classes that
 * are loaded and unloaded, garbage, exceptions, monitors, parks, and a thousand virtual threads where
 * the VM has them (21 and later); and that checks its own sums. It ends when its input does, and
 * prints "right" then.
 *
 *     java Busy THREADS */
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

public class Busy {
    static volatile boolean over, wrong;
    static final Object monitor = new Object();
    static final ReentrantLock lock = new ReentrantLock();
    static volatile Object garbage;

    /* Loaded again and again, by loaders that are forgotten. */
    public static class Loaded {
        public static long sum(int n) {
            long sum = 0;
            for (int i = 1; i <= n; i++)
                sum += i;
            return sum;
        }
    }

    static class Loader extends ClassLoader {
        final byte[] bytes;
        Loader(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }
        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    static byte[] read() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = Busy.class.getResourceAsStream("Busy$Loaded.class")) {
            for (int b; (b = in.read()) >= 0;)
                out.write(b);
        }
        return out.toByteArray();
    }

    static int deep(int n) {
        return n == 0 ? 0 : 1 + deep(n - 1);
    }

    static void check(long is, long should) {
        if (is != should)
            wrong = true;
    }

    static void loadClasses(byte[] bytes) throws Exception {
        Class<?> loaded = new Loader(bytes).loadClass("Busy$Loaded");
        Method sum = loaded.getMethod("sum", int.class);
        for (int i = 0; i < 200; i++)
            check((Long) sum.invoke(null, 1000), 500500);
    }

    static void allocate() {
        Map<String, List<Integer>> map = new HashMap<>();
        for (int i = 0; i < 2000; i++)
            map.computeIfAbsent("key" + i % 100, k -> new ArrayList<>()).add(i);
        int count = 0;
        for (List<Integer> list : map.values())
            count += list.size();
        check(count, 2000);
        garbage = map;
    }

    static void fail(int depth) {
        if (depth == 0)
            throw new IllegalStateException();
        fail(depth - 1);
    }

    static void work(byte[] bytes, int kind) throws Exception {
        switch (kind % 6) {
        case 0:
            loadClasses(bytes);
            break;
        case 1:
            allocate();
            break;
        case 2:
            check(deep(3000), 3000);
            break;
        case 3:
            try {
                fail(20);
                wrong = true;
            } catch (IllegalStateException expected) {
                check(1, 1);
            }
            break;
        case 4:
            synchronized (monitor) {
                monitor.notifyAll();
                monitor.wait(1);
            }
            break;
        default:
            lock.lock();
            try {
                check(Loaded.sum(1000), 500500);
            } finally {
                lock.unlock();
            }
        }
    }

    static void workOften(byte[] bytes, int number, int times) {
        try {
            for (int k = 0; k < times; k++)
                work(bytes, number + k);
        } catch (Throwable e) {
            e.printStackTrace();
            wrong = true;
        }
    }

    /* Starts virtual threads until the program is over, a thousand at a time; nothing in older VMs. */
    static void startVirtual(byte[] bytes) {
        LinkedBlockingQueue<Integer> places = new LinkedBlockingQueue<>(1000);
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            for (int i = 0; !over; i++) {
                int number = i;
                places.put(number);
                start.invoke(null, (Runnable) () -> {
                    if (number % 3 > 0)
                        Thread.currentThread().setName("virtual-" + number);
                    workOften(bytes, number, 2);
                    places.poll();
                });
            }
        } catch (NoSuchMethodException expected) {
            check(1, 1);
        } catch (Exception e) {
            e.printStackTrace();
            wrong = true;
        }
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = read();
        int threads = Integer.parseInt(args[0]);
        LinkedBlockingQueue<Integer> places = new LinkedBlockingQueue<>(threads);
        Thread starter = new Thread(() -> {
            for (int i = 0; !over; i++) {
                int number = i;
                try {
                    places.put(number);
                } catch (InterruptedException e) {
                    return;
                }
                Thread t = new Thread(() -> {
                    workOften(bytes, number, 30);
                    places.poll();
                }, "worker-" + number % 10);
                t.start();
            }
        }, "starter");
        starter.start();
        Thread virtualStarter = new Thread(() -> startVirtual(bytes), "virtual starter");
        virtualStarter.setDaemon(true);
        virtualStarter.start();
        System.out.println("ready");
        while (System.in.read() >= 0)
            ;
        over = true;
        places.poll();
        starter.join();
        System.out.println(wrong ? "wrong" : "right");
        System.exit(wrong ? 1 : 0);
    }
}
