#!/bin/sh
# A notebook that is executed by jupyter, and looked at in Chromium: notebook.sh LIBRARY FLAMEL

library=$(realpath "$1") flamel=$(realpath "$2")
cd "$(dirname "$0")/../.." || exit 1
for needed in jupyter-nbconvert chromium; do
    command -v $needed > /dev/null || {
        echo "there is no $needed"
        exit 77
    }
done
/usr/bin/python3 -c 'import ipykernel' 2> /dev/null || {
    echo 'there is no ipykernel'
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# HOME: what jupyter keeps there is no business of the test.
HOME=$work FLAMEL_LIBRARY=$library FLAMEL=$flamel PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 PYDEVD_DISABLE_FILE_VALIDATION=1 \
    jupyter-nbconvert --to html --execute --output-dir "$work" tests/python/notebook.ipynb > "$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
}
PAGE=$work/notebook.html tests/browser/run.sh tests/python/notebook.mjs
