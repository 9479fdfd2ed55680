// start.js - the first script of a page: decompresses the embedded parts and starts the main script.
//
// The main script, the WebAssembly module and the profiles are elements of the page, each compressed
// with gzip and encoded in base64:
//
//     <script type="text/plain" id="flamel-after" data-size="N">H4sIAAAA...</script>
//
// `data-size` is the decompressed size in bytes. The page's content security policy has the hashes of
// this script and of the main one. This one is a classic script, so the main script, a module, sees what it
// declares; the component has it as one more file of its module.

const FLAMEL_TOO_OLD = 'This page unpacks itself with DecompressionStream, which this browser lacks. ' +
    'Chrome and Edge 91, Firefox 113, Safari 16.4 and later can open it.';

function flamelDecode(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
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

// A promise of the embedded module, compiled while it is decompressed; null if none is embedded.
export let flamelModule = null;

async function flamelStart(scripts) {
    const module = document.getElementById('flamel-module');
    if (module && !module.dataset.from) {
        flamelModule = WebAssembly.compileStreaming(flamelInflate(module, 'application/wasm'));
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
