// The command, compiled: once in a process.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

let compiled = null;

export function compiledCommand() {
    compiled ??= new WebAssembly.Module(gunzipSync(readFileSync(new URL('./flamel.wasm.gz', import.meta.url))));
    return compiled;
}
