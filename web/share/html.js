// html.js - a page of one file with a profile in it, which opens without flamel: what is saved as HTML.
//
// Its parts are those of the page that shows the viewer (src/load/page.c), where that is one file; a server of
// pages has an empty one of that kind. A component in another page has neither.

function moduleData() {
    return document.getElementById('flamel-module')?.dataset;
}

export function canSavePage() {
    const data = moduleData();
    return Boolean(data && (!data.from || data.empty));
}

async function partsOf() {
    const data = moduleData();
    if (!data.from) return document;
    const response = await fetch(data.empty).catch(() => null);
    if (!response?.ok) throw new Error('the server of the page does not answer any more: save as FLM, or flamel convert');
    return new DOMParser().parseFromString(await response.text(), 'text/html');
}

async function gzipped(bytes) {
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(packed).arrayBuffer());
}

// As src/base/encode/base91.h says.
function base91Of(bytes) {
    const text = new Uint8Array(Math.ceil(bytes.length / 13) * 16 + 2);
    let at = 0, bits = 0, count = 0;
    const put = value => { text[at++] = 35 + value + (value >= 25); };
    for (const byte of bytes) {
        bits |= byte << count;
        count += 8;
        if (count < 13) continue;
        const pair = bits & 8191;
        put(pair % 91);
        put(Math.floor(pair / 91));
        bits >>= 13;
        count -= 13;
    }
    if (count > 0) put(bits % 91);
    if (count > 6) put(Math.floor(bits / 91));
    return new TextDecoder().decode(text.subarray(0, at));
}

async function profilePart(side, {bytes, name}) {
    const part = document.createElement('script');
    Object.assign(part, {type: 'text/plain', id: `flamel-${side}`, textContent: base91Of(await gzipped(bytes))});
    part.dataset.size = bytes.length;
    part.dataset.name = name;
    return part;
}

// The page, as a Blob, of one or both sides: {bytes, name}, the bytes of a .flm file. Scripts and style stay as they are
// to the letter: the policy has their hashes.
export async function pageWith(after, before = null) {
    const page = await partsOf(), title = document.createElement('title');
    title.textContent = `${after.name}${before ? ` against ${before.name}` : ''} - flamel`;
    const profiles = await Promise.all([profilePart('after', after), ...before ? [profilePart('before', before)] : []]);
    const all = query => Array.from(page.querySelectorAll(query));
    const script = id => all(`#flamel-${id}`), start = all('body > script:not([id], [type])');
    const text = elements => elements.map(element => `${element.outerHTML}\n`).join('');
    return new Blob(['<!DOCTYPE html>\n<html lang="en">\n<head>\n', text(all('head > :is(meta, link)')), text([title]),
        text(all('head > style')), '</head>\n<body>\n<div id="flamel"></div>\n', text(all('body > noscript')),
        text([...script('module'), ...profiles, ...script('script'), ...start, ...script('readers')]), '</body>\n</html>\n'],
    {type: 'text/html'});
}
