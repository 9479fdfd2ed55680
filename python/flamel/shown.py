"""How reports, profiles and comparisons are shown, and what is compared: with libflamel and with the
command (command.py) alike."""

import os

from . import notebook


class NotPickled:
    """Holds what only this process has. Copied by pickle, as by multiprocessing, it would point to it."""

    def __reduce__(self):
        raise TypeError(f'a {type(self).__name__} belongs to its process, and is not pickled: pickle the profiles, or '
                        'its to_pandas()')


class ShownReport(NotPickled):
    """Needs `tables` and write() of the class."""

    def __getitem__(self, name):
        if name not in self.tables:
            raise KeyError(f'there is no table {name!r}; there are {", ".join(self.tables)}')
        return self.tables[name]

    def to_pandas(self, table=None):
        """A table, by default the first, as a DataFrame."""
        return (self[table] if table else next(iter(self.tables.values()))).to_pandas()

    def __str__(self):
        return self.write('text')

    def _repr_markdown_(self):
        return self.write('markdown')


def _unpickled(content, name):
    from . import loads
    return loads(content, name, format='flm')


class ShownProfile:
    """Needs `name` and to_bytes() of the class."""

    def __reduce__(self):
        """Pickled, as multiprocessing does for other processes, and copied: its .flm file."""
        return _unpickled, (self.to_bytes(), self.name)

    def to_html(self, base=None):
        """A page with the viewer in it: one file, which needs no network."""
        return self.to_bytes('html', base=base).decode()

    def to_svg(self, **picture):
        """A flame graph; options as of save."""
        return self.to_bytes('svg', picture=picture).decode()

    def _repr_html_(self):
        return notebook.framed(self.to_html(), self.name)


def sides(given, profile, load):
    """Runs of one side as a list, of a profile, a path, or several of them."""
    if isinstance(given, (profile, str, os.PathLike)):
        given = [given]
    return [each if isinstance(each, profile) else load(each) for each in given]


class ShownComparison:
    """Needs `before`, `after` and to_html() of the class."""

    def _repr_html_(self):
        return notebook.framed(self.to_html(), f'{self.before.name} and {self.after.name}')


class ShownGate:
    """Needs `verdict` of the class: 'pass', 'fail' or 'inconclusive'."""

    @property
    def passed(self):
        return self.verdict == 'pass'

    def __repr__(self):
        return f'<flamel.Gate {self.verdict}>'
