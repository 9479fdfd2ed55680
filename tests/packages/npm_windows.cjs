// A machine with drives, as far as functions of node say: for `node -r`. Files of drive C are below DRIVE_C; any other path that is
// opened there is an error. What Windows itself does with a path (names that it reserves, shares) is not shown by this.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

Object.defineProperty(process, 'platform', { value: 'win32' });
// Node itself asks for the folder too.
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
