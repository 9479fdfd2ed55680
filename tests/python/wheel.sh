#!/bin/sh
# `make python`, installed into an environment of its own, without a network: wheel.sh LIBRARY

library=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
python=/usr/bin/python3
[ -x "$python" ] || python=python3
"$python" -c 'import setuptools, wheel, pip, venv, ensurepip' 2> /dev/null || {
    echo 'there is no pip, setuptools, wheel or venv'
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
make -s python PYTHON="$python" BUILD="$work/build" || exit 1
"$python" -m venv "$work/own" || exit 1
"$work/own/bin/pip" -q install --no-index --no-deps "$work"/build/python/*.whl || exit 1
cd "$work" || exit 1
said=$(FLAMEL_LIBRARY=$library own/bin/python -c 'import flamel; print(flamel.__version__, flamel.loads("a;b 3\n").total())') || exit 1
case $said in
*' 3.0') ;;
*)
    echo "it says $said"
    exit 1
    ;;
esac
# Without the library it says what to do.
FLAMEL_LIBRARY=$work/none.so own/bin/python -c 'import flamel' 2>&1 | grep -q 'ImportError: libflamel is not found .* FLAMEL_LIBRARY' || {
    echo 'without the library it does not say so'
    exit 1
}
# Without either it says so; with the command alone it works.
FLAMEL_LIBRARY='' FLAMEL='' PATH=/nowhere own/bin/python -c 'import flamel' 2>&1 | grep -q 'there is no command flamel' || {
    echo 'without library and command it does not say so'
    exit 1
}
