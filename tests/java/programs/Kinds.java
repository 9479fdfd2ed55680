/* Kinds.java - a program whose methods run as kinds.sh tells the VM.
 *
 *     java Kinds SECONDS
 *
 *     run        is never compiled, as kinds.sh says
 *     twice      is compiled, with itself inlined into it
 *     fast       is compiled, and not inlined
 *     mix        is inlined */
public class Kinds {
    static long sink;

    static long mix(long x) {
        x ^= x << 13;
        x ^= x >>> 7;
        return x ^ (x << 17);
    }

    static long fast(int rounds) {
        long x = rounds | 1;
        for (int i = 0; i < rounds; i++)
            x = mix(x) + i;
        return x;
    }

    static long twice(int rounds, boolean again) {
        return again ? twice(rounds, false) : fast(rounds);
    }

    static long run(int rounds) {
        return twice(rounds, true);
    }

    /* More calls than the VM counts before it compiles a method. */
    static void warmUp() {
        for (int i = 0; i < 30000; i++)
            sink += run(100);
    }

    static void measured(long duration) {
        long until = System.nanoTime() + duration;
        while (System.nanoTime() < until)
            sink += run(2000);
    }

    public static void main(String[] args) {
        warmUp();
        measured((long) (Double.parseDouble(args[0]) * 1e9));
        System.out.println(sink);
    }
}
