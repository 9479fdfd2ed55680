"""flamel: profiles of programs, read, compared, drawn and recorded.

    import flamel

    profile = flamel.load('app.perf')         any format, recognized by content
    print(profile.top())                      tables as text, rows, DataFrames
    profile.apply('focus:parse').save('parse.svg')
    flamel.compare('monday.flm', 'tuesday.flm').save('change.html')
    flamel.gate(base_runs, new_runs).verdict  'pass', 'fail' or 'inconclusive'

    with flamel.record() as recording:        of this process, with its Python functions
        work()
    recording.profile

In a notebook a profile shows itself; after %load_ext flamel, %%flamel records a cell."""

from .errors import VERSION as __version__
from .errors import Error, LibraryMissing, Warning

try:
    from .comparison import Comparison, Gate, compare, gate
    from .profile import Format, Loss, Metric, Profile, formats, load, loads, merge
    from .report import Report, Table, quantity
except LibraryMissing:
    from .command import (Comparison, Format, Gate, Loss, Metric, Profile, Report, Table, compare, find, formats, gate, load,
                          loads, merge, quantity)
    find()  # an ImportError if there is no command either

from .recording import Recording, record

__all__ = ['Comparison', 'Error', 'Format', 'Gate', 'Loss', 'Metric', 'Profile', 'Recording', 'Report', 'Table',
           'Warning', 'compare', 'formats', 'gate', 'load', 'loads', 'merge', 'quantity', 'record']


def load_ipython_extension(shell):
    from .notebook import record_cell
    shell.register_magic_function(record_cell, 'cell', 'flamel')
