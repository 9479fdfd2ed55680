/* Still.java - a program that waits until its input ends. */
public class Still {
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0)
            ;
    }
}
