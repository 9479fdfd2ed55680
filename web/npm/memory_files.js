// Files in memory, for wasi.js: nothing of the machine is seen.

function fail(code, path) {
    throw Object.assign(new Error(`${path}: ${code}`), { code });
}

function plain(path) {
    return path.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
}

// Bytes that grow.
class Content {
    constructor(bytes) {
        this.buffer = bytes;
        this.size = bytes.length;
    }

    get bytes() {
        return this.buffer.subarray(0, this.size);
    }

    read(into, at) {
        const part = this.buffer.subarray(at, Math.min(this.size, at + into.length));
        into.set(part);
        return part.length;
    }

    write(from, at) {
        const end = at + from.length;
        if (end > this.buffer.length || !this.isOurs) {
            const larger = new Uint8Array(Math.max(end, 2 * this.size, 4096));
            larger.set(this.bytes);
            this.buffer = larger;
            this.isOurs = true;
        }
        this.buffer.set(from, at);
        this.size = Math.max(this.size, end);
        return from.length;
    }
}

export class MemoryFiles {
    // `files`: bytes by path.
    constructor(files = {}) {
        this.contents = new Map(Object.entries(files).map(([path, bytes]) => [plain(path), new Content(bytes)]));
    }

    // What is there now: bytes by path.
    all() {
        return Object.fromEntries([...this.contents].map(([path, content]) => [path, content.bytes.slice()]));
    }

    stat(path) {
        const name = plain(path), content = this.contents.get(name);
        if (content)
            return { kind: 'file', size: content.size };
        const isFolder = name === '' || name === '.' || [...this.contents.keys()].some((other) => other.startsWith(`${name}/`));
        return isFolder ? { kind: 'folder' } : fail('ENOENT', path);
    }

    open(path, { create, exclusive, truncate, write }) {
        const name = plain(path);
        let content = this.contents.get(name);
        if (content && exclusive)
            fail('EEXIST', path);
        if (!content && !create)
            fail('ENOENT', path);
        if (!content || truncate)
            this.contents.set(name, content = new Content(new Uint8Array(0)));
        return {
            kind: 'file',
            stat: () => ({ kind: 'file', size: content.size }),
            read: (bytes, at) => content.read(bytes, at),
            write: write ? (bytes, at) => content.write(bytes, at) : undefined,
        };
    }

    list(path) {
        const name = plain(path), prefix = name && name !== '.' ? `${name}/` : '', kinds = new Map();
        for (const other of this.contents.keys())
            if (other.startsWith(prefix)) {
                const [first, ...more] = other.slice(prefix.length).split('/');
                kinds.set(first, more.length > 0 ? 'folder' : 'file');
            }
        return [...kinds].map(([entry, kind]) => ({ name: entry, kind }));
    }

    rename(from, to) {
        const content = this.contents.get(plain(from)) ?? fail('ENOENT', from);
        this.contents.delete(plain(from));
        this.contents.set(plain(to), content);
    }

    remove(path) {
        if (!this.contents.delete(plain(path)))
            fail('ENOENT', path);
    }
}

// Standard input with these bytes; output and errors are kept.
export function standardMemory(input) {
    const files = [new Content(input), new Content(new Uint8Array(0)), new Content(new Uint8Array(0))];
    return files.map((content) => ({
        kind: 'pipe',
        content,
        read: (bytes, at) => content.read(bytes, at),
        write: (bytes, at) => content.write(bytes, at),
    }));
}
