#!/bin/sh
# `make install` into a folder: what is there, a program that is compiled against it with pkg-config, and
# `make uninstall`, which leaves nothing. install.sh FLAMEL

cd "$(dirname "$0")/../.." || exit 1
for tool in cc strip pkg-config; do
    command -v $tool > /dev/null || {
        echo "there is no $tool"
        exit 77
    }
done
if nm "$1" | grep -qE '__(asan|tsan)_init'; then
    echo 'built with sanitizers, which a program would have to be linked with'
    exit 77
fi
root=$(mktemp -d) || exit 1
trap 'rm -rf "$root"' EXIT
lib=/opt/flamel/lib/multi

# The variables of the make that runs this test are in MAKEFLAGS; so it builds nothing.
run_make()
{
    make "$1" DESTDIR="$root" PREFIX=/opt/flamel LIBDIR=$lib > "$root.log" 2>&1 || {
        cat "$root.log"
        rm -f "$root.log"
        exit 1
    }
    rm -f "$root.log"
}
files()
{
    (cd "$root" && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort)
}
fail()
{
    echo "$1"
    exit 1
}

run_make install
{
    echo /opt/flamel/bin/flamel
    for header in include/flamel/*.h include/flamel/*.hpp; do
        echo "/opt/flamel/$header"
    done
    version=$("$1" --version | cut -d ' ' -f 2)
    for file in libflamel.a libflamel.so libflamel.so.0 "libflamel.so.$version" pkgconfig/flamel.pc pkgconfig/flamel-probe.pc \
        libflamel-probe.a libflamel-probe-static.a libflamel-probe-wrapped.a flamel-probe-link.o libflamel-probe-interface.so libflamel-probe.so \
        libflamel-probe.so.0 "libflamel-probe.so.$version" libflamel-java.so; do
        echo "$lib/$file"
    done
    for page in docs/man/*.[17]; do
        echo "/opt/flamel/share/man/man${page##*.}/${page##*/}"
    done
    echo /opt/flamel/share/bash-completion/completions/flamel
    echo /opt/flamel/share/zsh/site-functions/_flamel
    echo /opt/flamel/share/fish/vendor_completions.d/flamel.fish
    echo /opt/flamel/share/flamel/probe.supp
} | LC_ALL=C sort > "$root.wanted"
files | diff "$root.wanted" - || {
    rm -f "$root.wanted"
    fail 'these files are missing (<) or too many (>)'
}
rm -f "$root.wanted"

# Stripped: without debug information, which is most of the size.
for file in "$root/opt/flamel/bin/flamel" "$root$lib/libflamel.so"; do
    readelf -S "$file" | grep -q '\.debug_info' && fail "$file is not stripped"
done

cat > "$root/user.c" << 'END'
#include <flamel/file.h>
#include <flamel/profile.h>
#include <stdio.h>

int main(int count, char **words)
{
    struct flm_error why;
    struct flm_profile *profile = count == 2 ? flm_load(words[1], NULL, &why) : NULL;
    if (!profile)
        return 1;
    printf("%g\n", flm_profile_total(profile, (struct flm_metric){0}));
    flm_profile_free(profile);
    return 0;
}
END
printf 'main;parse 3\nmain;draw 1\n' > "$root/app.folded"
export PKG_CONFIG_PATH="$root$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
# shellcheck disable=SC2046 # flags are words
cc "$root/user.c" $(pkg-config --cflags --libs flamel) -o "$root/user" || fail 'a program cannot be built'
total=$(LD_LIBRARY_PATH="$root$lib" "$root/user" "$root/app.folded")
[ "$total" = 4 ] || fail "a program that uses the library prints '$total'"
# Also the library for programs that measure themselves.
printf '#include <flamel/probe.h>\nint main(void)\n{\n    FLM_FUNC();\n    return 0;\n}\n' > "$root/user.c"
cc "$root/user.c" -I"$root/opt/flamel/include" -L"$root$lib" -lflamel-probe -o "$root/user" ||
    fail 'a program that measures itself cannot be built'
LD_LIBRARY_PATH="$root$lib" FLAMEL="file:$root/app.probe" "$root/user"
[ "$("$1" convert -q -t folded -m calls "$root/app.probe")" = "main 1" ] ||
    fail 'a program that measures itself has another call than main'
# A static one too, which sees what a jump leaves.
cat > "$root/user.c" << 'END'
#include <flamel/probe.h>
#include <setjmp.h>
static jmp_buf out;
__attribute__((noinline)) static void left(void)
{
    FLM_FUNC();
    longjmp(out, 1);
}
int main(void)
{
    FLM_FUNC();
    if (!setjmp(out))
        left();
    FLM_SCOPE("after");
    return 0;
}
END
# shellcheck disable=SC2046 # flags are words
cc -static "$root/user.c" $(pkg-config --static --cflags --libs flamel-probe) -o "$root/user" ||
    fail 'a static program that measures itself cannot be built'
FLAMEL="file:$root/static.probe" "$root/user"
[ "$("$1" convert -q -t folded -m calls "$root/static.probe" | tr '\n' ' ')" = "main 1 main;after 1 main;left 1 " ] ||
    fail 'a static program does not see a jump'
rm -f "$root/app.probe" "$root/static.probe"
unset PKG_CONFIG_SYSROOT_DIR
for flags in --modversion --variable=libdir; do
    pkg-config $flags flamel
done > "$root/said"
printf '%s\n%s\n' "$("$1" --version | cut -d ' ' -f 2)" $lib | diff - "$root/said" || fail 'flamel.pc says this'

rm -f "$root/user" "$root/user.c" "$root/app.folded" "$root/said"
run_make uninstall
[ -z "$(files)" ] || fail "uninstall leaves: $(files)"
