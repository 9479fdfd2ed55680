"""A profile: every call stack of a program with its values, as one tree in preorder.

Node 0 is the root; the callers of a node are its ancestors. A profile never changes: operations
make new ones."""

import collections
import ctypes
import os
import threading
import warnings
import weakref
from array import array

from . import library as c
from .report import Report, quantity
from .shown import ShownProfile

Metric = collections.namedtuple('Metric', 'name unit total')
Loss = collections.namedtuple('Loss', 'what where count')
Format = collections.namedtuple('Format', 'name title extensions description reads writes')

_SORTS = ('self', 'total', 'name')
_LOAD = {'format': str, 'allow_negative': bool, 'lenient': bool, 'columns': int,
         'drop_times': bool, 'threads': int, 'debuginfod': bool, 'no_inlines': bool, 'lines': bool,
         'clones': bool, 'by_thread': bool, 'member': str}
_SAVE = {'format': str, 'metric': str, 'annotate': bool, 'compress': bool, 'name': str}
_REPORT = {'metric': str, 'sort': _SORTS, 'rows': int, 'min_percent': float, 'levels': int,
           'function': str, 'label_values': bool}


def _column(code, at, count):
    """A column of the profile, copied: an array of the standard library."""
    made = array(code)
    if at and count:
        made.frombytes(ctypes.string_at(at, count * made.itemsize))
    return made


class Profile(ShownProfile):
    """Made by load, loads, record and the operations; `name` is what reports call it."""

    def __init__(self, handle, name):
        self._handle = handle
        self.name = name
        self._free = weakref.finalize(self, c.raw, 'flm_profile_free', handle)

    def _count(self, what):
        return c.raw(f'flm_profile_{what}_count', self._handle)

    def _string(self, index):
        return c.text(c.raw('flm_profile_string', self._handle, c.String(index)))

    def _strings(self):
        return [self._string(i) for i in range(self._count('string'))]

    def _metric(self, name):
        found = c.Metric()
        c.call('flm_metric_find', self._handle, c.encoded(name), ctypes.byref(found))
        return found

    # ---- What it has -----------------------------------------------------------------------------

    @property
    def metrics(self):
        """Metrics with their units and totals, the first of which is the default."""
        result = []
        for i in range(self._count('metric')):
            record = c.raw('flm_profile_metric', self._handle, c.Metric(i)).contents
            result.append(Metric(self._string(record.name), self._string(record.unit),
                                 c.raw('flm_profile_total', self._handle, c.Metric(i))))
        return result

    def total(self, metric=None):
        """The sum of a metric, by default of the first, in its unit."""
        return c.raw('flm_profile_total', self._handle, self._metric(metric))

    @property
    def notes(self):
        """Facts about the recording: command, host, duration_ns ..."""
        records = c.raw('flm_profile_notes', self._handle)
        return {self._string(records[i].key): self._string(records[i].value)
                for i in range(self._count('note'))}

    @property
    def losses(self):
        """What the reader or the recorder could not keep, counted."""
        records = c.raw('flm_profile_losses', self._handle)
        return [Loss(self._string(records[i].what), self._string(records[i].where),
                     records[i].count) for i in range(self._count('loss'))]

    @property
    def labels(self):
        """The labels of samples: {'thread': ['main', 'worker'] ...}."""
        records, result = c.raw('flm_profile_labels', self._handle), {}
        for i in range(self._count('label')):
            values = result.setdefault(self._string(records[i].key), [])
            values.append(self._string(records[i].value))
        return result

    def __len__(self):
        """How many nodes, with the root."""
        return self._count('node')

    def __repr__(self):
        values = ', '.join(f'{each.name} {quantity(each.total, each.unit)}' for each in self.metrics)
        samples = self._count('sample')
        return (f'<flamel.Profile {self.name}: {values or "no metrics"}; {len(self) - 1:,} nodes'
                f'{f", {samples:,} samples" if samples else ""}>')

    # ---- Operations ------------------------------------------------------------------------------

    def apply(self, expression):
        """Operations as text: 'focus:parse | hide:module=libc.so.6'. See flamel-expressions(7)."""
        note = ctypes.create_string_buffer(200)
        made = c.call('flm_apply', self._handle, os.fsencode(expression), note)
        if note.value:
            warnings.warn(note.value.decode('utf-8', 'replace'), c.Warning, stacklevel=2)
        return Profile(made, self.name)

    def invert(self):
        """Leaf first: callers below their callees."""
        return Profile(c.call('flm_invert', self._handle), self.name)

    def sanitize(self, rules='', key=None):
        """Without what others need not know: see flamel-convert(1), --sanitize. The same key
        gives the same pseudonyms in several profiles; without one it is random."""
        key = os.urandom(32) if key is None else key
        how = c.SanitizeOptions(size=ctypes.sizeof(c.SanitizeOptions), rules=c.encoded(rules),
                                key=key, key_size=len(key))
        return Profile(c.call('flm_sanitize', self._handle, ctypes.byref(how)), self.name)

    def shows(self):
        """What is to be seen in it, a line for each kind of thing: to be read before it is shown
        to others."""
        return c.written('flm_sanitize_list', self._handle).decode('utf-8', 'surrogateescape')

    # ---- Tables ----------------------------------------------------------------------------------

    def _report(self, what, options):
        how = c.options(c.ReportOptions, _REPORT, options)
        how.source = c.encoded(self.name)
        return Report(c.call(f'flm_report_{what}', self._handle, ctypes.byref(how)))

    def top(self, rows=30, **options):
        """The functions with the largest self value (sort='total': total value)."""
        return self._report('top', {'rows': rows, **options})

    def tree(self, **options):
        """The call tree: min_percent=1, levels=8."""
        return self._report('tree', options)

    def callers(self, function, **options):
        """Who calls the functions that a pattern matches."""
        return self._report('callers', {'function': function, **options})

    def callees(self, function, **options):
        """What the functions that a pattern matches call."""
        return self._report('callees', {'function': function, **options})

    def info(self, **options):
        """Metrics, sizes, labels, losses and notes."""
        return self._report('info', options)

    # ---- Stacks and samples ----------------------------------------------------------------------

    def _frame_columns(self):
        """Records of all frames, one after the other."""
        count = self._count('frame')
        first = c.raw('flm_profile_frame', self._handle, c.Frame(0))
        return [first[i] for i in range(count)]

    def stacks(self, metric=None):
        """Pairs of a stack (functions, the outermost first) and its own value, where it has one."""
        column = self._metric(metric)
        count = len(self)
        names = [self._string(frame.function) for frame in self._frame_columns()]
        frames = _column('I', c.raw('flm_profile_frames', self._handle), count)
        values = _column('d', c.raw('flm_profile_self', self._handle, column), count)
        ends = _column('I', c.raw('flm_profile_ends', self._handle), count)
        stack, open_until = [], []
        for node in range(1, count):
            while open_until and open_until[-1] <= node:
                open_until.pop()
                stack.pop()
            stack.append(names[frames[node]])
            open_until.append(ends[node])
            if values[node] != 0:
                yield tuple(stack), values[node]

    def to_pandas(self, metric=None):
        """All stacks as a DataFrame, a row for each node of the tree: parent (-1: none), depth,
        function, module, file, line, kind, and self and total of a metric."""
        import numpy
        import pandas
        column, count = self._metric(metric), len(self)

        def column_of(code, at):
            return numpy.frombuffer(_column(code, at, count), dtype=code)

        parent, depth = (ctypes.c_uint32 * count)(), (ctypes.c_uint32 * count)()
        total = (ctypes.c_double * count)()
        c.raw('flm_profile_parents', self._handle, parent)
        c.raw('flm_profile_depths', self._handle, depth)
        c.raw('flm_profile_totals', self._handle, column, total)
        parent = numpy.frombuffer(parent, dtype='uint32').astype('int64')
        parent[0] = -1
        records = numpy.frombuffer(ctypes.string_at(
            c.raw('flm_profile_frame', self._handle, c.Frame(0)),
            self._count('frame') * ctypes.sizeof(c.FrameRecord)), dtype=numpy.dtype(c.FrameRecord))
        frames = records[column_of('I', c.raw('flm_profile_frames', self._handle))]
        strings = self._strings()

        def named(codes):
            found = pandas.Categorical.from_codes(codes.astype('int64'), categories=strings)
            return found.remove_unused_categories()

        kinds = []
        while (name := c.raw('flm_kind_name', len(kinds))) is not None:
            kinds.append(name.decode())
        return pandas.DataFrame({
            'parent': parent, 'depth': numpy.frombuffer(depth, dtype='uint32'),
            'function': named(frames['function']), 'module': named(frames['module']),
            'file': named(frames['file']), 'line': frames['line'],
            'kind': pandas.Categorical.from_codes(frames['kind'].astype('int64'), categories=kinds),
            'self': column_of('d', c.raw('flm_profile_self', self._handle, column)),
            'total': numpy.frombuffer(total, dtype='float64'),
        }, index=pandas.RangeIndex(count, name='node'))

    def samples_to_pandas(self):
        """The samples as a DataFrame, by time: time_ns (<NA>: not known), duration_ns, node (a row
        of to_pandas), a column for each label and each metric."""
        import numpy
        import pandas
        count, handle = self._count('sample'), self._handle

        def column_of(code, at):
            return numpy.frombuffer(_column(code, at, count), dtype=code)

        times = column_of('q', c.raw('flm_profile_sample_times', handle))
        durations = c.raw('flm_profile_sample_durations', handle)
        columns = {
            'time_ns': pandas.arrays.IntegerArray(times.copy(), times == c.NO_TIME),
            'duration_ns': column_of('q', durations) if durations else numpy.zeros(count, 'int64'),
            'node': column_of('I', c.raw('flm_profile_sample_nodes', handle)),
        }
        sets = column_of('I', c.raw('flm_profile_sample_label_sets', handle))
        for key, values in self._label_columns().items():
            known = sorted(set(values) - {None})
            codes = numpy.array([known.index(value) if value is not None else -1
                                 for value in values])
            name = key if key not in columns else f'label {key}'
            columns[name] = pandas.Categorical.from_codes(codes[sets], categories=known)
        for i, metric in enumerate(self.metrics):
            name = metric.name if metric.name not in columns else f'metric {metric.name}'
            values = c.raw('flm_profile_sample_values', handle, c.Metric(i))
            if count and not values:
                raise MemoryError('out of memory')
            columns[name] = column_of('d', values)
        return pandas.DataFrame(columns)

    def _label_columns(self):
        """{key: the value that each label set has, or None}."""
        labels, sets = c.raw('flm_profile_labels', self._handle), self._count('label_set')
        columns = {}
        for i in range(sets):
            count = ctypes.c_uint32()
            members = c.raw('flm_profile_label_set', self._handle, c.LabelSet(i),
                            ctypes.byref(count))
            for k in range(count.value):
                record = labels[members[k]]
                column = columns.setdefault(self._string(record.key), [None] * sets)
                column[i] = self._string(record.value)
        return columns

    # ---- Files -----------------------------------------------------------------------------------

    def _save_options(self, options, picture, base):
        how = c.options(c.SaveOptions, _SAVE, options)
        how.name = how.name or c.encoded(self.name)
        if picture:
            drawn = c.PictureOptions(size=ctypes.sizeof(c.PictureOptions))
            how.kept = [c.encoded(str(value)) for value in picture.values()]  # C borrows them
            for name, value in zip(picture, how.kept):
                c.call('flm_svg_option_set', ctypes.byref(drawn), name.encode(), value)
            how.picture = ctypes.pointer(drawn)
        if base is not None:
            how.base_profile = _profile(base)  # C borrows it
            how.base, how.base_name = how.base_profile._handle, c.encoded(how.base_profile.name)
        return how

    def save(self, path, picture=None, base=None, **options):
        """Writes a file: its extension, or format=, says which. `picture` has the options of SVG,
        PDF and PNG by their names (flamel-convert(1)): {'title': 'app', 'width': 1600}. `base` is
        a profile, or its path, that a page compares with."""
        path = os.fsencode(path)
        how = self._save_options(options, picture, base)
        lost = ctypes.create_string_buffer(400)
        if c.raw('flm_save_losses', self._handle, path, ctypes.byref(how), lost):
            warnings.warn(f'{os.fsdecode(path)}: leaves out {lost.value.decode("utf-8", "replace")}',
                          c.Warning, stacklevel=2)
        c.call('flm_save', self._handle, path, ctypes.byref(how))

    def to_bytes(self, format='flm', picture=None, base=None, **options):
        """The bytes of the file that save would write."""
        how = self._save_options({'format': format, **options}, picture, base)
        size = ctypes.c_size_t()
        at = c.call('flm_save_memory', self._handle, ctypes.byref(size), ctypes.byref(how))
        return c.taken(at, size.value)


# ---- Reading ---------------------------------------------------------------------------------------

def _load_options(options):
    symbols = [c.encoded(path) for path in options.pop('symbol_dirs', ())]
    how = c.options(c.LoadOptions, _LOAD, options)
    if symbols:
        how.symbol_dirs = (ctypes.c_char_p * len(symbols))(*symbols)
        how.symbol_dir_count = len(symbols)
    how.perf_dir = c.encoded(os.path.expanduser('~/.debug'))
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    how.cache_dir = c.encoded(os.path.join(cache, 'flamel'))
    return how


def _loaded(function, arguments, name, options):
    """Reads in a thread: signal handlers run in the main one, which waits, so that Ctrl-C ends a
    long read."""
    how = _load_options(options)
    stopped, results, errors = threading.Event(), [], []
    how.progress = c.PROGRESS(lambda _context, _bytes, _size: not stopped.is_set())

    def read():
        try:
            results.append(Profile(c.call(function, *arguments, ctypes.byref(how)), name))
        except BaseException as error:  # raised below, in the thread that called
            errors.append(error)

    reader = threading.Thread(target=read, name='flamel')
    reader.start()
    try:
        reader.join()
    except BaseException:
        stopped.set()
        reader.join()
        raise
    if errors:
        raise errors[0]
    return results[0]


def load(path, **options):
    """The profile in a file, a folder, an archive or at a URL, of any format.

    format, lenient, drop_times, lines, threads, symbol_dirs, debuginfod, member ...: the options
    of `flamel convert`; lenient=True skips and counts what would be refused."""
    return _loaded('flm_load', [c.encoded(path)], os.fspath(path), options)


def loads(content, name='profile', **options):
    """The same of bytes in memory, or of a text."""
    content = content.encode('utf-8', 'surrogateescape') if isinstance(content, str) else bytes(memoryview(content))
    return _loaded('flm_load_memory', [content, len(content)], name, options)


def _profile(given):
    """A profile, or the one at a path."""
    return given if isinstance(given, Profile) else load(given)


def merge(profiles):
    """One profile with the sums of all, which are profiles or paths."""
    profiles = [_profile(each) for each in profiles]
    handles = (ctypes.c_void_p * len(profiles))(*(each._handle for each in profiles))
    return Profile(c.call('flm_align', handles, len(profiles), 0, None),
                   ' + '.join(each.name for each in profiles) or 'nothing')


def formats():
    """All formats, in the order in which they are tried."""
    result, info = [], c.FormatInfo(size=ctypes.sizeof(c.FormatInfo))
    while c.raw('flm_format_at', len(result), ctypes.byref(info)):
        result.append(Format(info.name.decode(), info.title.decode(),
                             info.extensions.decode().split(), info.description.decode(),
                             info.reads, info.writes))
    return result
