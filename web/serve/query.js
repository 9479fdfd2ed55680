// query.js - what the page of flamel serve asks for: the part of its address behind the '?', which is all of its
// state but that of the viewer, which stands behind the '#'.
//
//     ?q=service%3Dapi&type=cpu%3Ans&from=-6h&until=&by=pod      selector, type, the time of the timeline, groups
//     &range=1795832400000..1795834200000                       the part that was dragged: what the flame graph shows
//     &before=1795830600000..1795832400000&beforeq=...           what it is compared with; its selector, if another
//
// Selectors are those of flamel-query(1): `service=api region!=eu host=~"web.*"`.

const OPERATORS = ['=', '!=', '=~', '!~'];
const SERVICE = 'service_name';
const CONDITION = /[\s,]*([^=!~<>{}"',\s]+)\s*(=~|!~|!=|=)\s*(?:"((?:\\[^]|[^"\\])*)"|'((?:\\[^]|[^'\\])*)'|([^\s,}]*))/y;

// The label that a key of a selector stands for, and how it is shown.
const keyOf = text => /^service(\.name)?$/.test(text) ? SERVICE : text;
const shownKey = key => key === SERVICE ? 'service' : key;

// A selector as [{key, operator, value}]; throws an Error with a sentence.
function parseSelector(text) {
    const found = [], trimmed = text.trim().replace(/^\{([^]*)\}$/, '$1');
    CONDITION.lastIndex = 0;
    let at = 0;
    for (let match; (match = CONDITION.exec(trimmed)); at = CONDITION.lastIndex) {
        const [, key, operator, double, single, bare] = match, quoted = double ?? single;
        found.push({key: keyOf(key), operator,
            value: quoted != null ? quoted.replace(/\\([^])/g, '$1') : bare});
    }
    if (trimmed.slice(at).replace(/[\s,]/g, '')) throw new Error(`not a selector, from here on: ${trimmed.slice(at)}`);
    return found;
}
const printCondition = ({key, operator, value}) => `${shownKey(key)}${operator}${
    /^[\w.:/-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
const printSelector = conditions => conditions.map(printCondition).join(' ');

const UNITS = {ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5};

// A time as flamel-query(1) has it, in milliseconds; NaN where it is none.
function timeOf(text, now) {
    if (text === '' || text === 'now') return now;
    if (/^\d+$/.test(text)) return Number(text) < 1e11 ? Number(text) * 1000 : Number(text);
    const back = text.replace(/^now/, '');
    if (/^-(\d+(ms|[smhdw]))+$/.test(back))
        return now - [...back.matchAll(/(\d+)(ms|[smhdw])/g)].reduce((sum, [, n, unit]) => sum + n * UNITS[unit], 0);
    return Date.parse(/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?Z?$/.test(text)
        ? text.replace(' ', 'T').replace(/Z?$/, text.length > 10 ? 'Z' : '') : 'no');
}

const parseRange = text => {
    const [, from, until] = text?.match(/^(\d+)\.\.(\d+)$/) ?? [];
    return until && Number(from) < Number(until) ? {from: Number(from), until: Number(until)} : null;
};
const printRange = ({from, until}) => `${Math.round(from)}..${Math.round(until)}`;

// What cannot be read is as if it were not there; `wrong` says so, for an address that was typed or cut.
function readAddress(search) {
    const given = new URLSearchParams(search), text = name => given.get(name) ?? '', wrong = [], now = Date.now();
    const selectorOf = name => {
        try {
            return parseSelector(text(name));
        } catch (error) {
            wrong.push(`${name} is ${error.message}`);
            return [];
        }
    };
    const readTime = (name, otherwise) => {
        if (!Number.isNaN(timeOf(text(name), now))) return text(name) || otherwise;
        wrong.push(`${name} is no time: ${text(name)}`);
        return otherwise;
    };
    const readRange = name => {
        const range = parseRange(given.get(name));
        if (given.get(name) && !range) wrong.push(`${name} is no range: ${text(name)}`);
        return range;
    };
    let from = readTime('from', '-1h'), until = readTime('until', '');
    if (!(timeOf(from, now) < timeOf(until, now))) {
        wrong.push('it ends before it begins: the last hour is shown');
        [from, until] = ['-1h', ''];
    }
    const range = readRange('range'), before = readRange('before');
    const own = selectorOf('q'), other = given.has('beforeq') ? selectorOf('beforeq') : null;
    return {
        conditions: own, type: text('type'), from, until, by: text('by'), wrong: wrong.join('; '),
        range,
        before: before && {...before, conditions: other},
    };
}

// Times that are relative to now become those that they are: for a link that shows the same for ever.
function printAddress(state, window = null) {
    const given = new URLSearchParams();
    const add = (name, value) => value && given.set(name, value);
    add('q', printSelector(state.conditions));
    add('type', state.type);
    if (window || state.from !== '-1h') add('from', window ? String(window.from) : state.from);
    add('until', window ? String(window.until) : state.until);
    add('by', state.by);
    if (state.range) add('range', printRange(state.range));
    if (state.before) {
        add('before', printRange(state.before));
        if (state.before.conditions) given.set('beforeq', printSelector(state.before.conditions));
    }
    const text = given.toString();
    return text && `?${text}`;
}

// ---- Numbers and times as text --------------------------------------------------------------------

const digits = value => Number(value.toPrecision(3)).toLocaleString('en', {maximumSignificantDigits: 3});
function scaled(value, steps) {
    const [size, name] = steps.find(([least]) => Math.abs(value) >= least) ?? steps.at(-1);
    return `${digits(value / size)} ${name}`.trim();
}
const BYTES = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB'], [1, 'B']];
const SECONDS = [[3600, 'h'], [60, 'min'], [1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
const COUNTS = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
const IN_SECONDS = {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1};

// "cpu:ns" as its name and unit.
const partsOf = type => {
    const [, name, unit] = type.match(/^([^]*?)(?::([^:]*))?$/);
    return {name, unit: unit ?? ''};
};
// Names of types for a menu; with the unit where several have the same name.
const typeTitles = types => types.map(type => {
    const {name, unit} = partsOf(type);
    return {name: type, title: types.some(other => other !== type && partsOf(other).name === name) ? `${name} (${unit})` : name};
});
function formatValue(value, type) {
    const {unit} = partsOf(type);
    if (value === 0) return '0';
    if (unit in IN_SECONDS) return scaled(value * IN_SECONDS[unit], SECONDS);
    if (unit === 'bytes') return scaled(value, BYTES);
    return scaled(value, COUNTS) + (unit && unit !== 'count' ? ` ${unit}` : '');
}
// What makes numbers as they are shown of the values of a step.
const rateFactor = (type, stepMs) => {
    const {unit} = partsOf(type);
    return (IN_SECONDS[unit] ?? (unit === 'bytes' ? 1 / 1024 : 1)) / (stepMs / 1000);
};
// In figures of two digits as people say them: 0.2, not 200 m.
const cores = busy => busy >= 1 ? digits(busy) : busy >= 1e-4 ? String(Number(busy.toPrecision(2))) : '< 0.0001';
// A value of a step, by the second: processor time in a second is how many processors were busy.
function formatRate(value, type, stepMs) {
    const {name, unit} = partsOf(type), rate = value / (stepMs / 1000);
    if (value === 0) return '0';
    if (unit in IN_SECONDS) {
        const busy = rate * IN_SECONDS[unit];
        return /cpu|samples/.test(name) ? `${cores(busy)} cores` : `${scaled(busy, SECONDS)}/s`;
    }
    return `${formatValue(rate, type)}/s`;
}

const two = number => String(number).padStart(2, '0');
const clock = (ms, seconds = true) => {
    const date = new Date(ms);
    return `${two(date.getHours())}:${two(date.getMinutes())}${seconds ? `:${two(date.getSeconds())}` : ''}`;
};
const day = ms => {
    const date = new Date(ms);
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
};
// "10:30:00 – 11:00:00", with the day where it is another one than that of `now`.
function formatRange({from, until}, now = Date.now()) {
    const days = day(from) !== day(until), today = !days && day(from) === day(now);
    return `${today ? '' : `${day(from)} `}${clock(from)} – ${days ? `${day(until)} ` : ''}${clock(until)}`;
}
