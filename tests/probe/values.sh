#!/bin/sh
# Values, gauges, counters and frames are exact, in C and C++: values.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}
$cc -O1 -Iinclude tests/probe/programs/figures.c -o "$work/dump" || exit 1

cat > "$work/app.c" << 'END'
#include <flamel/probe_values.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int evaluated;
static int once(int value)
{
    evaluated++;
    return value;
}

static void *clients(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        FLM_GAUGE_ADD("clients", 1);
        FLM_COUNT("bytes", 10);
        if (i % 2 == 0)
            FLM_GAUGE_ADD("clients", -1);
    }
    return arg;
}

static void update(void)
{
    FLM_FUNC();
    FLM_COUNT("bytes", 3);
}

static void play(int frames)
{
    FLM_FUNC();
    for (int i = 0; i < frames; i++) {
        FLM_FRAME("frame");
        update();
        { FLM_SCOPE("draw"); FLM_SCOPE("text"); }
    }
}

static void inside(void)
{
    for (int i = 0; i < 10; i++) {
        FLM_SCOPE("iteration");
        FLM_FRAME("never whole");
    }
    for (int i = 0; i < 10; i++) {
        FLM_FRAME("outer");
        for (int j = 0; j < 5; j++) {
            FLM_FRAME("inner");
            update();
        }
        flm_frame_end();
    }
    flm_frame_end();
    flm_frame_end();
    { FLM_SCOPE("after"); }
}

int main(void)
{
    FLM_SCOPE("main");
    const double nothing = atof("nan"), most = atof("1e300");
    for (int i = 1; i <= 1000; i++)
        FLM_VALUE("batch", once(i));
    for (int i = 0; i < 10; i++)
        FLM_VALUE("signed", i % 2 ? -i : i);
    for (int i = 0; i < 2; i++)
        FLM_VALUE("part", i == 0 ? 0.25f : -1.5f);
    FLM_VALUE("large", (int64_t)1 << 42);
    FLM_VALUE("beyond", most);
    FLM_VALUE("beyond", nothing);
    FLM_GAUGE("beyond", -most);
    FLM_GAUGE("level", 7);
    FLM_GAUGE("level", 7.5);
    FLM_GAUGE_ADD("level", 0.5);
    int area = FLM_WATCH(once(6) * 7);
    pthread_t thread;
    pthread_create(&thread, NULL, clients, NULL);
    clients(NULL);
    pthread_join(thread, NULL);
    play(101);
    play(2);
    inside();
    printf("%d %d\n", area, evaluated);
    return 0;
}
END
cp "$work/app.c" "$work/app.cc"
cat > "$work/expected" << 'END'
history batch 1000 998 999 1000
history beyond 0
history large 1 4.398046511e+12
history level 3 7 7.5 8
history once(6) * 7 1 42
history part 2 0.25 -1.5
history signed 10 -7 8 -9
lost 3
left 0
meter batch LEVEL 1000 count 500500 sum 1 least 1000 greatest 1000 last
meter bytes COUNT 2000 count 20000 sum 10 least 10 greatest 10 last
meter bytes COUNT 153 count 459 sum 3 least 3 greatest 3 last
meter large LEVEL 1 count 4.398046511e+12 sum 4.398046511e+12 least 4.398046511e+12 greatest 4.398046511e+12 last
meter level LEVEL 3 count 22.5 sum 7 least 8 greatest 8 last
meter once(6) * 7 LEVEL 1 count 42 sum 42 least 42 greatest 42 last
meter part LEVEL 2 count -1.25 sum -1.5 least 0.25 greatest -1.5 last
meter signed LEVEL 10 count -5 sum -9 least 8 greatest -9 last
node bytes 1000 10000 amount
node main 1
node main;after 1
node main;bytes 1000 10000 amount
node main;iteration 10
node main;iteration;never whole 0
node main;outer 9
node main;outer;inner 40
node main;outer;inner;update 50
node main;outer;inner;update;bytes 50 150 amount
node main;play 2
node main;play;frame 101
node main;play;frame;draw 103
node main;play;frame;draw;text 103
node main;play;frame;update 103
node main;play;frame;update;bytes 103 309 amount
END
grep -v beyond "$work/expected" | LC_ALL=C sort > "$work/sorted"
check()
{
    what=$1
    shift
    "$@" -Iinclude -o "$work/app" -pthread -L"$build" -lflamel-probe || { complain "$what: does not compile"; return; }
    [ "$(FLAMEL=file:$work/out,no-locks,no-io,no-memory "$work/app")" = "42 1001" ] || complain "$what: expressions are not evaluated once"
    [ "$("$work/app")" = "42 1" ] || complain "$what: expressions are evaluated where nothing is measured"
    "$work/dump" "$work/out" > "$work/dumped"
    sed 's/ calls [0-9]* ns//' "$work/dumped" | grep -v 'DURATION\|clients\|history bytes' | LC_ALL=C sort |
        diff "$work/sorted" - || complain "$what: other values"
    # Two threads: each change is kept, and the last one of all is what is left.
    grep -q '^meter clients LEVEL 3000 count' "$work/dumped" || complain "$what: $(grep clients "$work/dumped")"
    last=$(sed -n 's/^history clients .* \([0-9]*\)$/\1/p' "$work/dumped" | sort -n | tail -1)
    [ "$last" -ge 999 ] && [ "$last" -le 1001 ] || complain "$what: $last clients are left of 1000"
    grep -q '^meter frame DURATION 101 count' "$work/dumped" || complain "$what: $(grep 'meter frame' "$work/dumped")"
    # The sum of a counter: each of the first 256, then each 64th; of a thread it has 1,000.
    grep -q '^history bytes 267 8320 8960 9600' "$work/dumped" ||
        complain "$what: $(grep 'history bytes' "$work/dumped")"
    grep 'wrong' "$work/dumped" && bad=1
    # From mark to mark is a call.
    awk '$2 == "main;play;frame" { frames = $5 } $2 == "main;play" { play = $5 }
         END { exit !(frames > 0 && frames <= play) }' "$work/dumped" || complain "$what: frames are longer than what they are in"
}
check C $cc -O2 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/app.c"
check C++11 g++ -O2 -std=c++11 -Wall -Wextra -Wpedantic -Wshadow -Werror "$work/app.cc"
check C++17 g++ -O1 -std=c++17 -Wall -Wextra -Werror "$work/app.cc"
# A value that is none is not counted, and the report does not say that there was no room.
cat > "$work/none.c" << 'END'
#include <flamel/probe_values.h>
#include <math.h>
int main(void)
{
    FLM_VALUE("none", (double)NAN);
    FLM_VALUE("some", 1);
    return 0;
}
END
$cc -O1 -Iinclude "$work/none.c" -o "$work/none" -L"$build" -lflamel-probe || exit 1
FLAMEL=report "$work/none" 2> "$work/none.txt"
grep -q '^1 values are not counted: no numbers' "$work/none.txt" || { echo 'NaN: no word of it'; cat "$work/none.txt"; bad=1; }

exit $bad
