// search.js - the search field at the top. The options of the current search, and searches that are kept,
// are in chips.js.

import {make, show, sign} from './dom.js';

const number = count => count.toLocaleString('en');

export function makeSearch(view) {
    const input = make('input', {type: 'text', placeholder: 'Search', 'aria-label': 'Search',
        autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search',
        'aria-describedby': 'flamel-search-error', title: 'Text, or /a regular expression/'});
    const matches = make('span', {class: 'matches'});
    const previous = sign('↑', 'Previous match', () => view.act('previous-match'), {hidden: true});
    const next = sign('↓', 'Next match', () => view.act('next-match'), {hidden: true});
    const wrong = make('div', {class: 'search-error wrong', id: 'flamel-search-error', role: 'alert', hidden: true});
    const element = make('div', {class: 'search', role: 'search'}, input, matches, previous, next, wrong);

    input.addEventListener('input', () => view.act(`search ${input.value}`));
    input.addEventListener('keydown', event => {
        if (event.isComposing) return;
        const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
        if (event.key === 'Enter' && isPlain) {
            view.act(event.shiftKey ? 'previous-match' : 'next-match');
        } else if (event.key === 'Enter') {
            if (view.act('search-add')) input.value = '';
        } else if (event.key === 'Escape' || event.key === 'ArrowDown') {
            view.focusPicture(); // the search stays: its chip removes it
        } else {
            return;
        }
        event.preventDefault();
    });

    function update(searchState) {
        const current = searchState.searches[searchState.current];
        const text = current?.text ?? '';
        if (input.getRootNode().activeElement !== input || !text !== !input.value) input.value = text;
        element.classList.toggle('is-wrong', Boolean(current?.error));
        input.setAttribute('aria-invalid', String(Boolean(current?.error)));
        const isValid = current && text && !current.error;
        wrong.textContent = current?.error || '';
        show(wrong, Boolean(current?.error));
        matches.textContent = !text || current.error ? ''
            : !current.frames ? 'no match' : current.at
                ? `${current.total_share} · ${number(current.at)} of ${number(current.frames)}`
                : `${current.total_share} · ${number(current.frames)}`;
        matches.title = isValid ? `total ${current.total}, self ${current.self}` : '';
        show(previous, Boolean(isValid && current.frames));
        show(next, Boolean(isValid && current.frames));
    }
    return {element, update, focus() { input.focus(); input.select(); }};
}
