/* Churn.java - what is hard for an agent in a Java VM, for so many seconds, all at once: methods that are
 * compiled, replaced on the stack and deoptimized again, classes that come and go and are redefined,
 * threads by the thousand, garbage, exceptions, deep stacks, native methods. Every part checks its own
 * result, so a VM that goes on with wrong values is found, too.
 *
 *     java -javaagent:churn.jar Churn SECONDS [return | exit | halt]
 *
 * At the end all of it still runs: main returns, exits or halts. */
import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

public class Churn {
    static volatile boolean over;
    static volatile Instrumentation instrumentation;
    static final AtomicLong wrong = new AtomicLong();
    static final AtomicLong[] rounds = new AtomicLong[9];
    static final Object lock = new Object();
    static long crcOfText;

    public static void premain(String words, Instrumentation given) {
        instrumentation = given;
    }

    static void check(boolean good, String what) {
        if (!good && wrong.getAndIncrement() < 10)
            System.err.println("wrong: " + what);
    }

    /* ---- Compiled code ------------------------------------------------------------------------ */

    /* One long loop: it is compiled while it runs. */
    static long replaced(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += (i ^ (i >>> 3)) & 7;
        return sum;
    }

    interface Shape {
        long area(long x);
    }

    /* A call that has one target, then two, then many: each is a reason to throw code away. */
    static long polymorphic(Shape[] shapes, int n) {
        long sum = 0;
        for (int i = 0; i < n; i++)
            sum += shapes[i % shapes.length].area(i);
        return sum;
    }

    static void deoptimize(int round) {
        Shape[] shapes = new Shape[1 + round % 5];
        long each = 0;
        for (int i = 0; i < shapes.length; i++) {
            final long k = i;
            shapes[i] = i == 0 ? x -> x : i == 1 ? x -> x + k : new Shape() {
                public long area(long x) {
                    return x + k;
                }
            };
        }
        int n = 20000 * shapes.length;
        for (int i = 0; i < n; i++)
            each += i + i % shapes.length;
        check(polymorphic(shapes, n) == each, "a polymorphic sum");
    }

    static long caught(int n) {
        long count = 0;
        Object text = "text";
        for (int i = 0; i < n; i++)
            try {
                if (i % 50 == 0)
                    text = i;
                count += ((String) text).length();
            } catch (ClassCastException e) {
                count -= e.getStackTrace().length > 0 ? 1 : 2;
                text = "text";
            }
        return count;
    }

    static long deep(int depth) {
        return depth == 0 ? 1 : 1 + deep(depth - 1);
    }

    /* ---- Classes ------------------------------------------------------------------------------ */

    public static class Brief implements LongUnaryOperator {
        public long applyAsLong(long x) {
            long sum = 0;
            for (int i = 0; i < 3000; i++)
                sum += x ^ i;
            return sum;
        }
    }

    static byte[] bytesOf(Class<?> type) throws Exception {
        try (InputStream in = type.getResourceAsStream("/" + type.getName() + ".class")) {
            return in.readAllBytes();
        }
    }

    static final class Loader extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass("Churn$Brief", bytes, 0, bytes.length);
        }
    }

    static void loadAndForget(byte[] bytes, int round) throws Exception {
        LongUnaryOperator brief = (LongUnaryOperator) new Loader().define(bytes)
                                      .getDeclaredConstructor().newInstance();
        for (int i = 0; i < 100; i++)
            check(brief.applyAsLong(0) == 4498500, "a class that was loaded");
        if (round % 50 == 49)
            System.gc();
    }

    static void redefine(byte[] bytes) throws Exception {
        if (instrumentation == null)
            return;
        check(new Brief().applyAsLong(0) == 4498500, "a class that is redefined");
        instrumentation.redefineClasses(new ClassDefinition(Brief.class, bytes));
        Thread.sleep(20);
    }

    /* ---- Threads and memory ------------------------------------------------------------------- */

    static void manyThreads(int count) throws Exception {
        AtomicLong sum = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                sum.addAndGet(replaced(100) > 0 ? 1 : 0);
                synchronized (lock) {
                    sum.addAndGet(1);
                }
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    return;
                }
                sum.addAndGet(1);
            }, "brief-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads)
            thread.join();
        check(sum.get() == 3L * count, "threads that ran");
    }

    static void garbage(Random random) {
        List<Object> kept = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            Object one = new byte[random.nextInt(2000)];
            if (i % 10 == 0)
                kept.add(one);
        }
        check(kept.size() == 500, "a list");
    }

    static void nativeCode(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        Deflater deflater = new Deflater();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] out = new byte[bytes.length + 100];
        int size = deflater.deflate(out);
        deflater.end();
        check(size > 0 && size < bytes.length && crc.getValue() == crcOfText,
              "compressed bytes");
    }

    /* ------------------------------------------------------------------------------------------- */

    interface Part {
        void run(int round) throws Exception;
    }

    static void start(int number, String name, Part part) {
        rounds[number] = new AtomicLong();
        Thread thread = new Thread(() -> {
            for (int i = 0; !over; i++)
                try {
                    part.run(i);
                    rounds[number].incrementAndGet();
                } catch (Throwable e) {
                    check(false, name + ": " + e);
                }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] words) throws Exception {
        double seconds = Double.parseDouble(words[0]);
        String ending = words.length > 1 ? words[1] : "return";
        byte[] brief = bytesOf(Brief.class), text = new byte[100000];
        Random random = new Random(7);
        Arrays.fill(text, (byte) 'x');
        CRC32 crc = new CRC32();
        crc.update(text);
        crcOfText = crc.getValue();
        start(0, "replaced", i -> check(replaced(3000000) == 10500000, "a sum"));
        start(1, "deoptimized", Churn::deoptimize);
        start(2, "caught", i -> check(caught(20000) != 0, "caught exceptions"));
        start(3, "deep", i -> check(deep(500 + i % 2000) == 501 + i % 2000, "a depth"));
        start(4, "loaded", i -> loadAndForget(brief, i));
        start(5, "redefined", i -> redefine(brief));
        start(6, "threads", i -> manyThreads(50 + 500 * (i % 3)));
        start(7, "garbage", i -> garbage(random));
        start(8, "native", i -> nativeCode(text));
        Thread.sleep((long) (seconds * 1000));
        StringBuilder line = new StringBuilder("rounds");
        for (AtomicLong one : rounds)
            line.append(' ').append(one.get());
        System.out.println(line + (wrong.get() > 0 ? " wrong " + wrong.get() : " all right"));
        System.out.flush();
        if (ending.equals("halt"))
            Runtime.getRuntime().halt(wrong.get() > 0 ? 1 : 0);
        if (ending.equals("exit"))
            System.exit(wrong.get() > 0 ? 1 : 0);
        over = true;
        if (wrong.get() > 0)
            System.exit(1);
    }
}
