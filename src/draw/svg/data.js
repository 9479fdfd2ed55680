// data.js - unpacks the frames in the file's metadata; data.c describes the encoding. The result is
// columns, one entry per box. Boxes are in the order of their levels, and the children of a box are
// a range.

const digitValues = new Uint8Array(128);
{
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let i = 0; i < 64; i++) digitValues[letters.charCodeAt(i)] = i;
}

function reader(text) {
    let at = 0;
    function digits() {
        let value = 0, weight = 1;
        for (;;) {
            const digit = digitValues[text.charCodeAt(at++)];
            if (digit < 32) return value + digit * weight;
            value += (digit - 32) * weight;
            weight *= 32;
        }
    }
    function value() {
        if (text[at] === '~') {
            at++;
            return -value();
        }
        if (text[at] !== '.') return digits();
        const end = text.indexOf(';', at), number = +text.slice(at + 1, end);
        at = end + 1;
        return number;
    }
    return {digits, value, rest: () => text.slice(at)};
}

function decodeFrames(lines, strings) {
    const count = lines.length, frames = {
        name: new Array(count), tone: new Uint32Array(count), kind: new Uint8Array(count),
        unsymbolized: new Uint8Array(count),
        end: new Uint32Array(count), bare: new Uint32Array(count),
        qualified: new Uint32Array(count), elided: new Array(count), cut: new Uint8Array(count),
        module: new Array(count), file: new Array(count), line: new Uint32Array(count),
    };
    let previous = '';
    for (let i = 0; i < count; i++) {
        const r = reader(lines[i]), shared = r.digits();
        frames.tone[i] = r.digits();
        const flags = r.digits();
        frames.kind[i] = flags >> 2 & 15;
        frames.unsymbolized[i] = flags >> 6 & 1;
        frames.cut[i] = flags >> 8 & 1;
        const parts = flags & 1 ? [r.digits(), r.digits(), r.digits()] : null;
        const elided = flags & 128 ? [r.digits(), r.digits()] : null;
        if (flags & 2) {
            frames.module[i] = strings[r.digits()];
            frames.file[i] = strings[r.digits()];
            frames.line[i] = r.digits();
        }
        const name = frames.name[i] = previous = previous.slice(0, shared) + r.rest();
        frames.end[i] = name.length - (parts ? parts[0] : 0);
        frames.bare[i] = parts ? frames.end[i] - parts[1] : 0;
        frames.qualified[i] = parts ? frames.bare[i] - parts[2] : 0;
        if (elided) {
            const to = frames.end[i] - elided[0];
            frames.elided[i] = [to - elided[1], to];
        }
    }
    return frames;
}

function decodeBoxes(line, info) {
    const count = info.boxes, columns = info.compare === '' ? [] : info.compare === 'signed' ?
        ['after'] : info.widths === 'after' ? ['before'] : ['after', 'before'];
    const NOISE = 21;
    const boxes = {
        count, level: new Uint16Array(count), parent: new Int32Array(count),
        first: new Uint32Array(count + 1), frame: new Int32Array(count),
        siblings: new Uint32Array(count), self: new Float64Array(count),
        total: new Float64Array(count), offset: new Float64Array(count), levels: [],
        // Of comparisons: from 0, all of it was lost, over 3 to 6, all of it is new; 1 appeared, 2 gone.
        tone: new Uint8Array(count), change: new Uint8Array(count), noise: new Uint8Array(count),
    };
    for (const column of columns) boxes[column] = new Float64Array(count);
    const r = reader(line);
    boxes.parent[0] = -1;
    for (let i = 0, next = 1; i < count; i++) {
        boxes.first[i] = next;
        const end = next + r.digits();
        for (; next < end; next++) {
            boxes.parent[next] = i;
            boxes.level[next] = boxes.level[i] + 1;
        }
        boxes.frame[i] = r.digits() - 1;
        boxes.siblings[i] = boxes.frame[i] < 0 ? r.digits() : 1;
        boxes.self[i] = boxes.total[i] = r.value();
        if (boxes.frame[i] >= 0 && columns.length) {
            const code = r.digits();
            boxes.noise[i] = code === NOISE;
            boxes.tone[i] = code === NOISE ? 3 : code % 7;
            boxes.change[i] = code === NOISE ? 0 : Math.floor(code / 7);
            for (const column of columns) boxes[column][i] = r.value();
        }
        if (boxes.level[i] === boxes.levels.length) boxes.levels.push(i);
    }
    boxes.first[count] = count;
    boxes.levels.push(count);
    for (let i = count - 1; i > 0; i--) boxes.total[boxes.parent[i]] += boxes.total[i];
    for (let i = 0; i < count; i++) {
        let offset = boxes.offset[i];
        for (let c = boxes.first[i]; c < boxes.first[i + 1]; c++) {
            boxes.offset[c] = offset;
            offset += boxes.total[c];
        }
    }
    if (info.compare === 'columns' && info.widths === 'after') boxes.after = boxes.total;
    // The gained part; the rest of the width was lost.
    if (info.compare === 'signed')
        boxes.before = boxes.total.map((total, i) => total - boxes.after[i]);
    return boxes;
}

function decode(text) {
    const lines = text.split('\n'), info = JSON.parse(lines[0]);
    const strings = lines.slice(1, 1 + info.strings);
    const firstBox = 1 + info.strings + info.frames;
    return {
        info, frames: decodeFrames(lines.slice(1 + info.strings, firstBox), strings),
        boxes: decodeBoxes(lines[firstBox], info),
    };
}

// The index of the box of level `level` that covers `offset`; -1: there is none.
function boxAt(boxes, level, offset) {
    if (!(level >= 0 && level < boxes.levels.length - 1)) return -1;
    let low = boxes.levels[level], high = boxes.levels[level + 1];
    while (high - low > 1) {
        const middle = low + high >> 1;
        if (boxes.offset[middle] <= offset) low = middle;
        else high = middle;
    }
    return low < boxes.count && boxes.offset[low] <= offset &&
        offset < boxes.offset[low] + boxes.total[low] ? low : -1;
}
