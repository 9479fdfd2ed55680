#!/bin/bash
# What a shell offers with the scripts of `flamel completion`: completion.sh FLAMEL

flamel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
for shell in bash zsh fish; do
    "$flamel" completion $shell > $shell || exit 1
done
mkdir folder
touch 'two words.folded' app.flm
PATH=$(dirname "$flamel"):$PATH
printf '%s\n' 'app 100/101 1.0: 1 cycles:' '	1 f (/bin/x)' '' 'app 100/102 1.1: 1 cycles:' '	1 g (/bin/x)' '' \
    'a;reboot 100/7 1.2: 1 cycles:' '	1 g (/bin/x)' '' 'the app 100/8 1.3: 1 cycles:' '	1 g (/bin/x)' '' > s.txt
flamel convert -q s.txt -o labels.flm || exit 1
rm s.txt
bad=0

# check SHELL LINE OFFERED...: what is offered for the end of the line, and nothing else
check()
{
    local shell=$1 line=$2 got wanted
    got=$("offer_$shell" "$line" | LC_ALL=C sort)
    shift 2
    wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
    [ "$got" = "$wanted" ] && return
    printf '%s: %s|\n  wanted: %s\n  offered: %s\n' "$shell" "$line" "${wanted//$'\n'/ }" "${got//$'\n'/ }"
    bad=1
}

# As readline has it: words are divided at blanks, at = and at :.
offer_bash()
{
    bash -c 'source ./bash
        COMP_LINE=$1 COMP_POINT=${#1}
        line=${1//=/ = }
        line=${line//:/ : }
        read -r -a COMP_WORDS <<< "$line"
        [[ $line == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _flamel
        [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

# fish before 3.4 also lists what has the letters in this order; only what begins with them is wanted.
offer_fish()
{
    fish --no-config -c 'source ./fish; complete -C $argv[1]' "$1" 2> /dev/null | cut -f 1 |
        awk -v word="${1##* }" 'index($0, word) == 1'
}

check_shell()
{
    check "$1" 'flamel con' convert
    check "$1" 'flamel convert --inv' --inverted
    check "$1" 'flamel convert -t fo' folded
    check "$1" 'flamel convert --to sv' svg
    check "$1" 'flamel convert --from fo' folded
    check "$1" 'flamel filter --apply hi' hide:
    check "$1" 'flamel filter --apply inv' invert
    check "$1" 'flamel info two' 'two words.folded'
    check "$1" 'flamel tw' 'two words.folded'
    check "$1" 'flamel app.flm --no-op' --no-open
    check "$1" 'flamel app.flm tw' 'two words.folded'
}
check_shell bash
check bash 'flamel convert --to=sv' svg
check bash 'flamel view --port ' ''
check bash 'flamel record --symbols ' folder
check bash 'flamel fo' folder formats
mkdir convert
check bash 'flamel con' convert
rmdir convert
check bash 'flamel convert -o ' app.flm bash fish folder labels.flm 'two words.folded' zsh
check bash 'flamel help si' similarity

# Labels of the profile; what readline replaces is behind the last : or =.
check bash 'flamel filter labels.flm --apply label:th' thread=
check bash 'flamel filter labels.flm --apply label:thread=10' 101 102
check bash 'flamel filter labels.flm --apply split:t' thread tid
check bash 'flamel filter labels.flm --apply label:thread=3'
# What a program calls itself is not run by a shell.
check bash 'flamel filter labels.flm --apply label:command=' app 'the\ app'
check bash 'flamel filter --apply label:thread=7 nowhere.flm --app' --apply

# All options of all commands.
for command in $("$flamel" help | awk '/^  [a-z]+ / { print $1 }'); do
    mapfile -t options < <("$flamel" "$command" --help | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | grep -o -- '--.*')
    check bash "flamel $command --" "${options[@]}" --help
done

if command -v fish > /dev/null; then
    check_shell fish
    check fish 'flamel fo' folder/ formats
    check fish 'flamel filter labels.flm --apply label:th' label:thread=
    check fish 'flamel filter labels.flm --apply label:thread=10' label:thread=101 label:thread=102
fi
if command -v zsh > /dev/null; then
    zsh -f -c 'autoload -U compinit && compinit -u -d dump && source ./zsh && [[ $_comps[flamel] == _flamel ]]' || {
        echo 'zsh does not load its script'
        bad=1
    }
fi
exit $bad
