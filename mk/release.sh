#!/bin/sh
# Puts what a release consists of into a folder: release.sh VERSION FOLDER FILE...
# The files that were built are copied; sources, bill of materials and checksums are made here.

version=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder" || exit 1
cp "$@" "$folder/" || exit 1
git archive --prefix="flamel-$version/" HEAD | xz -9 > "$folder/flamel-$version.tar.xz" || exit 1

# ---- The bill of materials: SPDX 2.3 ----------------------------------------------------------------

# What is linked into the static files, and into the command in WebAssembly, with the version of the package that it
# comes from. The other files have nothing but flamel inside.
gcc=$(gcc -dumpversion | cut -d . -f 1) clang=$(clang -dumpversion | cut -d . -f 1)
linked="libdw-dev:elfutils:GPL-2.0-or-later OR LGPL-3.0-or-later
libelf-dev:elfutils:GPL-2.0-or-later OR LGPL-3.0-or-later
libzstd-dev:zstd:BSD-3-Clause
zlib1g-dev:zlib:Zlib
liblzma-dev:xz:0BSD
libbz2-dev:bzip2:bzip2-1.0.6
libmicrohttpd-dev:libmicrohttpd:LGPL-2.1-or-later
libc6-dev:glibc:LGPL-2.1-or-later
libgcc-$gcc-dev:libgcc:GPL-3.0-or-later WITH GCC-exception-3.1"
in_wasm="libzstd-dev:zstd:BSD-3-Clause
zlib1g-dev:zlib:Zlib
wasi-libc:wasi-libc:Apache-2.0 WITH LLVM-exception AND MIT
libclang-rt-$clang-dev-wasm32:compiler-rt:Apache-2.0 WITH LLVM-exception"
# The libraries that are linked into a file.
inside()
{
    case $1 in
    *-linux-*) echo "$linked" ;;
    *.vsix | "flamel-$version.tgz") echo "$in_wasm" ;;
    esac
}

element()
{
    printf '    {"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s", "downloadLocation": "NOASSERTION", ' "$1" "$2" "$3"
    printf '"filesAnalyzed": false, "licenseConcluded": "%s", "licenseDeclared": "%s", "copyrightText": "NOASSERTION"}' "$4" "$4"
}
relation()
{
    printf '    {"spdxElementId": "SPDXRef-%s", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "$1" "$2" "$3"
}
name_of()
{
    printf '%s' "$1" | tr -c 'A-Za-z0-9.\n' '-'
}
date=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
files=$(cd "$folder" && LC_ALL=C ls)
{
    echo '{'
    echo '  "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",'
    echo "  \"name\": \"flamel-$version\", \"documentNamespace\": \"https://spdx.invalid/flamel-$version-$(git rev-parse HEAD)\","
    echo "  \"creationInfo\": {\"created\": \"$date\", \"creators\": [\"Tool: mk/release.sh\"]},"
    echo '  "packages": ['
    printf '%s\n' "$linked" "$in_wasm" | sort -u | while IFS=: read -r package name license; do
        found=$(dpkg-query -W -f '${Version}' "$package" 2> /dev/null || echo NOASSERTION)
        element "$(name_of "$name-$package")" "$name" "$found" "$license"
        echo ,
    done
    first=1
    for file in $files; do
        [ -n "$first" ] || echo ,
        first=
        element "$(name_of "$file")" "$file" "$version" Apache-2.0
    done
    echo
    echo '  ],'
    echo '  "relationships": ['
    first=1
    for file in $files; do
        [ -n "$first" ] || echo ,
        first=
        relation DOCUMENT DESCRIBES "$(name_of "$file")"
        inside "$file" | while IFS=: read -r package name license; do
            echo ,
            relation "$(name_of "$file")" STATIC_LINK "$(name_of "$name-$package")"
        done
    done
    echo
    echo '  ]'
    echo '}'
} > "$folder/flamel-$version.spdx.json"

cd "$folder" && LC_ALL=C sha256sum -- * > SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS
