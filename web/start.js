// start.js - the first script of a page: decompresses the embedded parts and starts the main script.
//
// The main script, the WebAssembly module and the profiles are elements of the page, each compressed
// with gzip and encoded in base 91 (src/base/encode/base91.h):
//
//     <script type="text/plain" id="flamel-after" data-size="N">jV:F######...</script>
//
// `data-size` is the decompressed size in bytes. The page's content security policy has the hashes of
// this script and of the main one. This one is a classic script, so the main script, a module, sees what it
// declares; the component has it as one more file of its module.

const FLAMEL_TOO_OLD = 'This page unpacks itself with DecompressionStream, which this browser lacks. ' +
    'Chrome and Edge 91, Firefox 113, Safari 16.4 and later can open it.';

// The function that decodes is a module of 351 bytes, which the build puts before this script: 400,000 letters
// took it 3 ms, and a script 10 ms, because it ran before the browser had compiled it. Each part has an instance
// and so a memory of its own, which goes with its bytes.
let flamelDecoder = null;

function flamelDecode(text) {
    flamelDecoder ||= new WebAssembly.Module(
        Uint8Array.from(atob(FLAMEL_DECODER), letter => letter.charCodeAt(0)));
    const {memory, flm_base91_decode_in_place: decode} = new WebAssembly.Instance(flamelDecoder).exports;
    const start = memory.grow(Math.ceil(text.length / 65536)) * 65536;
    const bytes = new Uint8Array(memory.buffer, start);
    new TextEncoder().encodeInto(text, bytes);
    const size = decode(start, text.length);
    if (size < 0) throw new Error('the page is damaged');
    return bytes.subarray(0, size);
}

// The decompressed bytes of an element, as a Response. The compressed bytes come from a Response too: a
// Blob would send them to the browser process and back (measured: 7 ms of 67 on the main thread).
function flamelInflate(element, type) {
    const compressed = new Response(flamelDecode(element.textContent)).body;
    return new Response(compressed.pipeThrough(new DecompressionStream('gzip')),
        {headers: {'Content-Type': type}});
}

// The decompressed bytes of an element, as a Uint8Array.
export async function flamelBytes(element) {
    const bytes = new Uint8Array(await flamelInflate(element, '').arrayBuffer());
    if (bytes.length !== Number(element.dataset.size)) throw new Error('the page is cut off');
    return bytes;
}

// A promise of the embedded module, compiled while it is decompressed; null if none is embedded. And of the bytes of
// embedded profiles, by 'before' and 'after': begun here, not in load.js, they are there when the viewer is.
export let flamelModule = null;
export const flamelProfiles = new Map();

// The readers of other tools' files, which are the second half of the module: as the module unpacks them, or compiled
// since they were needed first (worker.js). null where the module has them itself.
let flamelSecondHalf = null;
export function flamelReaders() {
    const element = document.getElementById('flamel-readers');
    if (element) flamelSecondHalf ??= flamelDecode(element.textContent).slice();
    return flamelSecondHalf;
}
export function flamelKeepReaders(compiled) {
    flamelSecondHalf = compiled;
}

// The first picture (src/viewer/paint/first_picture.h) is of the whole profile, which an address with a state is not; it
// follows the theme of the system, unless another one was chosen (theme.js). Waiting for the frame that shows it, before
// anything else is begun, brought it forward by 12 of 136 ms, and put the viewer back by 5 of 315.
export function flamelRemoveFirst() {
    document.getElementById('flamel-first')?.remove();
}
function flamelFitFirst() {
    if (location.hash.length > 1) flamelRemoveFirst();
    try {
        document.getElementById('flamel-first')?.classList.add(localStorage.getItem('flamel-theme') || 'system');
    } catch {
        // A browser may refuse to store anything for a file.
    }
}

async function flamelStart(scripts) {
    const module = document.getElementById('flamel-module');
    if (module && !module.dataset.from) {
        flamelModule = WebAssembly.compileStreaming(flamelInflate(module, 'application/wasm'));
        flamelModule.catch(() => {}); // reported by loadModule's caller
    }
    const bytes = flamelBytes(scripts);
    flamelFitFirst();
    for (const id of ['before', 'after', 'code']) {
        const profile = document.getElementById(`flamel-${id}`);
        if (!profile || profile.dataset.from) continue;
        flamelProfiles.set(id, flamelBytes(profile));
        flamelProfiles.get(id).catch(() => {}); // reported by loadEmbedded's caller
    }
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = new TextDecoder().decode(await bytes);
    document.body.append(script);
}

if (typeof document !== 'undefined' && document.getElementById('flamel-script')) {
    const report = sentence => {
        const element = document.getElementById('flamel');
        flamelRemoveFirst();
        element.className = 'dead';
        element.textContent = sentence;
    };
    if (typeof DecompressionStream === 'undefined') report(FLAMEL_TOO_OLD);
    else if (typeof WebAssembly === 'undefined')
        report('This page draws with WebAssembly, which this browser lacks or has switched off.');
    else
        flamelStart(document.getElementById('flamel-script')).catch(error =>
            report(`The viewer cannot start: ${error.message}`));
}
