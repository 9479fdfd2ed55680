"""Profiles in a notebook: the viewer in a frame of its own, without a network."""

import html


def framed(page, title, height=560):
    """The page as an element. The frame keeps it apart from the notebook: it may run its scripts
    and offer files, and reaches nothing else."""
    return (f'<iframe srcdoc="{html.escape(page)}" title="{html.escape(title)}" '
            'sandbox="allow-scripts allow-downloads" allow="clipboard-write; fullscreen" '
            f'style="width: 100%; height: {height}px; border: 1px solid #8884; border-radius: 6px">'
            '</iframe>')


def record_cell(line, cell):
    """%%flamel [OPTION]...: records the cell, with options of `flamel record`, and shows the
    profile: of the code of the cell, where that is nearly all of it. The whole one is in the
    variable `profile` afterwards."""
    import shlex

    from IPython import get_ipython
    from IPython.display import display

    from .recording import record
    shell = get_ipython()
    with record(options=shlex.split(line)) as recording:
        shell.run_cell(cell)
    shell.user_ns['profile'] = recording.profile
    display(of_cells(recording.profile))


def of_cells(profile, least=0.9):
    """The profile without what runs cells, forty frames of it: where at least so much of it is the
    code of cells, which IPython calls files of these names."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        inside = profile.apply(r'focus:file=/ipykernel_|<ipython-input-/')
    return inside if inside.total() >= least * profile.total() else profile
