#!/bin/sh
# Sources of Debian's packages, with Debian's patches: unpack_sources.sh FOLDER SOURCE... makes FOLDER/SOURCE of each.
# What a library is here, it is elsewhere too: its sources, compiled for another kind of machine.

folder=$1
shift
for program in apt-get dpkg-source; do
    command -v $program > /dev/null || {
        echo "$0: sources of libraries come from apt-get and dpkg-source; $program is not here" >&2
        exit 2
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts" "$work/new"
# A state of its own: the places that packages come from here have their sources too.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" > "$work/parts/$(basename "$list" .list).list"
done
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" > "$work/parts/$(basename "$list")"
done
apt="-qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/parts -o Dir::State::lists=$work/lists
    -o Dir::Cache=$work/cache -o APT::Sandbox::User=root"
# The version that is installed, so that the native command and the one in WebAssembly write the same bytes; the newest if
# its sources are no longer available.
wanted=$(for source in "$@"; do
    version=$(dpkg-query -W -f '${source:Package} ${source:Version}\n' 2> /dev/null | sed -n "s/^$source //p" | head -n 1)
    echo "$source${version:+=$version}"
done)
# shellcheck disable=SC2086
get_sources()
{
    (cd "$work/new" && apt-get $apt source "$@" > "$work/log" 2>&1)
}
# shellcheck disable=SC2086
apt-get $apt update || exit 1
# shellcheck disable=SC2086
get_sources $wanted || {
    echo "no sources of" $wanted "are available, the newest are taken" >&2
    get_sources "$@"
} || {
    cat "$work/log" >&2
    exit 1
}
rm -rf "$folder"
mkdir -p "$folder"
for source in "$@"; do
    # Of several versions the newest was taken: there is one folder.
    mv "$work/new/${source#lib}"-*/ "$folder/$source" 2> /dev/null || mv "$work/new/$source"-*/ "$folder/$source" || exit 1
done
