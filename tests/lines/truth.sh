#!/bin/sh
# Lines cost what they cost: truth.sh FLAMEL [all]. A program measures what its lines cost
# (programs/), flamel records it, and the share of each line must be the one that the program
# measured, within 2 points and three standard errors of that many samples. No time is asserted:
# on a loaded machine both are shares of the same CPU time.
#
# Without "all" it is a part of what compilers, debug information and runtimes there are.
#
# MILLISECONDS and FREQUENCY of each recording may be set; the samples are their product.

cd "$(dirname "$0")" || exit 1
flamel=$(cd "$OLDPWD" && cd "$(dirname "$1")" && pwd)/$(basename "$1")
which=${2:-quick}
here=$(pwd)
milliseconds=${MILLISECONDS:-$([ "$which" = all ] && echo 3000 || echo 1000)}
frequency=${FREQUENCY:-2000}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
checked=0

command -v gcc > /dev/null || { echo 'there is no gcc'; exit 77; }
"$flamel" record -q -o "$work/try.flm" -- true 2> "$work/why" || {
    echo "recording does not work here: $(head -n 1 "$work/why")"
    exit 77
}
# Symbols of other programs with the same build id are not wanted.
# Nor objects that a compiler's cache has of another folder: their debug information names that.
export XDG_CACHE_HOME="$work/cache" CCACHE_DISABLE=1

# compare NAME TRUTH LINES: LINES is what flamel annotate --lines --json wrote. $without is the kind
# of lines that cannot be known.
compare()
{
    awk -v name="$1" -v without="${without:-}" -v frequency="$frequency" -v verbose="${VERBOSE:-}" -f compare.awk "$2" "$3"
}

# check NAME COMMAND...: records the command, which writes its truth, and compares. The folder
# "$work/NAME" is the current one then. More options of record and annotate are in $record and
# $annotate.
#
# What a program measures can be wrong: node's clock is that of all its threads, and on a loaded
# machine its compiler runs beside any line. A wrong line of flamel's is wrong every time, so a
# difference counts when it is there three times.
check()
{
    name=$1
    shift
    checked=$((checked + 1))
    for attempt in 1 2 3; do
        record_once "$@" > "$work/differences" && return
        [ -n "${VERBOSE:-}" ] && echo "attempt $attempt:" && cat "$work/differences"
    done
    cat "$work/differences"
    bad=1
}

record_once()
{
    # shellcheck disable=SC2086
    if ! (cd "$work/$name" && "$flamel" record -q -F "$frequency" --stack-size 4096 ${record:-} \
        -o lines.flm -- "$@" > truth 2> record.err &&
        "$flamel" annotate --lines -n 0 --json ${annotate:-} lines.flm > lines.json 2> record.err); then
        echo "$name: $(head -n 1 "$work/$name/record.err")"
        return 1
    fi
    compare "$name" "$work/$name/truth" "$work/$name/lines.json" || return 1
    if [ -n "${said:-}" ] && ! "$flamel" info "$work/$name/lines.flm" | grep -q "$said"; then
        echo "$name: flamel info does not say \"$said\""
        return 1
    fi
    rm -f "$work/$name/lines.flm"
}

# build NAME COMPILER FLAG...: the program, in a folder of its own, from a copy of the sources, since
# what debug information names must be found, and its objects must not be those of another.
build()
{
    name=$1 compiler=$2
    shift 2
    mkdir -p "$work/$name"
    cp programs/lines.c programs/lines_other.c programs/lines.h "$work/$name/"
    (
        cd "$work/$name" || exit 1
        case $compiler in
        g++ | clang++)
            "$compiler" "$@" -x c++ -c lines.c -o lines.o || exit 1
            "${compiler%++}$([ "$compiler" = g++ ] && echo cc)" "$@" -c lines_other.c -o lines_other.o || exit 1
            ;;
        *)
            "$compiler" "$@" -c lines.c -o lines.o && "$compiler" "$@" -c lines_other.c -o lines_other.o || exit 1
            ;;
        esac
        "$compiler" "$@" lines.o lines_other.o -o lines
    ) 2> "$work/$name.err"
}

# case_of NAME COMPILER FLAG...
case_of()
{
    command -v "$2" > /dev/null || return 0
    if ! build "$@"; then
        echo "$1: does not compile: $(head -n 1 "$work/$1.err")"
        return 0
    fi
    # shellcheck disable=SC2086
    prepare "$1" && check "$1" ./lines "$milliseconds" ${arguments:-}
    rm -rf "${work:?}/$1"
}

# What is done with the program before it is recorded.
prepare() { :; }

# ---- Compilers, levels, versions of DWARF ---------------------------------------------------------

if [ "$which" = all ]; then
    for compiler in gcc g++ clang clang++; do
        for level in 0 1 2 3; do
            for version in 4 5; do
                case_of "$compiler-O$level-dwarf$version" "$compiler" "-O$level" -g "-gdwarf-$version"
            done
        done
        case_of "$compiler-Og" "$compiler" -Og -g
        case_of "$compiler-Os" "$compiler" -Os -g
        case_of "$compiler-dwarf3" "$compiler" -O2 -gdwarf-3
        case_of "$compiler-dwarf2" "$compiler" -O2 -gdwarf-2
    done
    case_of gcc-dwarf64 gcc -O2 -g -gdwarf64
else
    case_of gcc-O0 gcc -O0 -g
    case_of g++-O2 g++ -O2 -g
    case_of g++-O3-dwarf4 g++ -O3 -gdwarf-4
    case_of clang++-O2 clang++ -O2 -gdwarf-5
    case_of clang-O3-dwarf4 clang -O3 -gdwarf-4
fi

# ---- Where debug information is -------------------------------------------------------------------

compilers=$([ "$which" = all ] && echo 'gcc g++ clang clang++' || echo g++)
for compiler in $compilers; do
    for version in 4 5; do
        [ "$which$version" = quick4 ] && continue
        case_of "$compiler-split$version" "$compiler" -O2 -g -gsplit-dwarf "-gdwarf-$version"
    done

    # One package of all .dwo files, which are gone then: nothing is inlined, which is said.
    prepare()
    {
        (cd "$work/$1" && "$dwp" -e lines -o lines.dwp && rm ./*.dwo) > "$work/$1.err" 2>&1 || {
            echo "$1: $(head -n 1 "$work/$1.err")"
            return 1
        }
    }
    without=total said='^not shown *inlined functions of lines: '
    for dwp in dwp llvm-dwp; do
        # binutils' dwp knows version 4 only.
        version=$([ $dwp = dwp ] && echo 4 || echo 5)
        command -v $dwp > /dev/null && [ "$which$dwp" != quickdwp ] &&
            case_of "$compiler-$dwp" "$compiler" -O2 -g -gsplit-dwarf "-gdwarf-$version"
    done
    without='' said=''
    prepare() { :; }

    case $compiler in
    clang*) command -v ld.lld > /dev/null && case_of "$compiler-lto" "$compiler" -O2 -g -flto -fuse-ld=lld ;;
    *) case_of "$compiler-lto" "$compiler" -O2 -g -flto ;;
    esac

    # Stripped; the debug information is beside it, by .gnu_debuglink.
    prepare()
    {
        (cd "$work/$1" && objcopy --only-keep-debug lines lines.debug && strip lines &&
            objcopy --add-gnu-debuglink=lines.debug lines)
    }
    case_of "$compiler-debuglink" "$compiler" -O2 -g

    # The same in a folder by build id.
    prepare()
    {
        (cd "$work/$1" && id=$(readelf -n lines | awk '/Build ID/ { print $3 }') &&
            rest=${id#??} && folder=symbols/.build-id/${id%"$rest"} && mkdir -p "$folder" &&
            objcopy --only-keep-debug lines "$folder/$rest.debug" && strip lines)
    }
    record='--symbols symbols'
    case_of "$compiler-build-id" "$compiler" -O2 -g -Wl,--build-id
    record=

    [ "$which" = all ] || continue
    prepare() { objcopy --compress-debug-sections=zlib "$work/$1/lines"; }
    case_of "$compiler-zlib" "$compiler" -O2 -g
    prepare() { objcopy --compress-debug-sections=zlib-gnu "$work/$1/lines"; }
    case_of "$compiler-zlib-gnu" "$compiler" -O2 -g
    prepare() { :; }
    case_of "$compiler-sections" "$compiler" -O2 -g -ffunction-sections -Wl,--gc-sections
    case_of "$compiler-static" "$compiler" -O2 -g -static
    case_of "$compiler-not-pie" "$compiler" -O2 -g -fno-pie -no-pie
    case_of "$compiler-frame-pointers" "$compiler" -O2 -g -fno-omit-frame-pointer
    case_of "$compiler-line-tables" "$compiler" -O2 -g1
    # Debug information of compilers that leave columns out, and of clang's for profiles.
    case $compiler in
    clang*) case_of "$compiler-gmlt" "$compiler" -O2 -gmlt -fdebug-info-for-profiling ;;
    esac
done

# ---- The kernel -----------------------------------------------------------------------------------

prepare() { :; }
# What it takes for a line is below this line, where flamel may record it.
[ "$(id -u)" -eq 0 ] && arguments=kernel
[ -n "${arguments:-}" ] && case_of kernel gcc -O2 -g
arguments=

# ---- Runtimes and other languages -----------------------------------------------------------------

# other NAME TOOL BUILD COMMAND...: BUILD is for a shell, in the folder with the sources.
other()
{
    name=$1
    command -v "$2" > /dev/null || return 0
    mkdir -p "$work/$name"
    cp programs/* "$work/$name/"
    if (cd "$work/$name" && eval "$3") > "$work/$name.err" 2>&1; then
        shift 3
        check "$name" "$@" "$milliseconds"
    else
        echo "$name: does not compile: $(head -n 1 "$work/$name.err")"
    fi
    rm -rf "${work:?}/$name"
}

export GOCACHE="$work/go" GOFLAGS=-mod=mod GO111MODULE=off HOME="${HOME:-$work}"
other go go 'go build -o lines lines.go' ./lines
other go-stripped go 'go build -ldflags="-s -w" -o lines lines.go' ./lines
other node node : node --perf-prof lines.js
# A Java VM writes a jitdump by an agent. The JDK has its header.
java_home=$(dirname "$(dirname "$(realpath "$(command -v javac || echo /)")")")
[ -e "$java_home/include/jvmti.h" ] && other java javac \
    "cc -O2 -shared -fPIC -I$java_home/include -I$java_home/include/linux jitdump_agent.c -o libjitdump_agent.so && javac Lines.java" \
    "$java_home/bin/java" -agentpath:./libjitdump_agent.so -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints Lines
other rust rustc 'rustc -g -O lines.rs -o lines' ./lines
record=--python
other python python3 : python3 lines.py
record=
if [ "$which" = all ]; then
    other go-without-optimization go 'go build -gcflags="-N -l" -o lines lines.go' ./lines
    other go-stripped-pie go 'go build -buildmode=pie -ldflags="-s -w" -o lines lines.go' ./lines
    other rust-O0 rustc 'rustc -g lines.rs -o lines' ./lines
    other rust-O3-split rustc 'rustc -g -C opt-level=3 -C split-debuginfo=unpacked lines.rs -o lines' ./lines
    for python in python3.8 python3.9 python3.10 python3.12 python3.13; do
        "$python" -c '' 2> /dev/null || continue
        record=--python
        other $python $python "$python -c ''" $python lines.py
        record=
    done
fi

[ $bad -eq 0 ] && echo "$checked programs: the shares of their lines are those that they measured"
exit $bad
