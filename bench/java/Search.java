/* Search.java - Lucene: documents are indexed in memory and searched, until it is ended. */
import java.util.Random;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.RAMDirectory;
import org.apache.lucene.util.Version;

public class Search {
    public static void main(String[] words) throws Exception {
        Random random = new Random(7);
        for (;;) {
            RAMDirectory folder = new RAMDirectory();
            try (IndexWriter writer =
                     new IndexWriter(folder, new IndexWriterConfig(Version.LATEST, new WhitespaceAnalyzer()))) {
                for (int i = 0; i < 5000; i++) {
                    StringBuilder text = new StringBuilder();
                    for (int k = 0; k < 60; k++)
                        text.append("word").append(random.nextInt(2000)).append(' ');
                    Document document = new Document();
                    document.add(new TextField("text", text.toString(), Field.Store.YES));
                    writer.addDocument(document);
                }
            }
            try (DirectoryReader reader = DirectoryReader.open(folder)) {
                IndexSearcher searcher = new IndexSearcher(reader);
                for (int i = 0; i < 3000; i++) {
                    BooleanQuery query = new BooleanQuery();
                    for (int k = 0; k < 3; k++)
                        query.add(new TermQuery(new Term("text", "word" + random.nextInt(2000))),
                                  BooleanClause.Occur.SHOULD);
                    if (searcher.search(query, 10).totalHits == 0)
                        throw new AssertionError("nothing found");
                }
            }
        }
    }
}
