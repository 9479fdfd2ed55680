// dropped.js - what is dropped or pasted: files, folders with all that is in them, the address of a profile, or its text.

// A folder with more files is no folder of profiles.
const MOST_FILES = 2000;

const ADDRESS = /^https?:\/\/\S+$/i;

// A file, and its path in the folder that was dropped or chosen.
const named = (file, path) => ({file, name: (path || file.webkitRelativePath || file.name).replace(/^\//, '')});

const isHidden = (one, found) => one.name.startsWith('.') || found.length >= MOST_FILES;

// A folder as Chrome has it: its other way, below, fails in pages that are files.
async function addHandle(handle, path, found) {
    if (isHidden(handle, found)) return;
    if (handle.kind === 'file') found.push(named(await handle.getFile(), path + handle.name));
    else for await (const one of handle.values()) await addHandle(one, `${path}${handle.name}/`, found);
}

// As all browsers have it.
async function addEntry(entry, found) {
    if (isHidden(entry, found)) return;
    if (entry.isFile) {
        found.push(named(await new Promise((resolve, reject) => entry.file(resolve, reject)), entry.fullPath));
        return;
    }
    // A folder is read in pieces.
    const reader = entry.createReader();
    for (let entries; (entries = await new Promise((...both) => reader.readEntries(...both))).length > 0;)
        for (const one of entries) await addEntry(one, found);
}

export function carriesProfile(transfer) {
    return Array.from(transfer?.types || []).some(type => type === 'Files' || type === 'text/uri-list');
}

// Resolves to {files: [{file, name}], isFolder, address, text}. What the transfer holds is gone after the event: all of
// it is asked for before anything is awaited.
export async function takeDropped(transfer) {
    const plain = transfer.getData('text/plain');
    const uris = transfer.getData('text/uri-list') || plain;
    const address = uris.split('\n').map(line => line.trim()).find(line => ADDRESS.test(line));
    const files = Array.from(transfer.files, file => named(file)), items = Array.from(transfer.items || [])
        .filter(item => item.kind === 'file');
    const entries = items.map(item => item.webkitGetAsEntry?.()).filter(Boolean);
    if (!entries.some(entry => entry.isDirectory)) return {files, address, text: plain};
    const handles = items.map(item => item.getAsFileSystemHandle?.()), found = [];
    if (handles[0]) for (const handle of await Promise.all(handles)) await addHandle(handle, '', found);
    else for (const entry of entries) await addEntry(entry, found);
    return {files: found, isFolder: true};
}

export function takeChosen(input) {
    return {files: Array.from(input.files, file => named(file)).filter(({name}) => !/(^|\/)\./.test(name)),
        isFolder: input.webkitdirectory};
}
