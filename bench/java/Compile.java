/* Compile.java - Eclipse's compiler, on the sources of this folder, until it is ended. */
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

public class Compile {
    public static void main(String[] words) throws Exception {
        Path folder = Files.createTempDirectory("compile");
        StringBuilder source = new StringBuilder("import java.util.*; public class Many {\n");
        for (int i = 0; i < 400; i++)
            source.append("static <T extends Comparable<T>> List<T> sorted").append(i)
                .append("(Collection<? extends T> in) { List<T> out = new ArrayList<>(in);"
                        + " out.sort((a, b) -> a.compareTo(b)); Map<String, List<T>> by = new HashMap<>();"
                        + " for (T t : out) by.computeIfAbsent(t.toString(), k -> new ArrayList<>()).add(t);"
                        + " return by.isEmpty() ? out : by.values().iterator().next(); }\n");
        Path file = folder.resolve("Many.java");
        Files.writeString(file, source.append("}\n"));
        for (;;) {
            StringWriter said = new StringWriter();
            boolean good = org.eclipse.jdt.core.compiler.batch.BatchCompiler.compile(
                "-proc:none -source 11 -target 11 -nowarn -d " + folder + " " + file, new PrintWriter(said),
                new PrintWriter(said), null);
            if (!good)
                throw new AssertionError(said.toString());
        }
    }
}
