"""The package of Python against the library and the command: run.sh sets FLAMEL_LIBRARY and FLAMEL. If FLAMEL_LIBRARY is
empty, the package has only the command, and the same has to hold."""

import contextlib
import copy
import ctypes
import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import flamel

HAS_LIBRARY = os.environ['FLAMEL_LIBRARY'] != ''
if HAS_LIBRARY:
    from flamel import library

DATA = pathlib.Path('tests/data')
FLAMEL = os.environ['FLAMEL']

try:
    import pandas
except ImportError:
    pandas = None


def command(*arguments):
    return subprocess.run([FLAMEL, *arguments], stdout=subprocess.PIPE, check=True).stdout.decode()


def files():
    """Profiles of many formats, small ones, as they lie in the folder."""
    found = []
    for folder in sorted(DATA.iterdir()):
        inside = [each for each in sorted(folder.rglob('*')) if each.is_file() and each.stat().st_size < 200_000]
        found += inside[:6]
    return found


@unittest.skipUnless(HAS_LIBRARY, 'there is no library')
class Structs(unittest.TestCase):
    """What ctypes believes is what a C compiler says."""

    def test_members_are_where_the_compiler_has_them(self):
        lines = []
        for name, made in library.STRUCTS.items():
            lines.append(f'printf("{name} %zu", sizeof(struct {name}));')
            for field, _ in made._fields_:
                lines.append(f'printf(" %zu", offsetof(struct {name}, {field}));')
            lines.append('puts("");')
        source = ('#include <stddef.h>\n#include <stdio.h>\n#include "flamel/flamel.h"\n'
                  '#include "flamel/sanitize.h"\nint main(void)\n{\n' + '\n'.join(lines) + '\nreturn 0;\n}\n')
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'structs')
            subprocess.run(['cc', '-Iinclude', '-x', 'c', '-', '-o', program], input=source.encode(), check=True)
            said = subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout.decode().split('\n')
        for line in filter(None, said):
            name, size, *offsets = line.split()
            made = library.STRUCTS[name]
            self.assertEqual(ctypes.sizeof(made), int(size), name)
            self.assertEqual([getattr(made, field).offset for field, _ in made._fields_], list(map(int, offsets)), name)

    def test_every_member_is_there(self):
        headers = '\n'.join(path.read_text() for path in pathlib.Path('include/flamel').glob('*.h'))
        headers = re.sub(r'/\*.*?\*/', '', headers, flags=re.S)
        for name, made in library.STRUCTS.items():
            body = re.search(rf'struct {name} \{{(.*?)\n\}};', headers, re.S)
            self.assertTrue(body, name)
            count = sum(each.count(',') + 1 for each in body[1].split(';') if each.strip() and '(' not in each)
            count += sum(1 for each in body[1].split(';') if '(*' in each)
            self.assertEqual(len(made._fields_), count, name)

    def test_enumerators_have_the_order_of_the_headers(self):
        from flamel import comparison, profile, report
        headers = '\n'.join(path.read_text() for path in pathlib.Path('include/flamel').glob('*.h'))
        headers = re.sub(r'/\*.*?\*/', '', headers, flags=re.S)

        def names(enum, prefix):
            body = re.search(rf'enum {enum} \{{(.*?)\}}', headers, re.S)[1]
            found = [each.split('=')[0].strip() for each in body.split(',') if each.strip()]
            return tuple(each[len(prefix):].lower().replace('_', '-') for each in found)

        self.assertEqual(library._KINDS, names('flm_error_kind', 'FLM_ERROR_'))
        self.assertEqual(tuple(report._FORMS), names('flm_report_form', 'FLM_REPORT_'))
        self.assertEqual(comparison._VERDICTS, names('flm_gate_verdict', 'FLM_GATE_'))
        self.assertEqual(profile._SORTS, names('flm_report_sort', 'FLM_REPORT_BY_'))
        self.assertEqual(comparison._DIFF['normalize'], names('flm_normalize', 'FLM_NORMALIZE_'))
        self.assertEqual(comparison._GATE['method'], names('flm_gate_method', 'FLM_GATE_'))


class Reading(unittest.TestCase):
    def test_every_file_is_what_the_command_says(self):
        read = 0
        for path in files():
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                said = subprocess.run([FLAMEL, 'report', '--json', '-n', '5', str(path)],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                try:
                    profile = flamel.load(path)
                except flamel.Error as error:
                    self.assertEqual(said.returncode, 2, path)
                    self.assertIn(str(error).split(': ', 1)[1][:60], said.stderr.decode('utf-8', 'replace'), path)
                    continue
            if said.returncode != 0:  # a profile without values has no top
                continue
            as_command = json.loads(said.stdout)
            if 'functions' not in as_command:
                continue
            self.assertEqual(profile.top(5).to_dict()['functions'], as_command['functions'], path)
            read += 1
        self.assertGreater(read, 50)

    def test_errors_have_a_kind_and_a_line(self):
        with self.assertRaises(flamel.Error) as caught:
            flamel.loads('a;b 1\na;b -2\n', format='folded')
        self.assertEqual((caught.exception.kind, caught.exception.line), ('range' if HAS_LIBRARY else 'format', 2))
        with self.assertRaises(flamel.Error) as caught:
            flamel.load('/there/is/no/such.file')
        self.assertEqual(caught.exception.kind, 'system')
        self.assertEqual(flamel.loads('a;b 1\na;b -2\n', format='folded', lenient=True).losses[0].count, 1)

    def test_options_that_there_are_not(self):
        with self.assertRaisesRegex(TypeError, 'lenient'):
            flamel.loads('a 1\n', linient=True)
        with self.assertRaises(flamel.Error):
            flamel.loads('a 1\n').top(sort='size')

    @unittest.skipUnless(HAS_LIBRARY, 'JSON, which the command prints, has U+FFFD for such bytes')
    def test_bytes_of_names_survive(self):
        profile = flamel.loads(b'main;caf\xe9 2\n')
        self.assertEqual(list(profile.stacks()), [(('main', 'caf\udce9'), 2.0)])
        self.assertEqual(profile.to_bytes('folded'), b'main;caf\xe9 2\n')

    def test_interrupt_ends_a_long_read(self):
        text = ''.join(f'main;f{i % 977};g{i % 9973};h{i} {i % 9 + 1}\n' for i in range(1_500_000))
        timer = threading.Timer(0.03, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            flamel.loads(text)
            timer.join()
            time.sleep(0.01)  # it was read before: the signal comes here
        except KeyboardInterrupt:
            pass
        timer.join()


class Profiles(unittest.TestCase):
    def setUp(self):
        self.profile = flamel.loads('main;parse;read 42\nmain;parse 3\nmain;draw 7\n', name='app.folded')

    def test_values(self):
        self.assertEqual(self.profile.total(), 52)
        self.assertEqual(self.profile.metrics, [flamel.Metric('samples', 'samples', 52.0)])
        self.assertEqual(dict(self.profile.stacks()),
                         {('main', 'parse', 'read'): 42, ('main', 'parse'): 3, ('main', 'draw'): 7})
        self.assertEqual(len(self.profile), 5)
        self.assertIn('52', repr(self.profile))

    def test_operations_leave_the_profile(self):
        focused = self.profile.apply('focus:parse')
        self.assertEqual(dict(focused.stacks()), {('parse', 'read'): 42, ('parse',): 3})
        self.assertEqual(self.profile.total(), 52)
        self.assertEqual(dict(self.profile.invert().stacks())[('draw', 'main')], 7)
        self.assertEqual(flamel.merge([self.profile, focused]).total(), 97)

    def test_what_matches_nothing_is_a_warning(self):
        with self.assertWarnsRegex(flamel.Warning, 'prase'):
            self.profile.apply('focus:prase')
        with self.assertRaises(flamel.Error):
            self.profile.apply('fokus:parse')

    def test_what_a_format_leaves_out_is_a_warning(self):
        text = 'app 12/13 [000] 1.5: 1000 cpu-clock:\n\t55d0c1 main (/bin/app)\n\n'
        profile = flamel.loads(text)
        with tempfile.TemporaryDirectory() as folder, self.assertWarnsRegex(flamel.Warning, '(leaves out|not in it).*times'):
            profile.save(os.path.join(folder, 'x.folded'))

    def test_files_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, 'app.folded')
            self.profile.save(source)
            for name in 'x.flm', 'x.svg', 'x.pb.gz', 'x.json':
                ours, theirs = os.path.join(folder, 'our-' + name), os.path.join(folder, name)
                self.profile.save(ours)
                command('convert', '-q', source, '-o', theirs)
                if name.endswith('svg'):
                    self.assertEqual(pathlib.Path(ours).read_bytes()[-7:], b'</svg>\n')
                else:
                    self.assertEqual(flamel.load(ours).to_bytes('folded'), flamel.load(theirs).to_bytes('folded'))
        self.assertIn('A title', self.profile.to_svg(title='A title', width=800))
        with self.assertRaises(flamel.Error):
            self.profile.to_svg(titel='x')

    def test_sanitized(self):
        profile = flamel.loads('main;acme_secret 3\nmain;other 1\n')
        clean = profile.sanitize('names:acme*', key=b'k' * 32)
        self.assertNotIn(b'acme_secret', clean.to_bytes('folded'))
        self.assertEqual(clean.to_bytes('folded'), profile.sanitize('names:acme*', key=b'k' * 32).to_bytes('folded'))
        self.assertIn('functions', clean.shows())

    def test_a_profile_lives_as_long_as_it_is_used(self):
        table = flamel.loads('a;b 3\n').top()['functions']
        gc.collect()
        self.assertEqual(table[0]['function'], 'b')
        self.assertEqual([row['self'] for row in table], [3, 0])
        self.assertEqual(table[-1]['function'], 'a')
        with self.assertRaises(IndexError):
            table[2]

    def test_copies_live_on(self):
        self.assertIn(f'{len(self.profile) - 1} nodes', repr(self.profile))
        content = pickle.dumps(self.profile)
        copies = [pickle.loads(content), copy.copy(self.profile), copy.deepcopy(self.profile)]
        expected = dict(self.profile.stacks())
        self.profile = None
        gc.collect()
        for each in copies:
            self.assertEqual(dict(each.stacks()), expected)
            self.assertEqual(each.name, 'app.folded')
            self.assertEqual(each.total(), 52)

    def test_profiles_go_from_process_to_process(self):
        path = str(sorted((DATA / 'austin').iterdir())[0])
        with multiprocessing.get_context('spawn').Pool(1) as pool:
            [made] = pool.map(flamel.load, [path])
        loaded = flamel.load(path)
        self.assertEqual(list(made.stacks()), list(loaded.stacks()))
        self.assertEqual(made.notes, loaded.notes)

    def test_reports_stay_in_their_process(self):
        for each in (self.profile.top(), flamel.compare(self.profile, self.profile)):
            with self.assertRaisesRegex(TypeError, 'not pickled'):
                pickle.dumps(each)

    def test_arguments_of_other_types_are_refused(self):
        for call in (lambda: self.profile.apply(None), lambda: self.profile.apply(['invert']),
                     lambda: self.profile.save(None), lambda: flamel.loads(['main;parse 1']), lambda: flamel.loads(None),
                     lambda: flamel.load(None), lambda: flamel.merge([None]), lambda: self.profile.to_bytes('html', base=3)):
            with self.assertRaises(TypeError):
                call()

    def test_paths_are_profiles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'app.flm')
            self.profile.save(path)
            self.assertEqual(flamel.merge([path, self.profile]).total(), 104)
            page = self.profile.to_bytes('html', base=path)
            self.assertEqual(len(page), len(self.profile.to_bytes('html', base=flamel.load(path))))


@unittest.skipUnless(pandas, 'there is no pandas')
class DataFrames(unittest.TestCase):
    def test_nodes_add_up(self):
        read = 0
        for path in files():
            try:
                profile = flamel.load(path)
                metric = next(each for each in profile.metrics if each.total)
            except (flamel.Error, StopIteration):
                continue
            frame = profile.to_pandas(metric.name)
            self.assertEqual(len(frame), len(profile), path)
            self.assertAlmostEqual(frame.self.sum(), metric.total, delta=1e-9 * abs(metric.total) + 1e-9)
            self.assertAlmostEqual(frame.total[0], metric.total, delta=1e-9 * abs(metric.total))
            inner = frame[frame.parent >= 0]
            self.assertTrue((frame.depth.to_numpy()[inner.parent] + 1 == inner.depth).all())
            samples = profile.samples_to_pandas()
            if len(samples):
                self.assertTrue(samples.node.max() < len(frame))
                self.assertTrue(samples.time_ns.dropna().is_monotonic_increasing)
            read += 1
        self.assertGreater(read, 50)

    def test_reports(self):
        frame = flamel.loads('main;parse 3\nmain;draw 7\n').top().to_pandas()
        self.assertEqual(list(frame.function[:2]), ['draw', 'parse'])
        self.assertEqual(list(frame.self[:2]), [7, 3])


class Comparing(unittest.TestCase):
    def test_a_difference(self):
        before, after = flamel.loads('a;b 3\na;c 4\n'), flamel.loads('a;b 3\na;c 9\n')
        change = flamel.compare(before, after)
        self.assertEqual(next(row for row in change['functions'] if row['function'] == 'c')['self.change'], 5)
        self.assertEqual((change.before.total(), change.after.total()), (7, 12))
        self.assertIn('before', str(change))
        means = flamel.compare([before, after], [after])
        self.assertEqual((means.before.total(), means.after.total()), (9.5, 12))
        self.assertIn('<html', means.to_html())

    def test_a_gate(self):
        def runs(value):
            return [flamel.loads(f'main;a {1000 + i}\nmain;b {value + 2 * i}\n', name=f'{value} {i}') for i in range(8)]

        verdict = flamel.gate(runs(1000), runs(1500))
        self.assertEqual((verdict.verdict, verdict.passed), ('fail', False))
        self.assertIn('<testsuite', verdict.junit())
        self.assertNotEqual(flamel.gate(runs(1000), runs(1000)).verdict, 'fail')
        with self.assertRaises(flamel.Error):
            flamel.gate(runs(1000)[:1], runs(1000)[:1])

    def test_paths_are_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, f'{i}.folded') for i in range(2)]
            for path, text in zip(paths, ('a 1\n', 'a 2\n')):
                pathlib.Path(path).write_text(text)
            self.assertEqual(flamel.compare(*paths)['functions'][0]['self.change'], 1)


def spin(seconds):
    end, sum_ = time.process_time() + seconds, 0
    while time.process_time() < end:
        sum_ += len([i for i in range(1000)])
    return sum_


class Recordings(unittest.TestCase):
    def setUp(self):
        try:
            with flamel.record() as recording:
                spin(0.3)
        except flamel.Error as error:
            self.skipTest(str(error))
        self.profile = recording.profile

    def test_own_functions_are_in_it_and_the_recorder_is_not(self):
        functions = {name for stack, _ in self.profile.stacks() for name in stack}
        self.assertIn('spin', functions)
        self.assertNotIn('flamel', functions)
        # A machine with much to do reads some frames too late, and the profile says of how many samples.
        read, of = map(int, re.search('frames in ([0-9]+) of ([0-9]+) samples', self.profile.notes['python']).groups())
        self.assertGreater(sum(value for stack, value in self.profile.stacks() if 'spin' in stack),
                           0.8 * self.profile.total() * read / of)

    def test_threads_and_waiting(self):
        @flamel.record(off_cpu=True)
        def wait():
            thread = threading.Thread(target=spin, args=(0.1,), name='spinner')
            thread.start()
            time.sleep(0.2)
            thread.join()
            return 'done'

        self.assertEqual(wait(), 'done')
        self.assertIn('off-cpu', [metric.name for metric in wait.profile.metrics])
        self.assertGreater(len(wait.profile.labels['thread']), 1)

    def test_a_file_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'own.flm')
            with flamel.record(path, frequency=199):
                spin(0.1)
            self.assertEqual(flamel.load(path).notes['frequency'], '199 Hz')

    def test_options_that_are_refused_are_said(self):
        with self.assertRaisesRegex(flamel.Error, 'frequenzy'):
            flamel.record(options=['--frequenzy', '9']).start()
        with self.assertRaises(flamel.Error):
            flamel.record().stop()


class Documentation(unittest.TestCase):
    def test_examples_run(self):
        """Those of a page build on one another."""
        here = os.getcwd()
        for page in 'docs/python.md', 'python/README.md':
            blocks = re.findall(r'```python\n(.*?)```', pathlib.Path(page).read_text(), re.S)
            self.assertGreater(len(blocks), 0)
            if not pandas:
                blocks = [block for block in blocks if 'pandas' not in block]
            known = {'work': lambda: spin(0.05)}
            for side in 'base', 'new':
                known[f'{side}_runs'] = [flamel.loads(f'main;a {90 + i}\nmain;parse {5 + i}\n') for i in range(6)]
            with tempfile.TemporaryDirectory() as folder, open(os.devnull, 'w') as nowhere:
                for name, value in ('app.perf', 7), ('monday.flm', 7), ('tuesday.flm', 70):
                    written = flamel.loads(f'main;parse;read 42\nmain;parse 3\nmain;draw {value}\n')
                    written.save(os.path.join(folder, name), format='flm')
                os.chdir(folder)
                try:
                    with contextlib.redirect_stdout(nowhere):
                        for block in blocks:
                            try:
                                exec(compile(block, page, 'exec'), known)
                            except flamel.Error as error:
                                if 'record' not in block or 'perf_event' not in str(error):
                                    raise
                finally:
                    os.chdir(here)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
