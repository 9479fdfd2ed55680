// The cost of each line, from the rows that `flamel annotate --lines --json` prints.
'use strict';

/** @typedef {{self: number, total: number, functions: string[]}} Cost */

/**
 * Costs by file and line. A line that was inlined, or is code of a template, has a row for each function: self is their sum,
 * and total the largest, because one of the functions may call another.
 * @param {{function: string, file: string, line: number | null, self: number, total: number}[]} rows
 * @returns {Map<string, Map<number, Cost>>}
 */
function costsOf(rows) {
    /** @type {Map<string, Map<number, Cost>>} */
    const files = new Map();
    for (const { function: name, file, line, self, total } of rows) {
        if (!file || line === null) continue;
        const lines = files.get(file) ?? new Map();
        const cost = lines.get(line) ?? { self: 0, total: 0, functions: [] };
        cost.self += self;
        cost.total = Math.max(cost.total, total, cost.self);
        cost.functions.push(name);
        files.set(file, lines.set(line, cost));
    }
    return files;
}

/**
 * @param {number} value
 * @param {number} total
 */
function share(value, total) {
    const percent = 100 * value / total;
    return `${percent >= 99.95 ? '100' : percent >= 9.995 ? percent.toFixed(1) : percent.toFixed(2)} %`;
}

module.exports = { costsOf, share };
