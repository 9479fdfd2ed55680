#!/bin/sh
# The package of Python with the library that was built here, or, if LIBRARY is empty, with the command alone:
# run.sh LIBRARY FLAMEL [TEST]...

library=${1:+$(realpath "$1")} flamel=$(realpath "$2")
shift 2
cd "$(dirname "$0")/../.." || exit 1
# The system's, which has what Debian's packages bring.
python=/usr/bin/python3
[ -x "$python" ] || python=$(command -v python3) || {
    echo 'there is no python3'
    exit 77
}
FLAMEL_LIBRARY=$library FLAMEL=$flamel PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1 exec "$python" -W error::ResourceWarning \
    tests/python/package_test.py "$@"
