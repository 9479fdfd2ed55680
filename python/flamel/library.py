"""libflamel as ctypes knows it: its structs, functions and errors.

The structs are those of the headers in include/flamel, member by member; tests/python/structs.py
holds them against what a C compiler says. All else in this package is written in terms of `call`
and `text`."""

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint32, c_uint64, c_void_p)

from .errors import VERSION, Error, LibraryMissing, Warning  # noqa: F401 - as c.Error

NONE = 0xFFFFFFFF
NO_TIME = -2**63

# ---- Structs ---------------------------------------------------------------------------------------

PROGRESS = CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)
SINK = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)

STRUCTS = {}


def struct(name, *fields):
    made = type(name, (Structure,), {'_fields_': list(fields)})
    STRUCTS[name] = made
    return made


ErrorRecord = struct('flm_error', ('kind', c_int), ('line', c_uint64), ('offset', c_uint64),
                     ('text', c_char * 400))
Name = struct('flm_name', ('at', c_void_p), ('size', c_size_t))
Metric = struct('flm_metric', ('index', c_uint32))
String = struct('flm_string', ('index', c_uint32))
Frame = struct('flm_frame', ('index', c_uint32))
LabelSet = struct('flm_label_set', ('index', c_uint32))
Counter = struct('flm_counter', ('index', c_uint32))

FrameRecord = struct('flm_frame_record', ('function', c_uint32), ('module', c_uint32),
                     ('file', c_uint32), ('line', c_uint32), ('address', c_uint64),
                     ('kind', c_uint32), ('flags', c_uint32))
MetricRecord = struct('flm_metric_record', ('name', c_uint32), ('unit', c_uint32))
LabelRecord = struct('flm_label_record', ('key', c_uint32), ('value', c_uint32))
NoteRecord = struct('flm_note_record', ('key', c_uint32), ('value', c_uint32))
LossRecord = struct('flm_loss_record', ('what', c_uint32), ('where', c_uint32),
                    ('count', c_double))

LoadOptions = struct(
    'flm_load_options', ('size', c_size_t), ('format', c_char_p), ('allow_negative', c_bool),
    ('lenient', c_bool), ('columns', c_int), ('drop_times', c_bool), ('threads', c_int),
    ('symbol_dirs', POINTER(c_char_p)), ('symbol_dir_count', c_size_t), ('perf_dir', c_char_p),
    ('cache_dir', c_char_p), ('debuginfod', c_bool), ('no_inlines', c_bool), ('lines', c_bool),
    ('progress', PROGRESS), ('progress_context', c_void_p), ('found_format', POINTER(c_char_p)),
    ('clones', c_bool), ('by_thread', c_bool), ('member', c_char_p),
    ('dropped_samples', POINTER(c_bool)), ('no_locations', c_bool),
    ('dropped_locations', POINTER(c_bool)), ('counted_size', c_uint64))

PictureOptions = struct(
    'flm_svg_options', ('size', c_size_t), ('metric', Metric), ('difference', c_bool),
    ('before', Metric), ('widths', c_int), ('change_palette', c_int), ('change_of_self', c_bool),
    ('change_absolute', c_bool), ('negate', c_bool), ('normalize', c_int),
    ('normalize_function', c_char_p), ('before_ns', c_double), ('after_ns', c_double),
    ('changes', c_char_p), ('without_noise_test', c_bool), ('title', c_char_p),
    ('subtitle', c_char_p), ('notes', c_char_p), ('width_px', c_double),
    ('frame_height_px', c_double), ('min_width', c_double), ('min_width_percent', c_bool),
    ('font_type', c_char_p), ('font_size_px', c_double), ('font_width', c_double),
    ('count_name', c_char_p), ('name_type', c_char_p), ('factor', c_double), ('colors', c_int),
    ('shades', c_int), ('background', c_char_p), ('palette', Name), ('order', c_int),
    ('reverse', c_bool), ('inverted', c_bool), ('without_script', c_bool), ('search', c_char_p),
    ('dark', c_bool), ('scale', c_double), ('heatmap', c_bool), ('heatmap_column_ns', c_double))

SaveOptions = struct(
    'flm_save_options', ('size', c_size_t), ('format', c_char_p), ('metric', c_char_p),
    ('annotate', c_bool), ('compress', c_bool), ('picture', POINTER(PictureOptions)),
    ('name', c_char_p), ('base', c_void_p), ('base_name', c_char_p), ('code', c_void_p),
    ('code_size', c_size_t))

FormatInfo = struct(
    'flm_format_info', ('size', c_size_t), ('name', c_char_p), ('title', c_char_p),
    ('extensions', c_char_p), ('description', c_char_p), ('loses', c_char * 320),
    ('reads', c_bool), ('writes', c_bool), ('is_picture', c_bool), ('has_times', c_bool),
    ('keeps_labels', c_bool), ('metrics', c_int), ('needs_symbols', c_bool),
    ('takes_baseline', c_bool), ('keeps_lines', c_bool))

ReportOptions = struct(
    'flm_report_options', ('size', c_size_t), ('source', c_char_p), ('metric', c_char_p),
    ('sort', c_int), ('rows', c_uint32), ('min_percent', c_double), ('levels', c_uint32),
    ('function', c_char_p), ('format', c_char_p), ('file_bytes', c_double),
    ('label_values', c_bool), ('percentiles', POINTER(c_double)), ('percentile_count', c_uint32),
    ('name_address', c_void_p), ('name_context', c_void_p), ('for_command', c_bool))

Run = struct('flm_gate_run', ('profile', c_void_p), ('name', c_char_p), ('is_new', c_bool),
             ('date', c_char_p))

DiffOptions = struct(
    'flm_diff_options', ('size', c_size_t), ('metric', c_char_p), ('normalize', c_int),
    ('sort', c_int), ('rows', c_uint32), ('function', c_char_p), ('relative', c_int),
    ('shares', c_bool), ('without_noise_test', c_bool))

GateSettings = struct(
    'flm_gate_settings', ('size', c_size_t), ('metric', c_char_p), ('alpha', c_double),
    ('permutations', c_uint32), ('seed', c_uint64), ('both_directions', c_bool),
    ('min_effect', c_double), ('require_mde', c_double), ('tolerance', c_double),
    ('exact', c_bool), ('rows', c_uint32), ('threads', c_int), ('zero_seed', c_bool),
    ('sample', c_double), ('all_columns', c_bool), ('absolute', c_bool), ('method', c_int),
    ('threshold', c_uint32), ('most', c_uint32))

SanitizeOptions = struct('flm_sanitize_options', ('size', c_size_t), ('rules', c_char_p),
                         ('key', c_char_p), ('key_size', c_size_t),
                         ('unmatched', POINTER(c_uint64)))

# ---- Functions -------------------------------------------------------------------------------------

_p = c_void_p
_why = POINTER(ErrorRecord)

# name: (what it returns, what it takes)
FUNCTIONS = {
    'flm_version': (c_char_p, []),
    # profile.h
    'flm_profile_free': (None, [_p]),
    'flm_profile_string': (Name, [_p, String]),
    'flm_profile_frame': (POINTER(FrameRecord), [_p, Frame]),
    'flm_profile_frames': (_p, [_p]),
    'flm_profile_ends': (_p, [_p]),
    'flm_profile_self': (_p, [_p, Metric]),
    'flm_profile_metric': (POINTER(MetricRecord), [_p, Metric]),
    'flm_metric_find': (c_bool, [_p, c_char_p, POINTER(Metric), _why]),
    'flm_profile_total': (c_double, [_p, Metric]),
    'flm_profile_totals': (None, [_p, Metric, _p]),
    'flm_profile_parents': (None, [_p, _p]),
    'flm_profile_depths': (c_uint32, [_p, _p]),
    'flm_profile_sample_times': (_p, [_p]),
    'flm_profile_sample_durations': (_p, [_p]),
    'flm_profile_sample_nodes': (_p, [_p]),
    'flm_profile_sample_label_sets': (_p, [_p]),
    'flm_profile_sample_values': (_p, [_p, Metric]),
    'flm_profile_labels': (POINTER(LabelRecord), [_p]),
    'flm_profile_label_set': (POINTER(c_uint32), [_p, LabelSet, POINTER(c_uint32)]),
    'flm_profile_notes': (POINTER(NoteRecord), [_p]),
    'flm_profile_losses': (POINTER(LossRecord), [_p]),
    'flm_kind_name': (c_char_p, [c_uint32]),
    # algebra.h, sanitize.h
    'flm_apply': (_p, [_p, c_char_p, c_char_p, _why]),
    'flm_invert': (_p, [_p, _why]),
    'flm_align': (_p, [POINTER(_p), c_size_t, c_int, POINTER(c_char_p), _why]),
    'flm_sanitize': (_p, [_p, POINTER(SanitizeOptions), _why]),
    'flm_sanitize_list': (c_bool, [_p, SINK, _p]),
    # file.h, draw.h
    'flm_load': (_p, [c_char_p, POINTER(LoadOptions), _why]),
    'flm_load_memory': (_p, [c_char_p, c_size_t, POINTER(LoadOptions), _why]),
    'flm_save': (c_bool, [_p, c_char_p, POINTER(SaveOptions), _why]),
    'flm_save_memory': (_p, [_p, POINTER(c_size_t), POINTER(SaveOptions), _why]),
    'flm_save_losses': (c_size_t, [_p, c_char_p, POINTER(SaveOptions), c_char_p]),
    'flm_format_at': (c_bool, [c_size_t, POINTER(FormatInfo)]),
    'flm_svg_option_set': (c_bool, [POINTER(PictureOptions), c_char_p, c_char_p, _why]),
    # report.h
    'flm_report_free': (None, [_p]),
    'flm_report_write': (c_bool, [_p, c_int, _p, SINK, _p, _why]),
    'flm_report_table_count': (c_size_t, [_p]),
    'flm_report_table_at': (_p, [_p, c_size_t]),
    'flm_report_table_name': (c_char_p, [_p]),
    'flm_report_column_count': (c_size_t, [_p]),
    'flm_report_column_name': (c_char_p, [_p, c_size_t]),
    'flm_report_row_count': (c_size_t, [_p]),
    'flm_report_row_depth': (c_uint32, [_p, c_size_t]),
    'flm_report_kind_of': (c_int, [_p, c_size_t, c_size_t]),
    'flm_report_number': (c_double, [_p, c_size_t, c_size_t]),
    'flm_report_string': (Name, [_p, c_size_t, c_size_t]),
    'flm_report_stack_depth': (c_size_t, [_p, c_size_t, c_size_t]),
    'flm_report_stack_frame': (Name, [_p, c_size_t, c_size_t, c_size_t]),
    'flm_print_quantity': (c_size_t, [c_double, Name, c_char_p, c_size_t]),
    # compare.h, gate.h
    'flm_diff_new': (_p, [POINTER(Run), c_size_t, POINTER(DiffOptions), _why]),
    'flm_diff_free': (None, [_p]),
    'flm_diff_report': (_p, [_p, _why]),
    'flm_diff_mean': (_p, [_p, c_bool, _why]),
    'flm_gate_compare': (_p, [POINTER(Run), c_size_t, POINTER(GateSettings), _why]),
    'flm_gate_result_free': (None, [_p]),
    'flm_gate_verdict': (c_int, [_p]),
    'flm_gate_report': (_p, [_p, _why]),
    'flm_gate_write_junit': (c_bool, [_p, SINK, _p, _why]),
}
FUNCTIONS.update({f'flm_profile_{what}_count': (c_uint32, [_p]) for what in (
    'string', 'frame', 'node', 'metric', 'sample', 'label', 'label_set', 'note', 'loss')})
FUNCTIONS.update({f'flm_report_{what}': (_p, [_p, POINTER(ReportOptions), _why]) for what in (
    'top', 'tree', 'callers', 'callees', 'info')})


def _open():
    """The library: where FLAMEL_LIBRARY says, or as the system finds it."""
    named = os.environ.get('FLAMEL_LIBRARY')
    if named == '':
        raise LibraryMissing('FLAMEL_LIBRARY is empty')
    tried = [named] if named else ['libflamel.so.0', '/usr/local/lib/libflamel.so.0']
    reason = ''
    for path in tried:
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reason = reason or str(error)
    raise (ImportError if named else LibraryMissing)(
        f'libflamel is not found ({reason}). Install it (apt install ./libflamel0_*.deb, or make '
        'install), or set FLAMEL_LIBRARY to the path of libflamel.so.0.')


_library = _open()
_library.flm_version.restype = c_char_p
if _library.flm_version().decode() != VERSION:
    raise ImportError(f'this is flamel {VERSION} for Python, and libflamel is '
                      f'{_library.flm_version().decode()}: install the same version of both')
for _name, (_returns, _takes) in FUNCTIONS.items():
    _function = getattr(_library, _name)
    _function.restype, _function.argtypes = _returns, _takes

_libc = ctypes.CDLL(None)
_libc.free.argtypes = [c_void_p]

# ---- Calls -----------------------------------------------------------------------------------------

_KINDS = ('none', 'memory', 'format', 'range', 'unit', 'usage', 'system', 'canceled')


def raw(name, *arguments):
    """A function that cannot fail."""
    return getattr(_library, name)(*arguments)


def call(name, *arguments):
    """A function whose last argument is a struct flm_error: what it returns, or an Error."""
    why = ErrorRecord()
    result = getattr(_library, name)(*arguments, ctypes.byref(why))
    if result or not why.kind:
        return result
    kind = _KINDS[why.kind] if why.kind < len(_KINDS) else 'other'
    message = why.text.decode('utf-8', 'replace')
    if kind == 'memory':
        raise MemoryError(message)
    raise Error(message, kind, why.line, why.offset)


def text(name):
    """A struct flm_name as a string; bytes that are no UTF-8 stay (surrogateescape)."""
    return ctypes.string_at(name.at, name.size).decode('utf-8', 'surrogateescape')


def encoded(value):
    """A string for C, where None is NULL."""
    return None if value is None else os.fsencode(value)


def written(name, *arguments):
    """What a function hands to the sink that it takes before its context and its error."""
    chunks = []

    def take(_context, at, size):
        chunks.append(ctypes.string_at(at, size))
        return True

    sink = SINK(take)
    if name == 'flm_sanitize_list':  # it has no error: only memory can run out
        if not raw(name, *arguments, sink, None):
            raise MemoryError('out of memory')
    else:
        call(name, *arguments, sink, None)
    return b''.join(chunks)


def taken(at, size):
    """`size` bytes at `at`, which the library allocated."""
    result = ctypes.string_at(at, size)
    _libc.free(at)
    return result


def options(made, names, given):
    """A struct of options from keyword arguments, of those names that people may set."""
    result = made(size=ctypes.sizeof(made))
    for name, value in given.items():
        if name not in names:
            raise TypeError(f'there is no option {name!r}; there are {", ".join(sorted(names))}')
        choices = names[name]
        if isinstance(choices, tuple):
            if value not in choices:
                raise Error(f'{name} is one of {", ".join(choices)}, not {value!r}')
            value = choices.index(value)
        elif choices is str:
            value = encoded(value)
        setattr(result, name, value)
    return result
