#!/bin/sh
# What FLAMEL asks for is written at the end, also by _exit, and by a child for itself: report.sh BUILD.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
bad=0
complain()
{
    echo "$1"
    bad=1
}

cat > "$work/app.c" << 'END_OF_PROGRAM'
#include <flamel/probe.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int sink;
static void parse(int n)
{
    FLM_FUNC();
    for (int i = 0; i < n; i++) {
        FLM_SCOPE("line");
        sink += i;
    }
}
int main(int count, char **argv)
{
    const char *what = count > 1 ? argv[1] : "";
    FLM_FUNC();
    for (int i = 0; i < 300; i++)
        parse(3);
    if (strcmp(what, "_exit") == 0)
        _exit(7);
    if (strcmp(what, "vfork") == 0) {
        pid_t child = vfork();
        if (child == 0)
            _exit(0);
        waitpid(child, 0, 0);
    }
    if (strcmp(what, "fork") == 0) {
        pid_t child = fork();
        parse(child == 0 ? 5 : 1);
        if (child > 0)
            waitpid(child, 0, 0);
    }
    return strcmp(what, "now") == 0 ? flm_probe_report() : 0;
}
END_OF_PROGRAM
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -L"$build" -lflamel-probe || exit 1
$cc -O1 -Iinclude "$work/app.c" -o "$work/static" -L"$build" -Wl,-Bstatic -lflamel-probe -Wl,-Bdynamic -lm || exit 1
cd "$work" || exit 1

calls() # of a scope, in a file of JSON
{
    sed -n "s/.*{\"name\": \"$2\",.*\"calls\": \([0-9]*\),.*\"total_ns.*/\1/p" "$1" | head -n 1
}

for program in app static; do
    FLAMEL=report,json:out.json,csv:out.csv,markdown:out.md,flm:out.flm,percentiles:50/99.9 ./$program \
        > said 2> report || complain "$program: it fails"
    [ -s said ] && complain "$program: it prints on standard output"
    grep -q '^ *300 .* parse$' report || { complain "$program: no row of parse"; cat report; }
    grep -q '^ *900 .* line$' report || complain "$program: no row of line"
    grep -q 'p50.*p99\.9' report || complain "$program: not the percentiles that were asked for"
    [ "$(calls out.json parse)" = 300 ] && [ "$(calls out.json line)" = 900 ] || complain "$program: JSON"
    grep -q '^time,line,,calls,900$' out.csv || complain "$program: CSV"
    grep -q '^| 900 |.*`line` |$' out.md || complain "$program: Markdown"
    [ "$("$build/flamel" convert -q -t folded -m calls out.flm | grep line)" = 'main;parse;line 900' ] ||
        complain "$program: the profile"
    rm -f out.*
done

# The command makes the same report of the file.
FLAMEL=file:out.probe,report:in.txt ./app || complain "file and report: it fails"
"$build/flamel" report out.probe > out.txt
cmp -s in.txt out.txt || { complain "the command makes another report"; diff in.txt out.txt; }
"$build/flamel" report --percentiles 50,99.9 --json out.probe | grep -q '"p99.9_ns"' || complain "--percentiles"
# The scopes take microseconds: less the cost of measuring, one of the three may be left with no time.
"$build/flamel" report --view top out.probe | grep -qE ' (main|parse|line)$' || complain "--view top"

FLAMEL=json:exit.json ./app _exit
[ $? = 7 ] || complain "_exit: another status"
[ "$(calls exit.json parse)" = 300 ] || complain "_exit: no report"
FLAMEL=json:vfork.json ./app vfork || complain "vfork: it fails"
[ "$(ls vfork.json*)" = vfork.json ] || complain "vfork: the child writes a report"
FLAMEL=report,json:fork.json ./app fork 2> report || complain "fork: it fails"
[ "$(calls fork.json parse)" = 301 ] || complain "fork: the parent's report"
[ "$(calls fork.json.* parse)" = 1 ] && [ "$(calls fork.json.* line)" = 5 ] || complain "fork: the child's report"
[ "$(grep -c '^time' report)" = 1 ] || complain "fork: two reports on standard error"
FLAMEL=json:now.json ./app now || complain "now: it fails"
./app now && complain "now: a report where nothing is measured"

FLAMEL=json:/nonexistent/out.json ./app 2> said || complain "no folder: it ends the program"
grep -qx 'flamel-probe: /nonexistent/out.json: No such file or directory' said || { complain "no folder"; cat said; }
FLAMEL=jsn:x ./app 2>&1 | grep -q "'jsn:x' is not understood" || complain "a wrong word"
FLAMEL=rows:many ./app 2>&1 | grep -q "'rows:many': write rows:NUMBER" || complain "a wrong value"
FLAMEL='report, rows:1,no-time' ./app 2>&1 | grep -q '^  300  parse$\|calls were counted only' || complain "blanks, no-time"
FLAMEL=report,rows:1 ./app 2>&1 | grep -q '^2 more' || complain "rows:1"
# What is at one place is one row, however many copies of it there are: instances of a template, say. One that
# is in another counts once in the total.
cat > copies.c << 'END'
#include <flamel/probe.h>
#define ONE_LINE(inner) do { FLM_SCOPE("copy"); inner; } while (0)
int main(void)
{
    for (int i = 0; i < 10; i++) { ONE_LINE(); ONE_LINE(ONE_LINE()); }
    return 0;
}
END
$cc -O1 -I"$OLDPWD/include" copies.c -o copies -L"$build" -lflamel-probe || exit 1
FLAMEL=json:copies.json ./copies || complain "copies: it fails"
[ "$(grep -c '"name": "copy".*"total_ns"' copies.json)" = 1 ] || { complain "copies: more rows than one"; cat copies.json; }
[ "$(calls copies.json copy)" = 30 ] || complain "copies: not 30 calls"
exit $bad
