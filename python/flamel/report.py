"""Reports: tables of a profile or a comparison, as rows, text, JSON and DataFrames."""

import ctypes
import json
import weakref

from . import library as c
from .shown import NotPickled, ShownReport

_FORMS = {'text': 0, 'markdown': 1, 'json': 2, 'csv': 3}
_NUMBER, _BOOL, _STRING, _STACK = 1, 2, 3, 4


class Table(NotPickled):
    """A table of a report. Rows are dictionaries; a stack is a list, the outermost function
    first."""

    def __init__(self, report, handle):
        self._report = report  # which owns the table
        self._handle = handle
        self.name = c.raw('flm_report_table_name', handle).decode()
        self.columns = [c.raw('flm_report_column_name', handle, i).decode()
                        for i in range(c.raw('flm_report_column_count', handle))]

    def _cell(self, row, column):
        kind = c.raw('flm_report_kind_of', self._handle, row, column)
        if kind == _NUMBER:
            return c.raw('flm_report_number', self._handle, row, column)
        if kind == _BOOL:
            return c.raw('flm_report_number', self._handle, row, column) != 0
        if kind == _STRING:
            return c.text(c.raw('flm_report_string', self._handle, row, column))
        if kind == _STACK:
            depth = c.raw('flm_report_stack_depth', self._handle, row, column)
            return [c.text(c.raw('flm_report_stack_frame', self._handle, row, column, i))
                    for i in range(depth)]
        return None

    def __len__(self):
        return c.raw('flm_report_row_count', self._handle)

    def __getitem__(self, row):
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        if row < 0:
            row += len(self)
        if not 0 <= row < len(self):
            raise IndexError(f'table {self.name} has {len(self)} rows')
        return {name: self._cell(row, i) for i, name in enumerate(self.columns)}

    def __iter__(self):
        return (self[row] for row in range(len(self)))

    def __repr__(self):
        return f'<flamel.Table {self.name}: {len(self):,} rows of {", ".join(self.columns)}>'

    def to_pandas(self):
        """The table as a DataFrame."""
        import pandas
        return pandas.DataFrame(list(self), columns=self.columns)


class Report(ShownReport):
    """Tables by name, in `tables`. str() is what the command prints, and a notebook shows it."""

    def __init__(self, handle):
        self._handle = handle
        weakref.finalize(self, c.raw, 'flm_report_free', handle)
        found = (c.raw('flm_report_table_at', handle, i)
                 for i in range(c.raw('flm_report_table_count', handle)))
        self.tables = {table.name: table for table in (Table(self, each) for each in found)}

    def write(self, form='text'):
        """The report as 'text', 'markdown', 'json' or 'csv'."""
        if form not in _FORMS:
            raise c.Error(f'form is one of {", ".join(_FORMS)}, not {form!r}')
        written = c.written('flm_report_write', self._handle, _FORMS[form], None)
        return written.decode('utf-8', 'surrogateescape')

    def to_dict(self):
        """What the command prints with --json, as Python has it."""
        return json.loads(self.write('json'))


def quantity(value, unit=''):
    """A value as people read it, in the unit of a metric: '1.24 s', '12.4 MiB'."""
    name, room = unit.encode(), ctypes.create_string_buffer(128)
    held = ctypes.create_string_buffer(name)
    size = c.raw('flm_print_quantity', value, c.Name(ctypes.addressof(held), len(name)), room, 128)
    return room.raw[:size].decode()
