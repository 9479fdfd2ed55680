"""Recording of the process that asks for it, by `flamel record` beside it."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile

from .errors import Error

_PR_SET_PTRACER = 0x59616D61


def _allow(pid):
    """Yama, of most distributions, lets no child read the memory of its parent; this one may. 0:
    nobody any more."""
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(pid), 0, 0, 0)


class Recording:
    """A block of code, or a function, recorded with all threads of this process:

        with flamel.record() as recording:
            work()
        recording.profile

    path       a file to write; without one it is a temporary file, which is read and removed
    frequency  samples per second of CPU time
    off_cpu    also the time in which threads wait
    options    other options of `flamel record`, as a list"""

    def __init__(self, path=None, frequency=999, off_cpu=False, options=()):
        self._path = path
        self._options = ['--frequency', str(frequency), *(['--off-cpu'] if off_cpu else []), *options]
        self._process = None
        self.profile = None

    def start(self):
        """Returns when samples are taken."""
        command = os.environ.get('FLAMEL') or shutil.which('flamel')
        if not command:
            raise Error('recording takes the command flamel, which is not on the PATH (FLAMEL can '
                        'name it)', 'system')
        self._folder = tempfile.TemporaryDirectory(prefix='flamel-')
        self._file = os.fspath(self._path) if self._path else os.path.join(self._folder.name, 'own.flm')
        self._errors = open(os.path.join(self._folder.name, 'errors'), 'w+b')
        # It waits for a line before it begins, until it may read this process; the command that
        # says how long to record says that it began, and ends with its input.
        self._process = subprocess.Popen(
            ['/bin/sh', '-c', 'read -r go && exec "$@"', 'sh', command, 'record', '-q', '-p', str(os.getpid()),
             '-o', self._file, *self._options, '--', '/bin/sh', '-c', 'echo; exec cat > /dev/null'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)
        _allow(self._process.pid)
        try:
            self._process.stdin.write(b'go\n')
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # stop says why
        if not self._process.stdout.readline():
            self._end()
        return self

    def stop(self):
        """Ends the recording; returns the profile."""
        if not self._process:
            raise Error('the recording has not been started')
        return self._end()

    def _end(self):
        process, self._process = self._process, None
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdout.close()
        status = process.wait()
        _allow(0)
        self._errors.seek(0)
        said = self._errors.read().decode('utf-8', 'replace').strip()
        self._errors.close()
        try:
            if status != 0:
                said = said[len('flamel: '):] if said.startswith('flamel: ') else said
                raise Error(said or f'flamel record ended with {status}', 'system')
            from . import load  # by the library or by the command
            self.profile = load(self._file)
            self.profile.name = self._file if self._path else 'recording'
            return self.profile
        finally:
            self._folder.cleanup()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def __call__(self, function):
        """As a decorator: the function has `.profile`, that of its last call."""
        @functools.wraps(function)
        def recorded(*arguments, **named):
            with self:
                result = function(*arguments, **named)
            recorded.profile = self.profile
            return result
        recorded.profile = None
        return recorded


def record(path=None, frequency=999, off_cpu=False, options=()):
    return Recording(path, frequency, off_cpu, options)


record.__doc__ = Recording.__doc__
