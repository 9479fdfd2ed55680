// Makes node take paths as on Windows, for `node -r`: files of drive C are below DRIVE_C, and opening any other path is an error. What
// Windows itself does with a path (reserved names, shares) is not tested by this.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

Object.defineProperty(process, 'platform', { value: 'win32' });
// Node itself calls cwd() too, and needs the real folder.
const folder = process.cwd;
process.cwd = () => /node_files\.js/.test(new Error().stack) ? 'C:\\work' : folder();
function place(path) {
    if (/^[\\/]/.test(path)) path = `C:${path}`; // of the current drive
    if (!/^C:[\\/]/i.test(path)) throw new Error(`${path} is no path of Windows`);
    return process.env.DRIVE_C + path.slice(2).replaceAll('\\', '/');
}
for (const [name, paths] of Object.entries({ openSync: 1, readdirSync: 1, renameSync: 2, statSync: 1, unlinkSync: 1 })) {
    const original = fs[name];
    fs[name] = (...words) => original(...words.map((word, i) => i < paths && typeof word === 'string' ? place(word) : word));
}
syncBuiltinESMExports();
