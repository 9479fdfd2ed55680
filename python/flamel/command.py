"""Profiles by the command flamel, for systems without libflamel. The command of the package for npm is
WebAssembly, and runs wherever node does: Windows, macOS, any Linux.

A profile is a .flm file in a temporary folder. Each operation runs the command once on it, and tables
are read from the JSON that it prints, so the answers are those of the library."""

import collections
import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
import weakref

from .errors import Error, LibraryMissing, Warning
from .shown import ShownComparison, ShownGate, ShownProfile, ShownReport, sides

Metric = collections.namedtuple('Metric', 'name unit total')
Loss = collections.namedtuple('Loss', 'what where count')
Format = collections.namedtuple('Format', 'name title extensions description reads writes')

_KINDS = ('plain', 'native', 'kernel', 'inlined', 'jit', 'jit_tier1', 'interpreted', 'gpu', 'waker', 'label')
# Options by the names that they have with the library: what the command calls them.
_LOAD = {'format': 'from', 'allow_negative': 'signed', 'lenient': 'lenient', 'columns': 'columns', 'threads': 'threads',
         'symbol_dirs': 'symbols', 'debuginfod': 'debuginfod', 'no_inlines': 'no-inlines', 'lines': 'lines',
         'clones': 'clones', 'by_thread': 'by-thread', 'member': 'member'}
_SAVE = {'metric': 'metric', 'annotate': 'annotate'}
_REPORT = {'metric': 'metric', 'sort': 'sort', 'rows': 'rows', 'min_percent': 'min', 'levels': 'levels',
           'function': 'function', 'label_values': 'labels'}
_DIFF = {'metric': 'metric', 'sort': 'sort', 'rows': 'rows', 'shares': 'shares'}
_GATE = {'metric': 'metric', 'alpha': 'alpha', 'permutations': 'permutations', 'seed': 'seed',
         'min_effect': 'min-effect', 'require_mde': 'require-mde', 'tolerance': 'tolerance', 'exact': 'exact',
         'rows': 'rows', 'threads': 'threads', 'all_columns': 'all-columns', 'absolute': 'absolute',
         'threshold': 'threshold', 'most': 'most'}


def find():
    """The command: FLAMEL, or the one on the PATH."""
    named = os.environ.get('FLAMEL') or shutil.which('flamel')
    if not named:
        raise LibraryMissing('libflamel is not found, and there is no command flamel on the PATH, which would do as well: '
                             'install the Debian packages, or `npm install --global` the package for npm, which needs '
                             'node. FLAMEL_LIBRARY and FLAMEL name the library and the command.')
    return named


def _arguments(names, given):
    """Keyword arguments as options of the command."""
    made = []
    for name, value in given.items():
        if name not in names:
            raise TypeError(f'there is no option {name!r}; there are {", ".join(sorted(names))}')
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if each is True:
                made.append(f'--{names[name]}')
            elif each is not None and each is not False:
                made += [f'--{names[name]}', os.fspath(each) if isinstance(each, os.PathLike) else str(each)]
    return made


def _run(arguments, folder=None, good=(0,), level=3):
    """What the command writes to standard output; what it says, beside that, is a warning."""
    done = subprocess.run([find(), *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    said = done.stderr.decode('utf-8', 'replace').strip()
    lines = [line[len('flamel: '):] if line.startswith('flamel: ') else line for line in said.split('\n') if line]
    if done.returncode not in good:
        message = '\n'.join(lines) or f'flamel ended with {done.returncode}'
        line = re.search(r': line (\d+): ', message)
        raise Error(message, 'format' if line else 'usage', int(line[1]) if line else 0)
    for line in lines:
        warnings.warn(line, Warning, stacklevel=level)
    return done.stdout


class _File:
    """A file in a temporary folder of its own, which goes when nothing refers to it any more."""

    def __init__(self, name):
        # The name is what reports call the profile, so it is kept where a file can have it.
        base = re.sub(r'[<>:"|?*\\/\x00-\x1f]', '_', os.path.basename(name.rstrip('/'))) or 'profile'
        self.folder = tempfile.mkdtemp(prefix='flamel-')
        self.name = f'_{base}' if base.startswith(('-', '.')) else base
        self.path = os.path.join(self.folder, self.name)
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


# ---- Reports ---------------------------------------------------------------------------------------

def _flat(row, before=''):
    """{'self': {'before': 1}} is {'self.before': 1}."""
    made = {}
    for name, value in row.items():
        if isinstance(value, dict):
            made.update(_flat(value, f'{before}{name}.'))
        else:
            made[before + name] = value
    return made


def _tables(value, found):
    """All lists of rows in a report, by name."""
    for name, inside in value.items():
        if isinstance(inside, dict):
            _tables(inside, found)
        elif isinstance(inside, list) and all(isinstance(row, dict) for row in inside):
            found[name] = Table(name, [_flat(row) for row in inside])
    return found


class Table(list):
    """A table of a report: a list of rows, which are dictionaries."""

    def __init__(self, name, rows):
        super().__init__(rows)
        self.name = name
        self.columns = list(dict.fromkeys(key for row in rows for key in row))

    def __repr__(self):
        return f'<flamel.Table {self.name}: {len(self):,} rows of {", ".join(self.columns)}>'

    def to_pandas(self):
        """The table as a DataFrame."""
        import pandas
        return pandas.DataFrame(list(self), columns=self.columns)


class Report(ShownReport):
    """Tables by name, in `tables`. str() is what the command prints, and a notebook shows it."""

    _good = (0,)
    _forms = ('text', 'markdown', 'json', 'csv')

    def __init__(self, arguments, folder, files):
        self._arguments, self._folder, self._files = arguments, folder, files
        self._json = json.loads(self.write('json'))
        self.tables = _tables(self._json, {})

    def _form(self, form):
        return [] if form == 'text' else [f'--{form}']

    def write(self, form='text'):
        """The report as 'text', 'markdown', 'json' or 'csv'."""
        if form not in self._forms:
            raise Error(f'form is one of {", ".join(self._forms)}, not {form!r}')
        written = _run([*self._arguments, '--quiet', *self._form(form)], self._folder, self._good)
        return written.decode('utf-8', 'surrogateescape')

    def to_dict(self):
        """What the command prints with --json, as Python has it."""
        return self._json


def quantity(value, unit=''):
    """A value with its unit: '44,780 us', '0.1234'."""
    return f'{value:,.0f} {unit}'.rstrip() if abs(value) >= 1000 else f'{value:.4g} {unit}'.rstrip()


# ---- Profiles --------------------------------------------------------------------------------------

class Profile(ShownProfile):
    """Made by load, loads, record and the operations; `name` is what reports call it."""

    def __init__(self, file, name):
        self._file, self.name = file, name
        self._shows = self._known = self._info = None

    def _tables(self):
        """The whole profile: docs/json.md."""
        if self._known is None:
            self._known = json.loads(_run(['convert', '--quiet', '-t', 'json', '-o', '-', self._file.path]))
        return self._known

    def _summary(self):
        if self._info is None:
            self._info = json.loads(_run(['info', '--json', self._file.path]))
        return self._info

    def _made(self, *arguments):
        """The profile that the command writes with these arguments."""
        made = _File(self.name)
        _run([*arguments, '-t', 'flm', '-o', made.path, self._file.path], level=4)
        return Profile(made, self.name)

    # ---- What it has -----------------------------------------------------------------------------

    @property
    def metrics(self):
        """Metrics with their units and totals, the first of which is the default."""
        return [Metric(each['name'], each['unit'], float(each['total'])) for each in self._summary()['metrics']]

    def _metric(self, name):
        metrics = self.metrics
        if name is None and metrics:
            return 0
        for i, metric in enumerate(metrics):
            if metric.name == name:
                return i
        raise Error(f'there is no metric {name!r}; there are {", ".join(each.name for each in metrics)}')

    def total(self, metric=None):
        """The sum of a metric, by default of the first, in its unit."""
        return self.metrics[self._metric(metric)].total

    @property
    def notes(self):
        """Facts about the recording: command, host, duration_ns ..."""
        return {each['key']: each['value'] for each in self._tables()['notes']}

    @property
    def losses(self):
        """What the reader or the recorder could not keep, counted."""
        return [Loss(each['what'], each.get('where', ''), each['count']) for each in self._tables()['losses']]

    @property
    def labels(self):
        """The labels of samples: {'thread': ['main', 'worker'] ...}."""
        result = {}
        for sample in self._tables()['samples']:
            for key, value in sample.get('labels', ()):
                values = result.setdefault(key, [])
                if value not in values:
                    values.append(value)
        return result

    def __len__(self):
        """How many nodes, with the root."""
        return self._summary()['nodes'] + 1

    def __repr__(self):
        values = ', '.join(f'{each.name} {quantity(each.total, each.unit)}' for each in self.metrics)
        samples = self._summary()['samples']['count']
        return (f'<flamel.Profile {self.name}: {values or "no metrics"}; {len(self) - 1:,} nodes'
                f'{f", {samples:,} samples" if samples else ""}>')

    # ---- Operations ------------------------------------------------------------------------------

    def apply(self, expression):
        """Operations as text: 'focus:parse | hide:module=libc.so.6'. See flamel-expressions(7)."""
        return self._made('filter', '--allow-empty', '--apply', os.fspath(expression))

    def invert(self):
        """Leaf first: callers below their callees."""
        return self.apply('invert')

    def sanitize(self, rules='', key=None):
        """Without what others need not know: see flamel-convert(1), --sanitize. The same key
        gives the same pseudonyms in several profiles; without one it is random."""
        kept = _File('key')
        with open(kept.path, 'wb') as file:
            file.write(os.urandom(32) if key is None else key)
        with warnings.catch_warnings(record=True) as lines:
            warnings.simplefilter('always')
            made = self._made('convert', f'--sanitize={rules}', '--sanitize-key', kept.path)
        made._shows = ''.join(f'{line.message}\n' for line in lines)
        return made

    def shows(self):
        """What is to be seen in a profile that sanitize has made, a line for each kind of thing: to
        be read before it is shown to others."""
        if self._shows is None:
            raise Error('the command lists only what is left to see in a profile that sanitize() has made')
        return self._shows

    # ---- Tables ----------------------------------------------------------------------------------

    def _report(self, words, options):
        return Report([*words, *_arguments(_REPORT, options), self._file.name], self._file.folder, self._file)

    def top(self, rows=30, **options):
        """The functions with the largest self value (sort='total': total value)."""
        return self._report(['report', '--view', 'top'], {'rows': rows, **options})

    def tree(self, **options):
        """The call tree: min_percent=1, levels=8."""
        return self._report(['report', '--view', 'tree'], {'min_percent': 0, **options})

    def callers(self, function, **options):
        """Who calls the functions that a pattern matches."""
        return self._report(['report', '--view', 'callers'], {'min_percent': 0, 'function': function, **options})

    def callees(self, function, **options):
        """What the functions that a pattern matches call."""
        return self._report(['report', '--view', 'callees'], {'min_percent': 0, 'function': function, **options})

    def info(self, **options):
        """Metrics, sizes, labels, losses and notes."""
        return self._report(['info'], options)

    # ---- Stacks and samples ----------------------------------------------------------------------

    def stacks(self, metric=None):
        """Pairs of a stack (functions, the outermost first) and its own value, where it has one."""
        column, known, whole = self._metric(metric), self._tables(), []
        for stack in known['stacks']:
            above = () if stack['parent'] is None else whole[stack['parent']]
            whole.append((*above, known['frames'][stack['frame']]['function']))
            value = stack['self'][column]
            if value != 0:
                yield whole[-1], float(value)

    def to_pandas(self, metric=None):
        """All stacks as a DataFrame, a row for each node of the tree: parent (-1: none), depth,
        function, module, file, line, kind, and self and total of a metric."""
        import pandas
        column, known = self._metric(metric), self._tables()
        empty = known.get('empty_stack')
        parent, depth, own = [-1], [0], [float(empty[column]) if empty else 0.0]
        frames = [{}]
        for stack in known['stacks']:
            above = 0 if stack['parent'] is None else stack['parent'] + 1
            parent.append(above)
            depth.append(depth[above] + 1)
            own.append(float(stack['self'][column]))
            frames.append(known['frames'][stack['frame']])
        total = list(own)
        for node in range(len(total) - 1, 0, -1):
            total[parent[node]] += total[node]
        kinds = pandas.CategoricalDtype(_KINDS)
        return pandas.DataFrame({
            'parent': parent, 'depth': depth,
            **{name: pandas.Categorical([frame.get(name, '') for frame in frames]) for name in ('function', 'module', 'file')},
            'line': [frame.get('line', 0) for frame in frames],
            'kind': pandas.Series([frame.get('kind', 'plain') for frame in frames], dtype=kinds),
            'self': own, 'total': total,
        }).rename_axis('node')

    def samples_to_pandas(self):
        """The samples as a DataFrame, by time: time_ns (<NA>: not known), duration_ns, node (a row
        of to_pandas), a column for each label and each metric."""
        import pandas
        known, samples = self._tables(), self._tables()['samples']
        columns = {
            'time_ns': pandas.array([each.get('time_ns') for each in samples], dtype='Int64'),
            'duration_ns': [each.get('duration_ns') or 0 for each in samples],
            'node': [0 if each.get('stack') is None else each['stack'] + 1 for each in samples],
        }
        labels = [dict(each.get('labels', ())) for each in samples]
        for key in dict.fromkeys(key for each in labels for key in each):
            name = key if key not in columns else f'label {key}'
            columns[name] = pandas.Categorical([each.get(key) for each in labels])
        for i, metric in enumerate(known['metrics']):
            name = metric['name'] if metric['name'] not in columns else f'metric {metric["name"]}'
            columns[name] = [float(each['values'][i]) for each in samples]
        return pandas.DataFrame(columns)

    # ---- Files -----------------------------------------------------------------------------------

    def _write(self, path, picture, base, options):
        to = {'compress': lambda on: ['-t', 'packed'] if on else [], 'format': lambda format: ['-t', format],
              'name': lambda _: []}
        words = [word for name in to if name in options for word in to[name](options.pop(name))]
        words += _arguments(_SAVE, options)
        for name, value in (picture or {}).items():
            words += _arguments({name: name.replace('_', '-')}, {name: value})
        if base is not None:
            base = _profile(base)  # its file lives as long as it does
            words += ['--base', base._file.path]
        _run(['convert', *words, '-o', os.path.abspath(path), self._file.path], level=4)

    def save(self, path, picture=None, base=None, **options):
        """Writes a file: its extension, or format=, says which. `picture` has the options of SVG,
        PDF and PNG by their names (flamel-convert(1)): {'title': 'app', 'width': 1600}. `base` is
        a profile, or its path, that a page compares with."""
        self._write(os.fspath(path), picture, base, options)

    def to_bytes(self, format='flm', picture=None, base=None, **options):
        """The bytes of the file that save would write."""
        made = _File(self.name)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', Warning)
            self._write(made.path, picture, base, {'format': format, **options})
        with open(made.path, 'rb') as file:
            return file.read()


# ---- Reading ---------------------------------------------------------------------------------------

def _loaded(path, name, folder, options):
    made = _File(name)
    _run(['convert', '--quiet', *_arguments(_LOAD, options), '-t', 'flm', '-o', made.path, path], folder)
    return Profile(made, name)


def load(path, **options):
    """The profile in a file, a folder, an archive or at a URL, of any format.

    format, lenient, lines, threads, symbol_dirs, debuginfod, member ...: the options of `flamel
    convert`; lenient=True skips and counts what would be refused."""
    path = os.fspath(path)
    if '://' not in path:
        try:
            os.stat(path)
        except OSError as error:
            raise Error(f'{path}: {error.strerror}', 'system') from None
    return _loaded(path, path, None, options)


def loads(content, name='profile', **options):
    """The same of bytes in memory, or of a text."""
    content = content.encode('utf-8', 'surrogateescape') if isinstance(content, str) else bytes(memoryview(content))
    source = _File(name)
    with open(source.path, 'wb') as file:
        file.write(content)
    return _loaded(source.name, name, source.folder, options)


def _profile(given):
    """A profile, or the one at a path."""
    return given if isinstance(given, Profile) else load(given)


def merge(profiles):
    """One profile with the sums of all, which are profiles or paths."""
    profiles = [_profile(each) for each in profiles]
    if not profiles:
        return loads(b'', 'nothing', format='folded')
    name = ' + '.join(each.name for each in profiles)
    made = _File(name)
    _run(['merge', '--quiet', '-o', made.path, '-t', 'flm', *(each._file.path for each in profiles)])
    return Profile(made, name)


def formats():
    """All formats, in the order in which they are tried."""
    return [Format(each['name'], each['title'], each['extensions'], each['description'], each['reads'], each['writes'])
            for each in json.loads(_run(['formats', '--json']))]


# ---- Comparing -------------------------------------------------------------------------------------

class _Runs:
    """The runs of both sides as files before/NAME and after/NAME of one folder."""

    def __init__(self, before, after):
        self.before, self.after = sides(before, Profile, load), sides(after, Profile, load)
        self.folder = tempfile.mkdtemp(prefix='flamel-')
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.arguments = ['--base', *self._put('before', self.before), '--new', *self._put('after', self.after)]

    def _put(self, side, profiles):
        paths = []
        for i, profile in enumerate(profiles):
            folder = os.path.join(side, str(i + 1)) if len(profiles) > 1 else side
            os.makedirs(os.path.join(self.folder, folder))
            paths.append(os.path.join(folder, profile._file.name))
            shutil.copyfile(profile._file.path, os.path.join(self.folder, paths[-1]))
        return paths


class Comparison(ShownComparison, Report):
    """Tables 'functions' and 'changed_stacks'; `before` and `after` are both sides, or the means of
    several runs, whose metric is called before or after."""

    def __init__(self, runs, options):
        words, by = [], options.pop('normalize', None)
        if by:
            words = ['--normalize', f'function:{options.pop("function", "")}' if by == 'function' else by]
        side = options.pop('relative', None)
        if side in ('base', 'new'):
            words += ['--relative-to', side]
        super().__init__(['diff', *words, *_arguments(_DIFF, options), *runs.arguments], runs.folder, runs)
        both = _File('comparison.flm')
        _run(['diff', '--quiet', *runs.arguments, '-o', both.path], runs.folder)
        self.before, self.after = (
            profiles[0] if len(profiles) == 1 else Profile(both, f'{len(profiles)} runs').apply(f'metric:{side}')
            for side, profiles in (('before', runs.before), ('after', runs.after)))

    def to_html(self):
        """A page that compares both."""
        made = _File('comparison.html')
        self.save(made.path)
        with open(made.path, encoding='utf-8') as file:
            return file.read()

    def save(self, path):
        """Writes that page."""
        _run(['diff', *self._files.arguments, '-t', 'html', '-o', os.path.abspath(path)], self._folder)


class Gate(ShownGate, Report):
    """`verdict` is 'pass', 'fail' or 'inconclusive'; table 'items' has the changes, the largest
    first. See flamel-gate(1)."""

    _good = (0, 1, 3)
    _forms = (*Report._forms, 'junit')

    def __init__(self, runs, settings):
        words = ['--side', 'both'] if settings.pop('both_directions', False) else []
        method = settings.pop('method', None)
        if method:
            words += ['--method', method.replace('-', '')]
        super().__init__(['gate', *words, *_arguments(_GATE, settings), *runs.arguments], runs.folder, runs)
        self.verdict = self._json['verdict'].lower()

    def _form(self, form):
        return ['--format', form]

    def junit(self):
        """The report as JUnit XML."""
        return self.write('junit')


def compare(before, after, **options):
    """What changed between two profiles (or paths), or sets of runs of each side."""
    return Comparison(_Runs(before, after), options)


def gate(before, after, **settings):
    """Whether the runs `after` are a regression from the runs `before`: five of each or more."""
    return Gate(_Runs(before, after), settings)
