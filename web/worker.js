// worker.js - reading a profile where nothing waits for it: in a worker.
//
// A worker can read a file while C code asks for more of it: FileReaderSync answers at once. So the
// module reads a file of any size through a window, as the command does, and its memory is that of
// the profile, not of the text.
//
// Both functions are whole in themselves, with nothing from outside: a worker is made from their
// texts (load.js), which works on file:// and in a page of a single file.

// Reads one profile with an instance of its own, which is gone afterward. `more(view)` fills the
// view with the next bytes of the file and returns how many; 0 at the end. Returns a .flm file, or
// throws an Error whose message is a sentence for people.
export function readProfile(module, more) {
    let failure = null;
    const env = {
        flamel_clock: () => 0,
        flamel_more(at, room) {
            try {
                return more(new Uint8Array(core.memory.buffer, at >>> 0, room >>> 0));
            } catch (error) {
                failure = error;
                return -1;
            }
        },
    };
    const core = new WebAssembly.Instance(module, {env}).exports;
    const good = core.flamel_read();
    if (failure) throw failure;
    const at = core.flamel_response() >>> 0;
    const answer = new Uint8Array(core.memory.buffer, at, core.flamel_response_size() >>> 0);
    if (!good) throw new Error(new TextDecoder().decode(answer));
    return answer.slice();
}

// What a worker does: it receives {module, blob}, and posts {started}, then {read} as bytes are read,
// and at the end {profile} or {sentence}.
export function work(readProfile) {
    // Each read is a request to another process: 335 MB take 1.0 s by 1 MiB, 0.55 s by 4 MiB, 0.38 s by 16 MiB,
    // and no less by more.
    const PIECE = 16 << 20;
    const reader = new FileReaderSync();
    onmessage = ({data: {module, blob}}) => {
        let piece = new Uint8Array(0), passed = 0, at = 0, told = 0;
        const more = view => {
            if (passed === piece.length) {
                piece = new Uint8Array(reader.readAsArrayBuffer(blob.slice(at, at + PIECE)));
                passed = 0;
                at += piece.length;
            }
            const bytes = piece.subarray(passed, passed + view.length);
            view.set(bytes);
            passed += bytes.length;
            if (performance.now() - told > 40) {
                told = performance.now();
                postMessage({read: at - piece.length + passed});
            }
            return bytes.length;
        };
        try {
            const profile = readProfile(module, more);
            postMessage({profile}, [profile.buffer]);
        } catch (error) {
            postMessage({sentence: error instanceof DOMException ? 'cannot be read: ' + error.message
                : error instanceof RangeError ? 'out of memory' : error.message});
        }
    };
    postMessage({started: true});
}
