"""Two profiles, or several runs of each side: what changed, and whether it is more than noise."""

import ctypes
import weakref

from . import library as c
from .profile import Profile, load
from .report import Report
from .shown import ShownComparison, ShownGate, sides

_VERDICTS = ('pass', 'fail', 'inconclusive')
_DIFF = {'metric': str, 'normalize': ('none', 'total', 'duration', 'function'),
         'sort': ('self', 'total', 'name'), 'rows': int, 'function': str,
         'relative': ('absolute', 'base', 'new'), 'shares': bool, 'without_noise_test': bool}
_GATE = {'metric': str, 'alpha': float, 'permutations': int, 'seed': int, 'both_directions': bool,
         'min_effect': float, 'require_mde': float, 'tolerance': float, 'exact': bool, 'rows': int,
         'threads': int, 'all_columns': bool, 'absolute': bool, 'method': ('max-t', 'paper'),
         'threshold': int, 'most': int}


class _Runs:
    """The runs of both sides, as C has them; keeps what they point to."""

    def __init__(self, before, after):
        self.profiles = [(each, False) for each in sides(before, Profile, load)]
        self.profiles += [(each, True) for each in sides(after, Profile, load)]
        self.count = len(self.profiles)
        self.array = (c.Run * self.count)(*(
            c.Run(profile=each._handle, name=c.encoded(each.name), is_new=is_new)
            for each, is_new in self.profiles))


class Comparison(ShownComparison, Report):
    """Tables 'functions' and 'changed_stacks'; `before` and `after` are the means of both sides."""

    def __init__(self, runs, options):
        how = c.options(c.DiffOptions, _DIFF, options)
        diff = c.call('flm_diff_new', runs.array, runs.count, ctypes.byref(how))
        try:
            super().__init__(c.call('flm_diff_report', diff))
            names = [[each.name for each, new in runs.profiles if new == is_new]
                     for is_new in (False, True)]
            self.before, self.after = (
                Profile(c.call('flm_diff_mean', diff, is_new),
                        named[0] if len(named) == 1 else f'{len(named)} runs')
                for is_new, named in zip((False, True), names))
        finally:
            c.raw('flm_diff_free', diff)

    def to_html(self):
        """A page that compares both."""
        return self.after.to_html(base=self.before)

    def save(self, path):
        """Writes that page."""
        self.after.save(path, base=self.before, format='html')


class Gate(ShownGate, Report):
    """`verdict` is 'pass', 'fail' or 'inconclusive'; table 'items' has the changes, the largest
    first. See flamel-gate(1)."""

    def __init__(self, runs, settings):
        how = c.options(c.GateSettings, _GATE, settings)
        how.zero_seed = settings.get('seed') == 0
        self._result = c.call('flm_gate_compare', runs.array, runs.count, ctypes.byref(how))
        weakref.finalize(self, c.raw, 'flm_gate_result_free', self._result)
        super().__init__(c.call('flm_gate_report', self._result))
        self.verdict = _VERDICTS[c.raw('flm_gate_verdict', self._result)]

    def junit(self):
        """The report as JUnit XML."""
        return c.written('flm_gate_write_junit', self._result).decode()


def compare(before, after, **options):
    """What changed between two profiles (or paths), or sets of runs of each side."""
    return Comparison(_Runs(before, after), options)


def gate(before, after, **settings):
    """Whether the runs `after` are a regression from the runs `before`: five of each or more."""
    return Gate(_Runs(before, after), settings)
