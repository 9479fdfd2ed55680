// What a WebAssembly command asks of its system (WASI preview 1), answered by `files`: those of this machine
// (node_files.js) or of memory (memory_files.js). Only what flamel.wasm imports is here.

// https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
const ERRNO = {
    EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFBIG: 22, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32,
    EMFILE: 33, ENAMETOOLONG: 37, ENFILE: 41, ENOENT: 44, ENOMEM: 48, ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54,
    ENOTEMPTY: 55, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, EXDEV: 75,
};
const KIND = { device: 2, folder: 3, file: 4, pipe: 0 };
const OPEN = { create: 1, folder: 2, exclusive: 4, truncate: 8 };
const RIGHT_READ = 1n << 1n, RIGHT_SEEK = 1n << 2n, RIGHT_TELL = 1n << 5n, RIGHT_WRITE = 1n << 6n;
const ALL_RIGHTS = (1n << 29n) - 1n;
const STANDARD = 3, ROOT = STANDARD; // 0, 1, 2 are standard files; then the folder in which all paths begin

// Node 18 has it in a module only.
const random = globalThis.crypto ?? (await import('node:crypto')).webcrypto;

class Exit {
    constructor(status) {
        this.status = status;
    }
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

class System {
    constructor({ words, variables, files, standard }) {
        this.words = words.map((word) => encoder.encode(`${word}\0`));
        this.variables = Object.entries(variables).map(([name, value]) => encoder.encode(`${name}=${value}\0`));
        this.files = files;
        this.opened = [...standard, { kind: 'folder', root: '' }];
    }

    // Memory may have grown since the last call.
    get view() {
        return new DataView(this.memory.buffer);
    }

    bytes(at, size) {
        return new Uint8Array(this.memory.buffer, at, size);
    }

    path(folder, at, size) {
        return `${this.file(folder).root}/${decoder.decode(this.bytes(at, size))}`;
    }

    file(number) {
        const file = this.opened[number];
        if (!file)
            throw Object.assign(new Error('no such descriptor'), { code: 'EBADF' });
        return file;
    }

    // Each of the [address, size] pairs at `at`; until `use` takes less than all of one.
    each(at, count, use) {
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const part = this.bytes(this.view.getUint32(at + 8 * i, true), this.view.getUint32(at + 8 * i + 4, true));
            const used = part.length > 0 ? use(part, sum) : 0;
            sum += used;
            if (used < part.length)
                break;
        }
        return sum;
    }

    putTexts(texts, pointers, at) {
        for (const text of texts) {
            this.view.setUint32(pointers, at, true);
            this.bytes(at, text.length).set(text);
            pointers += 4;
            at += text.length;
        }
    }

    putSizes(texts, count, size) {
        this.view.setUint32(count, texts.length, true);
        this.view.setUint32(size, texts.reduce((sum, text) => sum + text.length, 0), true);
    }

    putFacts(facts, at) {
        const view = this.view;
        this.bytes(at, 64).fill(0);
        view.setBigUint64(at, BigInt(facts.device ?? 0), true);
        view.setBigUint64(at + 8, BigInt(facts.number ?? 0), true);
        view.setUint8(at + 16, KIND[facts.kind]);
        view.setBigUint64(at + 24, 1n, true);
        view.setBigUint64(at + 32, BigInt(facts.size ?? 0), true);
        for (const offset of [40, 48, 56])
            view.setBigUint64(at + offset, BigInt(facts.written_ns ?? 0), true);
    }

    args_sizes_get(count, size) {
        this.putSizes(this.words, count, size);
    }

    args_get(pointers, at) {
        this.putTexts(this.words, pointers, at);
    }

    environ_sizes_get(count, size) {
        this.putSizes(this.variables, count, size);
    }

    environ_get(pointers, at) {
        this.putTexts(this.variables, pointers, at);
    }

    clock_time_get(clock, precision, at) {
        const ms = clock === 0 ? Date.now() : performance.now();
        this.view.setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
    }

    random_get(at, size) {
        const most = 65536;
        for (let done = 0; done < size; done += most)
            random.getRandomValues(this.bytes(at + done, Math.min(most, size - done)));
    }

    proc_exit(status) {
        throw new Exit(status);
    }

    fd_prestat_get(number, at) {
        if (number !== ROOT)
            return ERRNO.EBADF;
        this.view.setUint8(at, 0);
        this.view.setUint32(at + 4, 1, true);
        return 0;
    }

    fd_prestat_dir_name(number, at, size) {
        this.bytes(at, size).set(encoder.encode('/'));
    }

    // A terminal is told by what cannot be done with it.
    fd_fdstat_get(number, at) {
        const file = this.file(number), view = this.view;
        const rights = file.kind === 'device' ? ALL_RIGHTS & ~RIGHT_SEEK & ~RIGHT_TELL : ALL_RIGHTS;
        view.setUint8(at, KIND[file.kind]);
        view.setUint16(at + 2, 0, true);
        view.setBigUint64(at + 8, rights, true);
        view.setBigUint64(at + 16, ALL_RIGHTS, true);
    }

    fd_filestat_get(number, at) {
        const file = this.file(number);
        this.putFacts(file.stat ? file.stat() : { kind: file.kind }, at);
    }

    path_filestat_get(folder, flags, at, size, out) {
        this.putFacts(this.files.stat(this.path(folder, at, size)), out);
    }

    path_open(folder, lookup, at, size, how, rights, inherited, flags, out) {
        const path = this.path(folder, at, size);
        const wanted = {
            write: (rights & RIGHT_WRITE) !== 0n,
            read: (rights & RIGHT_READ) !== 0n,
            create: (how & OPEN.create) !== 0,
            exclusive: (how & OPEN.exclusive) !== 0,
            truncate: (how & OPEN.truncate) !== 0,
        };
        const facts = wanted.create ? null : this.files.stat(path);
        if (how & OPEN.folder && facts && facts.kind !== 'folder')
            return ERRNO.ENOTDIR;
        const file = facts?.kind === 'folder'
            ? { kind: 'folder', root: path, stat: () => this.files.stat(path) }
            : this.files.open(path, wanted);
        file.at = 0;
        let number = this.opened.indexOf(null);
        if (number < 0)
            number = this.opened.length;
        this.opened[number] = file;
        this.view.setUint32(out, number, true);
        return 0;
    }

    path_rename(folder, from, fromSize, newFolder, to, toSize) {
        this.files.rename(this.path(folder, from, fromSize), this.path(newFolder, to, toSize));
    }

    path_unlink_file(folder, at, size) {
        this.files.remove(this.path(folder, at, size));
    }

    // The standard files stay: what has copied one closes its copy.
    fd_close(number) {
        const file = this.file(number);
        if (number < STANDARD)
            return;
        file.close?.();
        this.opened[number] = null;
    }

    read(number, at, count, position, out) {
        const file = this.file(number);
        if (!file.read)
            return file.kind === 'folder' ? ERRNO.EISDIR : ERRNO.EBADF;
        const got = this.each(at, count, (part, before) => file.read(part, position + before));
        this.view.setUint32(out, got, true);
        return got;
    }

    fd_read(number, at, count, out) {
        const file = this.file(number);
        const got = this.read(number, at, count, file.at ?? 0, out);
        if (file.read)
            file.at = (file.at ?? 0) + got;
        return file.read ? 0 : got;
    }

    fd_pread(number, at, count, position, out) {
        const got = this.read(number, at, count, Number(position), out);
        return this.file(number).read ? 0 : got;
    }

    fd_write(number, at, count, out) {
        const file = this.file(number);
        if (!file.write)
            return ERRNO.EBADF;
        file.at ??= 0;
        const put = this.each(at, count, (part, before) => file.write(part, file.at + before));
        file.at += put;
        this.view.setUint32(out, put, true);
        return 0;
    }

    fd_seek(number, offset, from, out) {
        const file = this.file(number);
        if (file.kind !== 'file')
            return ERRNO.ESPIPE;
        const start = from === 0 ? 0 : from === 1 ? file.at : Number(file.stat().size);
        if (start + Number(offset) < 0)
            return ERRNO.EINVAL;
        file.at = start + Number(offset);
        this.view.setBigUint64(out, BigInt(file.at), true);
        return 0;
    }

    fd_tell(number, out) {
        return this.fd_seek(number, 0n, 1, out);
    }

    fd_readdir(number, at, size, cookie, out) {
        const names = this.files.list(this.file(number).root);
        let used = 0;
        for (let i = Number(cookie); i < names.length && used < size; i++) {
            const name = encoder.encode(names[i].name), entry = new Uint8Array(24 + name.length);
            const view = new DataView(entry.buffer);
            view.setBigUint64(0, BigInt(i + 1), true);
            view.setBigUint64(8, BigInt(names[i].number ?? i + 1), true);
            view.setUint32(16, name.length, true);
            view.setUint8(20, KIND[names[i].kind]);
            entry.set(name, 24);
            const part = entry.subarray(0, size - used);
            this.bytes(at + used, part.length).set(part);
            used += part.length;
        }
        this.view.setUint32(out, used, true);
    }
}

// A function of the system as the module calls it: 0, or the number of an error.
function call(system, name) {
    return (...values) => {
        try {
            return system[name](...values) ?? 0;
        } catch (error) {
            if (error instanceof Exit)
                throw error;
            const number = ERRNO[error?.code];
            if (number === undefined && error?.code === undefined)
                throw error;
            return number ?? ERRNO.EIO;
        }
    };
}

// Runs a compiled command: its exit status.
export function runCommand(module, options) {
    const system = new System(options), imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
        (imports[from] ??= {})[name] = call(system, name);
    const instance = new WebAssembly.Instance(module, imports);
    system.memory = instance.exports.memory;
    try {
        instance.exports._start();
        return 0;
    } catch (error) {
        if (error instanceof Exit)
            return error.status;
        throw error;
    } finally {
        for (const file of system.opened.slice(STANDARD))
            file?.close?.();
    }
}
