#!/bin/sh
# Names that are known at run time: few, many, and those that two threads have: requests.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}

cat > "$work/app.c" << 'END'
#include <flamel/probe.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void query(void)
{
    FLM_FUNC();
}
static void serve(const char *route, int queries)
{
    char name[64];
    snprintf(name, sizeof name, "GET /%s", route);
    FLM_REQUEST(name);
    memset(name, 'x', sizeof name);
    for (int i = 0; i < queries; i++)
        query();
}
static void *run(void *route)
{
    for (int i = 0; i < 1000; i++)
        serve(i % 4 == 0 ? "home" : (const char *)route, i % 4);
    return 0;
}
static int evaluated;
static const char *name_of(int i)
{
    static char name[32];
    snprintf(name, sizeof name, "name %d", i);
    evaluated++;
    return name;
}
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < 1500; i++) {
                FLM_REQUEST(name_of(i));
            }
        return 0;
    }
    pthread_t thread;
    pthread_create(&thread, 0, run, (void *)(size_t)"users");
    run((void *)(size_t)"users");
    pthread_join(thread, 0);
    for (int i = 0; i < 600; i++) {
        FLM_SCOPE_NAMED(name_of(i % 3));
        FLM_SCOPE("inside");
    }
    { FLM_REQUEST("same"); }
    { FLM_SCOPE_NAMED("same"); }
    { FLM_REQUEST(NULL); }
    printf("%d\n", evaluated);
    return 0;
}
END
cp "$work/app.c" "$work/app.cc"
cat > "$work/expected" << 'END'
<unnamed> 1
GET /home 500
GET /users 1500
GET /users;query 3000
name 0 200
name 0;inside 200
name 1 200
name 1;inside 200
name 2 200
name 2;inside 200
same 2
END
check()
{
    what=$1
    shift
    "$@" -Iinclude -o "$work/app" -pthread -L"$build" -lflamel-probe || { complain "$what: does not compile"; return; }
    [ "$(FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/app")" = 600 ] || complain "$what: names are not evaluated once"
    "$build/flamel" convert -q -t folded -m calls "$work/out" | LC_ALL=C sort | diff "$work/expected" - ||
        complain "$what: other counts"
    [ "$("$work/app")" = 0 ] || complain "$what: names are evaluated where nothing is measured"
}
check C $cc -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/app.c"
check C++11 g++ -O2 -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/app.cc"

# Memory is bounded: what is beyond 1,000 names is one.
FLAMEL=file:$work/many,no-locks,no-io,no-memory "$work/app" many || complain "many: it fails"
"$build/flamel" convert -q -t folded -m calls "$work/many" > "$work/folded"
[ "$(wc -l < "$work/folded")" = 1001 ] || complain "many: $(wc -l < "$work/folded") names"
grep -qx '<other> 1000' "$work/folded" || complain "many: $(grep other "$work/folded")"
exit $bad
