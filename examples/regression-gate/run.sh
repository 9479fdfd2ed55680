#!/bin/sh
# Records the program before and after the change, alternately, and compares: run.sh [RUNS]
#
# Off-CPU time is recorded (--off-cpu), because the program only sleeps, with the functions of Python
# (--python). The gate tests the time that it waited, not that in the run queue, and Python's functions
# only:
#
#     unlabel:state=runnable   what it waited for: it slept, was blocked, or waited for a lock
#     hide:kind=...            without the frames of the interpreter, of libraries and of the kernel;
#                              some kinds may be absent, hence --allow-empty
#
# FLAMEL and PYTHON may be set to the programs to use. The exit status is that of the
# gate: 1, something grew.

here=$(cd "$(dirname "$0")" && pwd)
runs=${1:-20}
flamel=${FLAMEL:-flamel}
# On some machines python3 is a script that selects a version. It starts slowly, and would be part of
# the profile.
python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)') || exit 2

export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
shown='unlabel:state=runnable | hide:kind=kernel | hide:kind=native | hide:kind=inlined'

"$flamel" gate -q --off-cpu --python -n "$runs" --side both --metric off-cpu --apply "$shown" \
    --allow-empty --ab "EXAMPLE=old '$python' '$here/main.py'" "EXAMPLE=new '$python' '$here/main.py'"
