// text.js - numbers in the form of quantity.c, and shortened names.

const times = [[3600e9, 3600e9, 'h'], [120e9, 60e9, 'min'], [1e9, 1e9, 's'], [1e6, 1e6, 'ms'],
    [1e3, 1e3, '\u00b5s'], [0, 1, 'ns']];
const sizes = [[2 ** 50, 2 ** 50, 'PiB'], [2 ** 40, 2 ** 40, 'TiB'], [2 ** 30, 2 ** 30, 'GiB'],
    [2 ** 20, 2 ** 20, 'MiB'], [2 ** 10, 2 ** 10, 'KiB'], [0, 1, 'B']];
const counts = [[1e12, 1e12, 'T'], [1e9, 1e9, 'G'], [0, 1e6, 'M']];
const timeUnits = {ns: 1, nanoseconds: 1, us: 1e3, microseconds: 1e3, ms: 1e6, milliseconds: 1e6,
    s: 1e9, seconds: 1e9};

function rounded(value, digits) {
    return String(+value.toPrecision(digits));
}

function grouped(value) {
    const text = Number.isInteger(value) ? String(value) : rounded(value, 15);
    const [whole, fraction] = text.split('.');
    return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? '.' + fraction : '');
}

function scaled(value, scales) {
    const [, size, name] = scales.find(s => Math.abs(value) >= s[0] * 0.9995);
    const number = value / size;
    const digits = Math.abs(number) >= 1024 ? grouped(+number.toPrecision(Math.abs(number) < 9999.5 ? 4 : 5))
        : rounded(number, Math.abs(number) >= 999.5 ? 4 : 3);
    return digits + ' ' + name;
}

// The singular: 1 sample.
function unitOf(value, unit) {
    const plural = /(sses|[tn]ches)$/.test(unit) ? 2 : /.[^s]s$/.test(unit) ? 1 : 0;
    const one = Math.abs(value) === 1 ? plural : 0;
    return unit ? ' ' + unit.slice(0, unit.length - one) : '';
}

function exact(value, unit) {
    return grouped(value) + unitOf(value, unit);
}

function isScaled(unit) {
    return Object.hasOwn(timeUnits, unit) || unit === 'bytes' || unit === 'B';
}

function quantity(value, unit) {
    const size = Math.abs(value), behind = unitOf(value, unit);
    if (value === 0) return '0' + behind;
    if (Object.hasOwn(timeUnits, unit)) return scaled(value * timeUnits[unit], times);
    if (isScaled(unit)) return scaled(value, sizes);
    if (size >= 1e7) return scaled(value, counts) + behind;
    if (Number.isInteger(value)) return exact(value, unit);
    return size < 999.5 ? rounded(value, 3) + behind : exact(Math.floor(value + 0.5), unit);
}

function percent(value, whole) {
    const part = whole ? 100 * value / whole : 0, size = Math.abs(part);
    if (part !== 0 && size < 0.005) return '< 0.01 %';
    if (size < 100 && size >= 99.95) return (part < 0 ? '-' : '') + '99.9 %';
    return rounded(part, size < 0.1 ? 1 : size < 1 ? 2 : size < 1000 ? 3 : 6) + ' %';
}

// Widths of letters in the page's font; each is measured once.
function makeRuler(family, size) {
    const context = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas')
        .getContext('2d');
    const known = new Map();
    if (context) context.font = size + 'px ' + family;
    function letter(character) {
        let width = known.get(character);
        if (width === undefined) {
            width = context ? context.measureText(character).width : size;
            known.set(character, width);
        }
        return width;
    }
    // The width of `text`, or more than `limit` as soon as that is clear.
    function width(text, limit) {
        let sum = 0;
        for (const character of text) {
            sum += letter(character);
            if (sum > limit) break;
        }
        return sum;
    }
    return {letter, width};
}

// The middle of `text` as an ellipsis; '' where not even eight letters fit, and where what is left would read as
// another name.
function shortened(text, room, ruler) {
    if (/^operator|[<{]/.test(text)) return '';
    const letters = Array.from(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text);
    let left = room - ruler.letter('\u2026'), head = 0, tail = letters.length;
    for (let atEnd = false; head < tail; atEnd = !atEnd) {
        left -= ruler.letter(letters[atEnd ? tail - 1 : head]);
        if (left < 0) break;
        if (atEnd) tail--;
        else head++;
    }
    if (head + letters.length - tail < 8) return '';
    return letters.slice(0, head).join('') + '\u2026' + letters.slice(tail).join('');
}

// As in label.c: the name; without arguments; without the path; without template arguments; the function alone, and
// that of a closure; shortened.
function label(frames, frame, room, ruler) {
    const name = frames.name[frame], end = frames.end[frame], bare = frames.bare[frame];
    const qualified = frames.qualified[frame], [from, to] = frames.elided[frame] || [];
    const elided = start => (from > start ? name.slice(start, from) + '\u2026' : '') + name.slice(to, end);
    const texts = [!frames.cut[frame] && name, name.slice(0, end), name.slice(qualified, end), to && elided(qualified),
        name.slice(bare, end), from > bare && elided(bare)];
    const first = texts.find(text => text && ruler.width(text, room) <= room);
    return first || shortened(name.slice(bare, end), room, ruler);
}
