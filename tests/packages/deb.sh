#!/bin/bash
# The Debian packages of `make deb`: lintian has nothing to say, and in a bare root of the system that they were built
# on they are installed, used, upgraded, removed and purged, and leave nothing. deb.sh FOLDER

cd "$1" || exit 1
packages=$PWD
fail()
{
    echo "$1"
    exit 1
}
command -v lintian > /dev/null || {
    echo 'there is no lintian'
    exit 77
}
suppressed=bad-distribution-in-changes-file
# That of Ubuntu 22.04 misses the name of the interpreter in files that have debug information alone.
[[ $(lintian --version) != *v2.114.* ]] || suppressed+=,elf-error
lintian --fail-on error,warning --suppress-tags $suppressed ./*.changes || fail 'lintian'
deb()
{
    echo "$packages/$1"_*.deb
}
for name in flamel libflamel0 libflamel-dev libflamel-probe0 libflamel-probe-dev flamel-java flamel-server python3-flamel; do
    [ -f "$(deb $name)" ] || fail "there is no $name"
done

# ---- A bare root -----------------------------------------------------------------------------------

if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null; then
    echo 'a bare root takes debootstrap and the rights of root'
    exit 77
fi
root=$(mktemp -d) || exit 1
leave()
{
    umount "$root/proc" 2> /dev/null
    rm -rf --one-file-system "$root"
}
trap leave EXIT
. /etc/os-release
mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $VERSION_CODENAME" 2> /dev/null | grep -v security | head -n 1)
debootstrap --variant=minbase "$VERSION_CODENAME" "$root" "$mirror" > "$root.log" 2>&1 || {
    tail -n 3 "$root.log"
    rm -f "$root.log"
    echo 'debootstrap has no root here'
    exit 77
}
rm -f "$root.log"
mount -t proc proc "$root/proc" || exit 77
cp /etc/resolv.conf /etc/hosts "$root/etc/"
rm -f "$root/etc/apt/sources.list"
cp -r /etc/apt/sources.list* /etc/apt/apt.conf.d /etc/apt/preferences.d "$root/etc/apt/" 2> /dev/null
cp -r /usr/share/keyrings "$root/usr/share/" 2> /dev/null
cp "$packages"/*.deb "$root/"
inside()
{
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
        LC_ALL=C.UTF-8 sh -c "$1"
}
inside 'apt-get -qq update 2> /dev/null' || fail 'apt-get update'

# What is there, but for logs, what dpkg and apt remember, and what a user has in the cache.
files()
{
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./root/.cache -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o \
        -path ./var/log -o -path ./tmp -o -path ./etc/ld.so.cache \) -prune -o -print | LC_ALL=C sort)
}

kilobytes()
{
    du -xsk --exclude=proc "$root" | cut -f 1
}
inside 'apt-get clean'
before=$(kilobytes) start=$EPOCHREALTIME
inside 'apt-get -qq install --no-install-recommends -y ./flamel_*.deb > /install.log 2>&1' || fail "$(tail -n 5 "$root/install.log")"
inside 'cd /root && flamel record -q -o x.svg -- gzip -9 < /usr/bin/flamel > /dev/null && grep -c "</svg>" x.svg' || fail record
seconds=$(awk -v from="$start" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }')
inside 'rm -f /root/x.svg; apt-get clean'
echo "from a bare root to a flame graph: $seconds s, $((($(kilobytes) - before) / 1024)) MB"
inside 'flamel report --help > /dev/null && flamel --version' || fail version
# What serves pages is only recommended.
inside 'cd /root && printf "a;b 3\n" > x.folded && ! flamel view --no-open x.folded 2> why &&
    grep -q "served with libmicrohttpd.*flamel convert -o FILE.html" why && flamel convert -q x.folded -o x.html && rm x.* why' ||
    fail "flamel view without libmicrohttpd: $(cat "$root/root/why")"

inside 'flamel probe -- true' 2> "$root.why" && fail 'flamel probe without its library'
grep -q 'install the Debian package libflamel-probe0, ' "$root.why" || fail "flamel probe: $(cat "$root.why")"
rm -f "$root.why"

inside 'cd / && apt-get -qq install -y ./*.deb gcc libc6-dev pkg-config > /install.log 2>&1' || fail "$(tail -n 5 "$root/install.log")"
inside 'cd /root && printf "a;b 3\n" > x.folded && flamel convert x.folded -o x.png && flamel annotate --help > /dev/null' ||
    fail 'a picture'
inside 'cd /root && flamel probe -q -o y.flm -- gzip -9 < /usr/bin/flamel > /dev/null && flamel info y.flm' || fail 'flamel probe'
cat > "$root/root/x.c" << 'END'
#include <flamel/flamel.h>
#include <flamel/probe.h>
#include <stdio.h>

int main(void)
{
    FLM_SCOPE("main");
    return puts(flm_version()) < 0;
}
END
inside 'cd /root && cc x.c -o x $(pkg-config --cflags --libs flamel) -lflamel-probe && ./x' || fail 'a program with the libraries'

# ---- The server ------------------------------------------------------------------------------------

inside 'cat /lib/systemd/system/flamel-server.service /usr/lib/systemd/system/flamel-server.service 2> /dev/null | grep -q "^DynamicUser=yes"' ||
    fail 'no service'
# There is no systemd in this root: its folder, and what is in it, as the service would have them.
inside 'mkdir -p /var/lib/private/flamel && ln -s private/flamel /var/lib/flamel'
inside 'cd /root && : > url && flamel serve --data /var/lib/flamel --listen 127.0.0.1:0 > url & server=$!
    timeout 60 sh -c "until grep -q http /root/url; do sleep 0.1; done" &&
    flamel record -q --push "$(cat /root/url)" --service deb -- gzip -9 < /usr/bin/flamel > /dev/null
    kill $server; wait; flamel query -d /var/lib/flamel service=deb -o /root/stored.flm && flamel report -n 1 /root/stored.flm' > "$root.report"
grep -q 'cpu' "$root.report" || fail "nothing was stored: $(cat "$root.report")"
rm -f "$root.report"
stored=$(inside 'find /var/lib/private/flamel -type f | wc -l')
inside 'apt-get -qq install --reinstall -y /flamel-server_*.deb > /install.log 2>&1' || fail "$(tail -n 5 "$root/install.log")"
[ "$(inside 'find /var/lib/private/flamel -type f | wc -l')" = "$stored" ] || fail 'an upgrade lost what was stored'

inside 'python3 -c "import flamel; print(flamel.loads(\"a;b 3\").top())" | grep -q b' || fail 'the module of Python'

names='python3-flamel flamel libflamel0 libflamel-dev libflamel-probe0 libflamel-probe-dev flamel-java flamel-server'
inside "apt-get -qq remove -y $names > /install.log 2>&1" || fail "$(tail -n 5 "$root/install.log")"
[ "$(inside 'find /var/lib/private/flamel -type f | wc -l')" = "$stored" ] || fail 'removal lost what was stored'
inside "dpkg --purge $names > /install.log 2>&1" || fail "$(tail -n 5 "$root/install.log")"
rm -f "$root"/root/* "$root/install.log"
files | grep -i flamel | grep -v '^\./[^/]*\.deb$' && fail 'purged, and that is still there'
exit 0
