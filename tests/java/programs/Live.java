/* Live.java - a program that knows which of its objects can be reached: for each line of its input it
 * allocates, and prints how many bytes it keeps; it ends when its input does.
 *
 *     Live.kept      objects that can be reached until the end
 *     Live.dropped   objects that can be reached for a while
 *     Live.passing   objects that can be reached until the next one is allocated */
import java.util.ArrayList;
import java.util.List;

public class Live {
    static final int SIZE = 10_000, KEPT = 20_000, DROPPED = 5_000, PASSING = 40_000;
    static final List<byte[]> here = new ArrayList<>(), gone = new ArrayList<>();
    static volatile byte[] last;

    static void kept() {
        for (int i = 0; i < KEPT; i++)
            here.add(new byte[SIZE]);
    }

    static void dropped() {
        for (int i = 0; i < DROPPED; i++)
            gone.add(new byte[SIZE]);
    }

    static void passing() {
        for (int i = 0; i < PASSING; i++)
            last = new byte[SIZE];
        last = null;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (int c; (c = System.in.read()) >= 0;) {
            if (c != '\n')
                continue;
            dropped();
            kept();
            gone.clear();
            passing();
            System.out.println("kept " + (long) here.size() * SIZE);
        }
    }
}
