import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Sorts words: half of its time is in the code that C2 makes of String.compareTo. */
public class Words {
    static int sort(int rounds) {
        Random random = new Random(1);
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            List<String> words = new ArrayList<>();
            for (int k = 0; k < 2000; k++)
                words.add("some prefix " + random.nextInt(100000));
            Collections.sort(words);
            sum += words.get(0).length();
        }
        return sum;
    }

    public static void main(String[] arguments) {
        long end = System.nanoTime() + (long) (Double.parseDouble(arguments[0]) * 1e9);
        int sum = sort(1000);
        do
            sum += sort(100);
        while (System.nanoTime() < end);
        System.out.println(sum);
    }
}
