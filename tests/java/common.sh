# What the tests of the agent in Java VMs share: sourced by them, with the build as $1.
build=$1
flamel=$build/flamel
here=$(dirname "$0")
if ! command -v javac > /dev/null || ! command -v java > /dev/null; then
    echo 'there is no JDK here'
    exit 77
fi
# Only HotSpot has what the agent needs.
java -version 2>&1 | grep -q 'OpenJDK\|HotSpot' || {
    echo 'the JVM here is not HotSpot'
    exit 77
}
work=$(mktemp -d)
trap 'kill $pids 2> /dev/null; rm -rf "$work"' EXIT
pids=
bad=0
complain()
{
    echo "$1"
    bad=1
}
compile()
{
    javac -d "$work" "$here/programs/$1.java" || exit 1
}
# record OPTION...: or the test is skipped, where the kernel does not allow it.
record()
{
    "$flamel" record -q "$@" 2> "$work/said" || {
        status=$?
        cat "$work/said"
        grep -q 'perf_event_paranoid' "$work/said" && exit 77
        return $status
    }
}
folded()
{
    "$flamel" convert "$1" -o "$1.folded" --metric "${2:-cpu-clock}" 2> "$work/said" ||
        "$flamel" convert "$1" -o "$1.folded" 2> "$work/said" || cat "$work/said"
}
# share FILE FUNCTION OF: percent
share()
{
    awk -v of="$2" -v in_="$3" -f "$here/share.awk" "$1.folded"
}
# near WHAT NUMBER WANTED TOLERANCE
near()
{
    awk -v a="$2" -v b="$3" -v most="$4" 'BEGIN { exit !(a - b <= most && b - a <= most) }' ||
        complain "$1: $2, and not $3"
}
# await COMMAND...: until it succeeds, for a minute at most.
await()
{
    tries=0
    until "$@" > /dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { complain "waited in vain for: $*"; return 1; }
        sleep 0.1
    done
}
# Clock ticks of CPU time that a process has used; nothing, when it has ended.
cpu_ticks()
{
    sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | awk '{ print $12 + $13 }'
}
has_used()
{
    [ "$(cpu_ticks "$1")" -ge "$2" ]
}
# await_cpu PID TICKS: until it has used as much more, so that there are samples of it, however busy the machine is.
await_cpu()
{
    await has_used "$1" $(($(cpu_ticks "$1") + $2))
}
# child_of PROCESS: its only one
child_of()
{
    cat "/proc/$1/task/"*/children | tr -d " "
}
