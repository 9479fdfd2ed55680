// The files of this machine, for wasi.js.
import * as fs from 'node:fs';

function kindOf(facts) {
    return facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : facts.isCharacterDevice() ? 'device' : 'pipe';
}

function factsOf(facts) {
    return {
        kind: kindOf(facts),
        size: facts.size,
        device: BigInt.asUintN(64, facts.dev),
        number: BigInt.asUintN(64, facts.ino),
        written_ns: facts.mtimeNs > 0n ? facts.mtimeNs : 0n,
    };
}

const pause = new Int32Array(new SharedArrayBuffer(4));

// A pipe that does not block says EAGAIN until there is something; on Windows, the end is an error.
function patiently(operate) {
    for (;;)
        try {
            return operate();
        } catch (error) {
            if (error.code === 'EOF')
                return 0;
            if (error.code !== 'EAGAIN')
                throw error;
            Atomics.wait(pause, 0, 0, 5);
        }
}

function opened(number) {
    const facts = fs.fstatSync(number, { bigint: true }), seekable = facts.isFile();
    return {
        kind: kindOf(facts),
        stat: () => factsOf(fs.fstatSync(number, { bigint: true })),
        read: (bytes, at) => patiently(() => fs.readSync(number, bytes, 0, bytes.length, seekable ? at : null)),
        write: (bytes, at) => patiently(() => fs.writeSync(number, bytes, 0, bytes.length, seekable ? at : null)),
        close: () => fs.closeSync(number),
    };
}

// flamel's paths begin with / everywhere. On Windows the current folder is /C:/Users/x, and what the user calls
// C:\y is /C:/Users/x/C:\y, and \y, of the current drive, or \\server\y is /C:/Users/x/\y.
const hasDrives = process.platform === 'win32';
function native(path) {
    if (!hasDrives)
        return path;
    const drive = /^.*[\\/]([A-Za-z]:.*)$/s.exec(path)?.[1] ?? path, root = /^([A-Za-z]:)[^\\]*\/(\\.*)$/s.exec(drive);
    return !root ? drive : root[2].startsWith('\\\\') ? root[2] : root[1] + root[2];
}

export function currentFolder() {
    const folder = process.cwd();
    return hasDrives ? `/${folder.replaceAll('\\', '/')}` : folder;
}

export const nodeFiles = {
    open(path, { read, write, create, exclusive, truncate }) {
        const flags = fs.constants;
        return opened(fs.openSync(native(path),
            (write ? (read ? flags.O_RDWR : flags.O_WRONLY) : flags.O_RDONLY) | (create ? flags.O_CREAT : 0) |
            (exclusive ? flags.O_EXCL : 0) | (truncate ? flags.O_TRUNC : 0), 0o666));
    },
    stat: (path) => factsOf(fs.statSync(native(path), { bigint: true })),
    list: (path) => fs.readdirSync(native(path), { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: kindOf(entry),
    })),
    rename: (from, to) => fs.renameSync(native(from), native(to)),
    remove: (path) => fs.unlinkSync(native(path)),
};

// Whoever read the output has gone, as `head` does: this ends without a word, as a program that SIGPIPE ends. Node
// ignores that signal.
function writtenOut(number, bytes) {
    const SIGPIPE = 13;
    try {
        return patiently(() => fs.writeSync(number, bytes, 0, bytes.length, null));
    } catch (error) {
        if (error.code === 'EPIPE')
            process.exit(128 + SIGPIPE);
        throw error;
    }
}

// Standard input, output and errors. A file among them is read and written from where whoever opened it has left it,
// which is not known here: as a pipe.
export function standardFiles() {
    return [0, 1, 2].map((number) => {
        const closed = { kind: 'pipe' };
        let kind = 'pipe';
        try {
            kind = kindOf(fs.fstatSync(number));
        } catch {
            return closed;
        }
        return {
            kind: kind === 'file' ? 'pipe' : kind,
            read: (bytes) => patiently(() => fs.readSync(number, bytes, 0, bytes.length, null)),
            write: (bytes) => writtenOut(number, bytes),
        };
    });
}
