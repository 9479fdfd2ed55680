#!/bin/bash
# What mk/release.sh puts beside the files of a release: the bill of materials names each of them, and only elements that
# there are; checksums are those of the files; and the same files give the same bytes. release.sh

cd "$(dirname "$0")/../.." || exit 1
make -s release-version || exit 1
make -s release-version VERSION=1.2.3 2> /dev/null && echo 'files with another version are released' && exit 1
script=$(realpath mk/release.sh)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for needed in git xz python3; do
    command -v $needed > /dev/null || {
        echo "there is no $needed"
        exit 77
    }
done
# A small repository: packing the sources of flamel takes half a minute.
mkdir "$work/sources" && cd "$work/sources" && git init -q && echo 'all:' > Makefile && git add Makefile || exit 1
git -c user.name=t -c user.email=t@example.org commit -q -m one || exit 1
mkdir "$work/files"
for name in flamel-1.2.3-linux-x86_64 flamel-1.2.3.tgz flamel_1.2.3_amd64.deb; do
    echo "$name" > "$work/files/$name"
done
for out in one two; do
    "$script" 1.2.3 "$work/$out" "$work/files"/* || exit 1
done
diff -r "$work/one" "$work/two" || exit 1
(cd "$work/one" && sha256sum -c --quiet SHA256SUMS) || exit 1
[ "$(wc -l < "$work/one/SHA256SUMS")" -eq "$(($(find "$work/one" -type f | wc -l) - 1))" ] || {
    echo 'not every file has a checksum'
    exit 1
}
tar -tf "$work/one/flamel-1.2.3.tar.xz" | grep -q '^flamel-1.2.3/Makefile$' || {
    echo 'there are no sources'
    exit 1
}
python3 - "$work/one" << 'END'
import json
import os
import re
import sys

folder = sys.argv[1]
with open(os.path.join(folder, 'flamel-1.2.3.spdx.json')) as file:
    bill = json.load(file)
assert bill['spdxVersion'] == 'SPDX-2.3' and bill['dataLicense'] == 'CC0-1.0', bill
packages = {each['SPDXID']: each for each in bill['packages']}
assert len(packages) == len(bill['packages']), 'two packages have one name'
assert all(re.fullmatch(r'SPDXRef-[A-Za-z0-9.-]+', name) for name in packages), packages.keys()
described, linked = set(), {}
for each in bill['relationships']:
    assert each['relatedSpdxElement'] in packages, each
    if each['relationshipType'] == 'DESCRIBES':
        assert each['spdxElementId'] == 'SPDXRef-DOCUMENT', each
        described.add(packages[each['relatedSpdxElement']]['name'])
    else:
        linked.setdefault(packages[each['spdxElementId']]['name'], set()).add(packages[each['relatedSpdxElement']]['name'])
assert described == set(os.listdir(folder)) - {'SHA256SUMS', 'flamel-1.2.3.spdx.json'}, described
assert {'elfutils', 'glibc', 'zlib'} <= linked['flamel-1.2.3-linux-x86_64'], linked
assert {'wasi-libc', 'zlib'} <= linked['flamel-1.2.3.tgz'] and 'glibc' not in linked['flamel-1.2.3.tgz'], linked
assert 'flamel_1.2.3_amd64.deb' not in linked, linked
END
