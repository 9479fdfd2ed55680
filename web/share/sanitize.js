// sanitize.js - saves the profile without what need not be told: the rules of flamel convert --sanitize, and a list of what
// is left to see, which comes before it is saved.

import {button, make, refill} from '../dom.js';
import {fileBase, saveBlob} from '../export.js';
import {sanitize} from '../load.js';
import {canSavePage, pageWith} from './html.js';

const RANDOM_BYTES = 32;

export function makeSanitize(view, module) {
    const input = (label, placeholder) => make('input', {type: 'text', 'aria-label': label, placeholder,
        spellcheck: 'false', autocomplete: 'off', oninput: forget});
    const rules = input('Rules', 'names:acme* | times:none'), key = input('Key', 'random');
    const left = make('div', {class: 'left'});
    const sheet = make('form', {class: 'menu sanitize', popover: 'auto', id: 'flamel-sanitize', role: 'dialog',
        'aria-label': 'Save sanitized', onsubmit: event => { event.preventDefault(); look(); }},
    make('h3', {}, 'Save sanitized'),
    make('p', {class: 'muted'}, 'Without paths, addresses, hosts, command lines, dates, notes and sources; threads and processes get ' +
        'pseudonyms. Rules take out more, or leave more: flamel convert --sanitize has the same.'),
    make('label', {class: 'field'}, make('span', {}, 'Rules'), rules),
    make('label', {class: 'field'}, make('span', {}, 'Key'), key),
    make('p', {class: 'muted'}, 'The same key gives the same pseudonyms in other profiles, which still compare then.'),
    make('div', {class: 'buttons'}, make('button', {type: 'submit'}, 'Show what is left')), left);
    let shown = 0; // which list: an older one that is late is of other rules

    function forget() {
        shown++;
        refill(left);
    }
    function keyBytes() {
        return key.value ? new TextEncoder().encode(key.value) : crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
    }
    async function look() {
        forget();
        const mine = shown;
        refill(left, make('p', {class: 'muted'}, 'Sanitizing …'));
        try {
            const {list, bytes} = await sanitize(view.core.queryBytes('export flm').slice(), rules.value, keyBytes(), module);
            if (mine !== shown) return;
            const offersPage = canSavePage() && !view.tools().comparison; // whose values of both sides are one profile here
            refill(left, make('h3', {}, 'Left to see'), make('div', {class: 'list', role: 'region', 'aria-label': 'Left to see', tabindex: 0},
                list.trim().split('\n').map(line => make('div', {}, line.trim()))), make('div', {class: 'buttons'},
                offersPage && button('Save as HTML', () => save('html', pageWith({bytes, name: 'profile'})), {class: 'main-button'}),
                button('Save as FLM', () => save('flm', bytes), {class: offersPage ? '' : 'main-button'})));
            left.querySelector('.list').focus(); // read out, and next to what saves it
        } catch (error) {
            if (mine === shown) refill(left, make('p', {class: 'wrong', role: 'alert'}, error.message));
        }
    }
    async function save(kind, content) {
        const name = `${fileBase(view)}-sanitized.${kind}`;
        try {
            saveBlob(new Blob([await content]), name);
            sheet.hidePopover();
            view.notify(`saved as ${name}`);
        } catch (error) {
            refill(left, make('p', {class: 'wrong', role: 'alert'}, error.message));
        }
    }
    return {sheet, open() {
        forget();
        sheet.showPopover();
        rules.focus();
    }};
}
