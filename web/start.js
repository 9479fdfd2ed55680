// start.js - the first script of a page: unpacks what the page carries and starts the other scripts.
//
// Scripts, module and profiles are elements of the page, each gzip as base64:
//
//     <script type="text/plain" id="flamel-after" data-size="N">H4sIAAAA...</script>
//
// `data-size` is the number of bytes that the browser inflates it to (DecompressionStream). What this
// script declares is visible to the others; the page's policy has the hashes of both.

const FLAMEL_TOO_OLD = 'This page unpacks itself with DecompressionStream, which this browser lacks. ' +
    'Chrome and Edge 91, Firefox 113, Safari 16.4 and later can open it.';

function flamelDecode(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

// The unpacked bytes of an element, as a Response. The packed bytes come from a Response too: those of a
// Blob would go to the browser process and back (measured: 7 ms of 67 on the main thread).
function flamelUnpack(element, type) {
    const packed = new Response(flamelDecode(element.textContent)).body;
    return new Response(packed.pipeThrough(new DecompressionStream('gzip')),
        {headers: {'Content-Type': type}});
}

// The same in memory.
export async function flamelBytes(element) {
    const bytes = new Uint8Array(await flamelUnpack(element, '').arrayBuffer());
    if (bytes.length !== Number(element.dataset.size)) throw new Error('the page is cut off');
    return bytes;
}

// A promise of the page's module, compiled while it is inflated; null where the page has none.
export let flamelModule = null;

async function flamelStart(scripts) {
    const module = document.getElementById('flamel-module');
    if (module && !module.dataset.from) {
        flamelModule = WebAssembly.compileStreaming(flamelUnpack(module, 'application/wasm'));
        flamelModule.catch(() => {}); // reported by loadModule's caller
    }
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = new TextDecoder().decode(await flamelBytes(scripts));
    document.body.append(script);
}

if (typeof document !== 'undefined' && document.getElementById('flamel-script')) {
    const report = sentence => {
        const element = document.getElementById('flamel');
        element.className = 'dead';
        element.textContent = sentence;
    };
    if (typeof DecompressionStream === 'undefined') report(FLAMEL_TOO_OLD);
    else
        flamelStart(document.getElementById('flamel-script')).catch(error =>
            report(`The viewer cannot start: ${error.message}`));
}
