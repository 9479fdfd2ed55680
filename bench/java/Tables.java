/* Tables.java - a database inside of the VM, h2 or derby: rows are written, joined and sorted, until it
 * is ended. */
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;

public class Tables {
    public static void main(String[] words) throws Exception {
        String url = words[0].equals("h2") ? "jdbc:h2:mem:test" : "jdbc:derby:memory:test;create=true";
        Random random = new Random(7);
        try (Connection db = DriverManager.getConnection(url); Statement all = db.createStatement()) {
            all.execute("create table person (id int primary key, name varchar(40), town int)");
            all.execute("create table town (id int primary key, name varchar(40))");
            PreparedStatement town = db.prepareStatement("insert into town values (?, ?)");
            for (int i = 0; i < 100; i++) {
                town.setInt(1, i);
                town.setString(2, "town " + random.nextInt());
                town.execute();
            }
            for (int round = 0;; round++) {
                PreparedStatement person = db.prepareStatement("insert into person values (?, ?, ?)");
                for (int i = 0; i < 2000; i++) {
                    person.setInt(1, i);
                    person.setString(2, "name " + random.nextInt(1000));
                    person.setInt(3, random.nextInt(100));
                    person.execute();
                }
                long count = 0;
                for (int i = 0; i < 10; i++)
                    try (ResultSet rows = all.executeQuery(
                             "select t.name, p.name, count(*) from person p join town t on p.town = t.id"
                             + " where p.name like '%" + i + "%' group by t.name, p.name order by 3 desc")) {
                        while (rows.next())
                            count += rows.getInt(3);
                    }
                if (count == 0)
                    throw new AssertionError("no rows");
                all.execute("delete from person");
            }
        }
    }
}
