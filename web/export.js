// export.js - copies text to the clipboard, and saves pictures and profiles as files.

import {make} from './dom.js';
import {canSavePage, pageWith} from './share/html.js';

const TYPES = {svg: 'image/svg+xml', pdf: 'application/pdf', png: 'image/png',
    folded: 'text/plain', stack: 'text/plain', flm: 'application/octet-stream'};

// Resolves to whether the text was copied. execCommand also works where the page has no permission for the
// clipboard: in frames, and on file://.
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

// The largest canvas that every browser allows: pixels of a side, and in total.
const MAX_SIDE = 16384, MAX_PIXELS = 2 ** 26;

// The SVG as a PNG in the resolution of the screen, or a lower one where it would be too large.
async function pngOf(svg) {
    const image = new Image();
    image.src = URL.createObjectURL(svg);
    await image.decode();
    const {width, height} = image, limit = Math.min(MAX_SIDE / Math.max(width, height),
        Math.sqrt(MAX_PIXELS / width / height)), scale = Math.min(devicePixelRatio, limit);
    const canvas = make('canvas', {width: Math.floor(width * scale), height: Math.floor(height * scale)});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    const blob = await new Promise(resolve => canvas.toBlob(resolve, TYPES.png));
    return {blob, note: scale < devicePixelRatio
        ? `, in a lower resolution than the screen: no side is longer than ${MAX_SIDE} pixels` : ''};
}

// What files are named after: the profile's name without its extension.
export const fileBase = view => (view.tools().name || 'profile').replace(/\.(gz|zst|xz)$/i, '').replace(/(.)\.[^.]*$/, '$1');

const written = (view, what) => view.core.queryBytes(`export ${what}`).slice();

// The profile that is shown, of a comparison both sides, in a page of its own.
function pageOf(view) {
    if (!canSavePage()) throw new Error('a page of one file is written by flamel convert -o page.html');
    const {comparison} = view.tools();
    return comparison ? pageWith({bytes: written(view, 'after'), name: comparison.after},
        {bytes: written(view, 'before'), name: comparison.before})
        : pageWith({bytes: written(view, 'flm'), name: fileBase(view)});
}

// Saves the picture or the profile as a file, named after the profile and the view. Pictures contain all
// levels, also those that are scrolled out of the window. Resolves to the file's name.
export async function exportAs(view, kind) {
    const from = kind === 'png' ? 'svg' : kind, name = `${fileBase(view)}-${view.tools().view}.${kind}`;
    const core = kind === 'html' ? await pageOf(view) : new Blob([written(view, from)], {type: TYPES[from] || ''});
    const {blob, note} = kind === 'png' ? await pngOf(core) : {blob: core, note: ''};
    if (!blob) throw new Error('the browser could not make a PNG of it');
    saveBlob(blob, name);
    return name + note;
}
