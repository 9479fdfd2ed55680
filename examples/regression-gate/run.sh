#!/bin/sh
# Records the program as it was and as it is now, alternately, and judges: run.sh [RUNS]
#
# What is recorded is waiting (--off-cpu), for that is all that the program does, and the functions
# of Python (--python). What is judged is the time that it was blocked, without that in which others
# had the processor, and Python's functions alone:
#
#     label:state=blocked      waits that the program asked for
#     hide:kind=...            without the frames of the interpreter, of libraries and of the kernel
#
# FLAMEL and PYTHON may be set to the programs that are to be used. The exit status is that of the
# gate: 1, something grew.

here=$(cd "$(dirname "$0")" && pwd)
runs=${1:-20}
flamel=${FLAMEL:-flamel}
# What stands in front of Python on some machines (a script that looks for versions) starts slowly,
# and is not what we want to see.
python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)') || exit 2

export PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1
shown='label:state=blocked | hide:kind=kernel | hide:kind=native | hide:kind=inlined'

"$flamel" gate -q --off-cpu --python -n "$runs" --side both --metric off-cpu --apply "$shown" \
    --ab "EXAMPLE=old '$python' '$here/main.py'" "EXAMPLE=new '$python' '$here/main.py'"
