#!/bin/sh
# Every command that the documentation shows can be given: documented.sh FLAMEL. Those of README.md,
# docs/*.md and the manual pages (.Dl) are run, in a folder with the files that they name, and none may
# end as one does that was used wrongly (2), or is not there (126, 127); expressions are applied.
#
# What serves or watches until it is stopped is stopped. Programs of others (perf, jq ...) are played by
# scripts, numbers of processes and of runs are ours, and where nothing may be recorded, what records is
# left out.

flamel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(pwd)
work=$(mktemp -d) || exit 1
sleep 600 &
process=$!
trap 'kill $process 2> /dev/null; rm -rf "$work"' EXIT

# ---- The commands: "FILE<tab>command" ----------------------------------------------------------

# Of manual pages, without what mdoc needs; expressions stand in flamel-expressions(7).
manual()
{
    awk '/^\.Dl / {
        sub(/^\.Dl /, "")
        gsub(/\\&/, ""); gsub(/\\-/, "-"); gsub(/\\e/, "\\")
        is_expression = FILENAME ~ /expressions/ && !/flamel/
        print FILENAME "\t" (is_expression ? "EXPRESSION " : "") $0
    }' docs/man/*.[1-9]
}

# Of fenced blocks that are no transcripts (those are run by tests/cli/run), in shell and in YAML: a
# command goes on after a backslash, and in YAML where options follow. Of indented blocks too: after a command and
# three blanks they say what it does.
markdown()
{
    awk '
        function finish() { if (command != "") print FILENAME "\t" command; command = "" }
        /^ *```/ { finish(); inside = !inside && /```(sh|yaml)/; next }
        !inside && !(/^    (npx )?flamel / || (command != "" && /^    /)) { finish(); next }
        {
            line = $0
            sub(/^ +/, "", line)
            if (!inside)
                sub(/   +[^ -].*/, "", line)
            if (command != "" && (goes_on || line ~ /^-o /)) command = command " " line
            else { finish(); if (line ~ /^(npx )?(flamel|perf) /) command = line }
            goes_on = sub(/ *\\$/, "", command)
            sub(/ +# .*/, "", command)
        }
        END { finish() }
    ' "$@"
}

# ---- What they name ------------------------------------------------------------------------------

cd "$work" || exit 1
mkdir -p bin old new base runs/base runs/new nightly hosts releases/1.0 releases/1.1 base new/bench bench
printf '%s\n' 'main;parse;parse_json 60' 'main;parse;lex;malloc 25' 'main;parse_v2;init 8' > app.folded
printf '%s\n' 'main;parse;parse_json 50' 'main;parse;lex;malloc 45' 'main;parse;init 8' > after.folded
cp "$root/tests/data/v8/example.cpuprofile" app.cpuprofile
cp "$(ls "$root"/tests/data/jfr/*.jfr | head -n 1)" app.jfr
cp "$root/tests/data/perf_script/default.txt" perf.txt
printf '%s\n' 'scrape:' '  - service: api' '    targets: ["127.0.0.1:1"]' > flamel.yaml
cp "$root/tests/data/perf_data/fp.data" perf.data
cp perf.data app.data
mkdir flamel-ab
"$flamel" convert -q "$root/tests/data/perf_script/processes.txt" -o samples.flm || exit 1
cp samples.flm app.flm
for name in old new before after run a b c; do cp app.flm $name.flm; done
for name in before heap host1 host2; do cp app.folded $name.folded; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cp app.flm flamel-ab/$i-base.flm
    cp app.flm flamel-ab/$i-new.flm
    for place in runs/base runs/new runs old new nightly hosts; do cp app.flm $place/$i.flm; done
    cp app.flm old$i.flm
    cp app.flm new$i.flm
    cp app.folded releases/1.0/$i.folded
    cp app.folded releases/1.1/$i.folded
done
printf '#!/bin/sh\ni=0\nwhile [ $i -lt 2000 ]; do i=$((i+1)); done\n' > app
printf 'i = 0\nwhile i < 20000:\n    i += 1\n' > old/app.py
cp old/app.py new/app.py
chmod +x app
for name in api before after; do "$flamel" convert -q app.folded -o $name.pb.gz || exit 1; done
for time in now -30m -2h30m -24h30m -2d -3d -4d -5d -6d -7d -8d -9d -10d -11d; do "$flamel" store add flamel-data -l service=api --time $time api.pb.gz || exit 1; done
for version in 1.4 1.5; do
    for pod in 1 2 3 4 5 6 7 8; do "$flamel" store add flamel-data -l service=api -l version=$version -l pod=v$pod --time -20m api.pb.gz || exit 1; done
done
for pod in 1 2 3 4 5 6 7 8; do
    for time in -30m -2h30m; do "$flamel" store add flamel-data -l service=api -l pod=$pod --time $time api.pb.gz || exit 1; done
done
for name in load-test old/app new/app base/app; do cp app $name; done
run=1 machine=x
export run machine

stub()
{
    printf '#!/bin/sh\n%s\n' "$2" > "bin/$1"
    chmod +x "bin/$1"
}
ln -s "$flamel" bin/flamel
stub perf "case \$1 in script) cat '$root/tests/data/perf_script/default.txt';; esac"
stub flamegraph.pl 'cat'
stub source 'cat > /dev/null'
stub jq 'cat > /dev/null'
stub make './app'
stub npx 'exec "$@"' # the package of npm is tried by tests/packages/npm.sh
stub pidof "echo $process"
export PATH="$work/bin:$PATH" BROWSER=true HOME="$work"

may_record=true
flamel record -q -o probe.flm -- true 2> why || may_record=false

# ---- Running them --------------------------------------------------------------------------------

# As it can be run here.
adapt()
{
    printf '%s\n' "$1" | sed "s/4711/$process/; s/--duration 10s/--duration 200ms/; s/-d 5s/-d 200ms/
        s/-i 5s/-i 200ms/; s/-n 20/-n 7/; s/-m off-cpu/-m samples/; s/--processors 2/--processors $cpu/
        s/source <(\(.*\))/\1 | source/; s/label:tid=$process/label:tid=27492/
        s/label:thread=[ab]/label:thread=27492/g; s/time:0s[.][.]1s/time:0s..100ms/
        s/time:1s[.][.]2s/time:100ms..400ms/; s/libc[.]so[.]6/*libc.so.6/; s/focus:malloc/focus:*run*/
        s/time:3s[.][.]4s/time:100ms..400ms/; s/annotate \(.*\)parse /annotate \1'*run*' /
        s|/var/lib/flamel|$work/flamel-data|g; s|/etc/flamel-tokens|$work/tokens|g
        s|--listen 0.0.0.0:4040|--listen 127.0.0.1:0|; /--listen/!s|flamel serve|& --listen 127.0.0.1:0|
        s|--push http://127.0.0.1:4040|--push http://127.0.0.1:9|
        s/--function parse/--function worker/; s/--stack 'main;poll;read'/--stack 'sleep;setlocale'/
        s/--time 12.2s[.][.]13.7s/--time 100ms..400ms/
        s/-F malloc/-F '*run*'/; s/focus:parse'/focus:*run*'/; s/drop:.poll.wait./drop:\/poll|sin\//"
}
cpu=$(taskset -cp $$ 2> /dev/null | sed 's/.*: //; s/[-,].*//')
cpu=${cpu:-0}

# What does not end by itself is stopped after three seconds.
run()
{
    case $1 in
    EXPRESSION*) set -- "flamel filter app.flm --allow-empty --apply '${1#EXPRESSION }' -o applied.flm" ;;
    esac
    # The two programs of --ab are called ./old and ./new, which are folders for others.
    case $1 in
    *./old*) mkdir -p ab && cd ab && cp ../app old && cp ../app new ;;
    esac
    adapt "$1" > "$work/command"
    case $1 in
    *'flamel view'* | *'record --view'* | *'flamel top'* | *'flamel serve'*)
        timeout -s INT -k 5 3 sh "$work/command" < /dev/null > "$work/got" 2>&1 ;;
    *) timeout -k 5 60 sh "$work/command" < /dev/null > "$work/got" 2>&1 ;;
    esac
}

is_recording()
{
    case $1 in
    *'flamel record'* | *'flamel top'* | *'flamel gate --ab'*) return 0 ;;
    *) return 1 ;;
    esac
}

(cd "$root" && { manual; markdown README.md docs/*.md web/*/README.md examples/*/README.md; }) > commands
tab=$(printf '\t')
passed=0 failed=0
while IFS= read -r line; do
    file=${line%%"$tab"*} command=${line#*"$tab"}
    case $command in
    *--tui*) continue ;; # needs a terminal: tests/cli/tui
    *--threads-of*) continue ;; # needs a Java VM: tests/record/java
    *--tls-cert*) continue ;; # needs a certificate: tests/browser/viewer_serve.mjs
    *clickhouse:*) continue ;; # needs ClickHouse: make test-stores
    EXPRESSION* | *flamel*) ;;
    *) continue ;; # of others
    esac
    cp samples.flm app.flm # examples of convert write it
    if ! $may_record && is_recording "$command"; then continue; fi
    (run "$command")
    status=$?
    case $status in
    2 | 126 | 127 | 13?)
        failed=$((failed + 1))
        echo "$file: $command"
        echo "    run as: $(cat command)"
        echo "    ended with $status: $(tail -n 3 got)" ;;
    *) passed=$((passed + 1)) ;;
    esac
done < commands

echo "$passed commands can be given, $failed cannot"
[ $failed -eq 0 ] && [ $passed -gt 60 ]
