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

// Pixels of a side, and in all, that every browser gives a canvas.
const MOST_SIDE = 16384, MOST_PIXELS = 2 ** 26;

// The SVG as pixels, as fine as the screen; coarser where it would be too large.
async function pngOf(svg) {
    const image = new Image();
    image.src = URL.createObjectURL(svg);
    await image.decode();
    const {width, height} = image, most = Math.min(MOST_SIDE / Math.max(width, height),
        Math.sqrt(MOST_PIXELS / width / height)), scale = Math.min(devicePixelRatio, most);
    const canvas = make('canvas', {width: Math.floor(width * scale), height: Math.floor(height * scale)});
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    const blob = await new Promise(resolve => canvas.toBlob(resolve, TYPES.png));
    return {blob, note: scale < devicePixelRatio
        ? `, coarser than the screen: no side is longer than ${MOST_SIDE} pixels` : ''};
}

// The picture, or the profile, as a file, named after the file and the view. A SVG, PDF or PNG has the
// levels below the window too. Resolves to what it was saved as.
export async function exportAs(view, kind) {
    const {name: file, view: shown} = view.tools(), from = kind === 'png' ? 'svg' : kind;
    const base = (file || 'profile').replace(/\.(gz|zst|xz)$/i, '').replace(/(.)\.[^.]*$/, '$1');
    const name = `${base}-${shown}.${kind}`;
    const core = new Blob([view.core.queryBytes(`export ${from}`).slice()], {type: TYPES[from] || ''});
    const {blob, note} = kind === 'png' ? await pngOf(core) : {blob: core, note: ''};
    if (!blob) throw new Error('the browser made no picture of it');
    saveBlob(blob, name);
    return name + note;
}
