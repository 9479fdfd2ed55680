#!/bin/sh
# cppcheck has nothing to say: errors, warnings, performance and portability. What it gets wrong is
# suppressed where it stands, with a reason: cppcheck-suppress nullPointer ; checked by the caller
#
# Versions differ in what they find. The one of Debian 12 decides; another does not judge.

version=2.10
command -v cppcheck > /dev/null || {
    echo "there is no cppcheck: ./bootstrap check installs it"
    exit 1
}
bad=0

grep -rn 'cppcheck-suppress' src include probe 2> /dev/null | grep -v 'cppcheck-suppress [A-Za-z]* ; .' && {
    echo 'these suppressions give no reason'
    bad=1
}

# What an init function fills, cppcheck takes for uninitialized. The compilers and the sanitizers
# are the better judges of that.
uninitialized='--suppress=legacyUninitvar --suppress=ctuuninitvar'

# What gcc and clang always define here, so that sources are not checked again without it, which would
# double the time. --force checks the others, machines and optional packages, both ways.
defined='-D__GNUC__=12 -D__SIZEOF_INT128__=16 -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234
         -U__cplusplus -UNDEBUG'

mkdir -p build/cppcheck
cppcheck --quiet --std=c11 --platform=unix64 -Isrc -Iinclude -j 2 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingInclude \
    --suppress=normalCheckLevelMaxBranches $uninitialized \
    --force $defined --cppcheck-build-dir=build/cppcheck --error-exitcode=1 \
    -isrc/wasm/libc --template='{callstack} {severity}: {message} [{id}]' src probe java || bad=1

if [ $bad -eq 1 ] && [ "$(cppcheck --version)" != "Cppcheck $version" ]; then
    echo "cppcheck $version decides; what this one finds: $(cppcheck --version)"
    exit 77
fi
exit $bad
