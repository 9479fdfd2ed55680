// The manifest of the extension: manifest.mjs VERSION < FORMATS > package.json. FORMATS is what `flamel formats --json` prints, so
// that a new format is opened without a change here.
import { readFileSync } from 'node:fs';

// Extensions that most files have for other reasons: these are opened by "Open as a Flame Graph".
const OF_OTHERS = ['.json', '.txt', '.html', '.htm', '.raw', '.db', '.sqlite'];
// Files without an extension, as profilers name them.
const NAMES = ['perf.data', 'perf.data.*', 'callgrind.out.*', 'cachegrind.out.*', 'massif.out.*', 'dhat.out.*'];
// Profiles are often stored compressed.
const PACKED = ['', '.gz', '.zst'];

const manifest = JSON.parse(readFileSync(new URL('package.json', import.meta.url)));
const formats = JSON.parse(readFileSync(0));
const endings = formats.filter(({ reads }) => reads).flatMap(({ extensions }) => extensions).filter(ending => !OF_OTHERS.includes(ending));
manifest.version = process.argv[2];
manifest.contributes.customEditors[0].selector =
    [...endings.flatMap(ending => PACKED.map(packed => `*${ending}${packed}`)), ...NAMES].map(filenamePattern => ({ filenamePattern }));
delete manifest.devDependencies;
delete manifest.private;
console.log(JSON.stringify(manifest, null, 2));
