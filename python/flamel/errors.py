"""What both ways to read profiles raise: by libflamel (library.py), and by the command (command.py)."""

VERSION = '0.1.0'


class Error(Exception):
    """What flamel could not do, in a sentence.

    kind    'format', 'usage', 'system', 'unit', 'range', 'canceled'
    line    of a text that was read, from 1; 0: none
    offset  of a binary file, where `line` is 0"""

    def __init__(self, message, kind='usage', line=0, offset=0):
        super().__init__(message)
        self.kind = kind
        self.line = line
        self.offset = offset


class Warning(UserWarning):  # noqa: A001 - flamel.Warning, as warnings of other packages are named
    """Something was left out, or an operation matched nothing."""


class LibraryMissing(ImportError):
    """There is no libflamel on this system."""
