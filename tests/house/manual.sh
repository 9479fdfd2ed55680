#!/bin/sh
# The manual pages are sound mdoc: mandoc has nothing to say about them, or groff where there is no
# mandoc. That they list the options that there are is tested by tests/cli/command/commands_test.c.

bad=0
for page in docs/man/*.[1-9]; do
    [ -f "$page" ] || { echo 'there are no manual pages'; exit 1; }
    if command -v mandoc > /dev/null; then
        said=$(mandoc -T lint -W warning "$page" 2>&1)
    elif command -v groff > /dev/null; then
        said=$(groff -k -mdoc -Tutf8 -z -ww "$page" 2>&1)
    else
        echo 'there is neither mandoc nor groff'
        exit 77
    fi
    if [ -n "$said" ]; then
        echo "$page: $said"
        bad=1
    fi
    # Neither tool minds a page that is called like another.
    title=$(awk '$1 == ".Dt" { print tolower($2) "." $3; exit }' "$page")
    if [ "$title" != "$(basename "$page")" ]; then
        echo "$page: its title is $title"
        bad=1
    fi
done
exit $bad
