// export.js - what leaves the page: text for the clipboard, and files.

import {make} from './dom.js';

const TYPES = {svg: 'image/svg+xml', pdf: 'application/pdf', png: 'image/png',
    folded: 'text/plain', stack: 'text/plain', flm: 'application/octet-stream'};

// Resolves to whether it is there now. Older ways work where a page has no permission: in frames, and
// on file://.
export async function copyText(root, text) {
    try {
        if (document.featurePolicy?.allowsFeature('clipboard-write') === false) throw new Error();
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const area = make('textarea', {class: 'unseen', readonly: true});
        area.value = text;
        const focused = root.getRootNode().activeElement;
        root.append(area);
        area.select();
        let done = false;
        try {
            done = document.execCommand('copy');
        } catch {
            done = false;
        }
        area.remove();
        if (focused) focused.focus({preventScroll: true});
        return done;
    }
}

export function saveBlob(blob, name) {
    const url = URL.createObjectURL(blob);
    const link = make('a', {href: url, download: name, hidden: true});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// The picture, or the profile, as a file, named after the file and the view: a PNG is what the canvas
// shows, at its scale; all others are the core's bytes (a SVG or PDF has the levels below the window
// too).
export async function exportAs(view, kind) {
    const {name: file, view: shown} = view.tools();
    const base = (file || 'profile').replace(/\.(gz|zst|xz)$/i, '').replace(/(.)\.[^.]*$/, '$1');
    const name = `${base}-${shown}.${kind}`;
    const blob = kind === 'png'
        ? await new Promise(resolve => view.canvas().toBlob(resolve, TYPES.png))
        : new Blob([view.core.askBytes(`export ${kind}`).slice()], {type: TYPES[kind] || ''});
    if (!blob) throw new Error('the browser made no picture of it');
    saveBlob(blob, name);
    return name;
}
