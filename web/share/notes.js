// notes.js - what people wrote on the profile: a sheet with all notes and views, and the notes of a frame in the panel.

import {button, make, refill, sign} from '../dom.js';

// The buttons of a note: its text is typed in the palette.
function tools(view, {id, about, text}) {
    return [sign('✎', about === 'view' ? 'Change the title' : 'Change the note', () => view.askForText(`note-edit ${id}`, 'Note', text),
        {class: 'plain', 'data-key': `edit-${id}`}),
    sign('×', 'Remove the note', () => view.act(`note-remove ${id}`), {class: 'plain', 'data-key': `remove-${id}`})];
}

// Those on the selected frame; null where there are none.
export function notesOf(view, {notes}) {
    return notes?.length > 0 && make('section', {class: 'notes'}, make('h3', {}, notes.length > 1 ? 'Notes' : 'Note'),
        make('ul', {}, notes.map(note => make('li', {}, make('span', {class: 'written'}, note.text),
            note.about === 'stack' && make('span', {class: 'muted'}, 'this stack'), tools(view, note)))));
}

export function makeNotes(view) {
    const sheet = make('div', {class: 'menu notes sheet', popover: 'auto', id: 'flamel-notes', role: 'dialog',
        'aria-label': 'Notes'});
    const write = (action, title) => button(title, () => { sheet.hidePopover(); view.askFor(action, ''); },
        {disabled: !view.isPossible(action), 'data-key': action});

    function item(note) {
        const go = () => { if (view.act(`note-show ${note.id}`)) sheet.hidePopover(); };
        const title = note.about === 'view' ? note.text : note.subject;
        return make('li', {}, note.about === 'profile' ? make('span', {class: 'muted'}, 'Profile')
            : button(make('span', {class: 'cut'}, title), go, {class: 'plain go', title, 'data-key': `go-${note.id}`}),
        note.about !== 'view' && make('span', {class: 'written'}, note.text), tools(view, note));
    }
    function update() {
        const {notes = []} = view.core.query('notes');
        const views = notes.filter(({about}) => about === 'view'), others = notes.filter(({about}) => about !== 'view');
        refill(sheet, make('h3', {}, 'Notes'),
            others.length > 0 ? make('ul', {}, others.map(item))
                : make('p', {class: 'muted'}, 'There are none. Select a function, a stack or a time to write one.'),
            make('div', {class: 'buttons'}, write('note', 'On the function …'), write('note-stack', 'On the stack …'),
                write('note-time', 'On the time …'), write('note-profile', 'On the profile …')),
            make('h3', {}, 'Views'),
            views.length > 0 && make('ul', {}, views.map(item)),
            make('div', {class: 'buttons'}, write('note-view', 'Keep this view …')),
            view.hasUnsavedNotes() && [make('p', {class: 'unsaved'}, 'Changes are in this page alone until they are saved.'),
                make('div', {class: 'buttons'}, button('Save as FLM', () => view.act('export flm'), {'data-key': 'save-notes'}))]);
    }
    sheet.addEventListener('toggle', event => event.newState === 'open' && update());
    return {sheet, update: () => sheet.matches(':popover-open') && update(), toggle: () => sheet.togglePopover()};
}
