#!/bin/sh
# The command is a user of the library: src/cli includes the public headers, base, os and net. The internal headers
# that it still needs are listed in tests/house/cli_includes, which may only become shorter: a header that
# is not in the list is refused, and so is a line that nothing needs any more.

list=tests/house/cli_includes
[ -f $list ] || list=/dev/null

used=$(find src/cli -name '*.[ch]' -exec sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' {} + 2> /dev/null |
    grep -vE '^(cli|base|os|net|flamel)/' | LC_ALL=C sort -u)
known=$(sed 's/[ \t]*#.*//; /^$/d' $list | LC_ALL=C sort -u)
bad=0
for header in $used; do
    echo "$known" | grep -qxF "$header" || {
        echo "src/cli includes $header, which is not public (tests/house/cli_includes lists those that it may)"
        bad=1
    }
done
for header in $known; do
    echo "$used" | grep -qxF "$header" || {
        echo "$list: $header is not needed any more"
        bad=1
    }
done
exit $bad
