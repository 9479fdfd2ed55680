/* Statements and URLs, and what they become: a line for each that is wrong. */
#include "../../../probe/front/clients/normalize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef size_t normalize(char *to, size_t room, const char *text, size_t size);

static int bad;

/* In memory of just that size, for the sanitizer; also cut off anywhere, and in little room. */
static void check(normalize *what, const char *text, const char *wanted)
{
    size_t size = strlen(text);
    char out[256];
    size_t count = what(out, sizeof out, text, size);
    if (count != strlen(wanted) || memcmp(out, wanted, count) != 0) {
        printf("%s\n  is     %.*s\n  not    %s\n", text, (int)count, out, wanted);
        bad = 1;
    }
    for (size_t cut = 0; cut <= size; cut++) {
        char *part = malloc(cut + 1), *little = malloc(cut + 1);
        memcpy(part, text, cut);
        char *exact = cut > 0 ? malloc(cut) : NULL;
        if (exact)
            memcpy(exact, text, cut);
        if (what(out, sizeof out, exact ? exact : part, cut) > sizeof out ||
            what(little, cut, text, size) > cut)
            bad = 1;
        free(exact);
        free(part);
        free(little);
    }
}

int main(void)
{
    static const char *const statements[][2] = {
        {"SELECT 1", "SELECT ?"},
        {"select  *\n from t\twhere a=1 ;", "select * from t where a=?"},
        {"SELECT * FROM t WHERE id IN (1, 2, 3) AND name = 'x'",
         "SELECT * FROM t WHERE id IN (?) AND name = ?"},
        {"a in ($1,$2 , $3)", "a in (?)"},
        {"a in ('x''y','it''s, (1)')", "a in (?)"},
        {"INSERT INTO t (a, b) VALUES (1, 'a'), (2, 'b'),(3,'c')",
         "INSERT INTO t (a, b) VALUES (?)"},
        {"x = -5 and y = a - 5 and z = a -5", "x = ? and y = a - ? and z = a -?"},
        {"1.5e-3 + .5 + 0x1F + 7e5", "? + ? + ? + ?"},
        {"t1.c2 = 3", "t1.c2 = ?"},
        {"E'a\\'b' || x'ff' || N'q'", "? || ? || ?"},
        {"$$it's$$, $tag$ $$ $tag$", "?"},
        {"SELECT \"a 1\", `b 2`, [c] FROM t", "SELECT \"a 1\", `b 2`, [c] FROM t"},
        {"a = :name and b = @other and c = ?1 and d::text = 'x'",
         "a = ? and b = ? and c = ? and d::text = ?"},
        {"SELECT /* one /* two */ */ a -- end\n FROM t", "SELECT a FROM t"},
        {"SELECT f( 1 , a , 2 )", "SELECT f(? , a , ?)"},
        {"'never ends", "?"},
        {"", ""},
        {"/* never", ""},
        {"BEGIN", "BEGIN"},
    };
    static const char *const urls[][2] = {
        {"https://example.org/users/42/posts?page=2#top", "https://example.org/users/{id}/posts"},
        {"http://me:secret@h:8080/a/", "http://h:8080/a/"},
        {"http://h", "http://h"},
        {"h/1/2b/123e4567-e89b-12d3-a456-426614174000", "h/{id}/2b/{id}"},
        {"http://h/0123456789abcdef/deadbeef/v1", "http://h/{id}/deadbeef/v1"},
        {"http://h?x=http://other/1", "http://h"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        check(flm_normalize_statement, statements[i][0], statements[i][1]);
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        check(flm_normalize_url, urls[i][0], urls[i][1]);
    return bad;
}
