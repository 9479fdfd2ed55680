// Compares paths in a profile, which may be of another machine, with paths of this one.
'use strict';

/**
 * How many of their last parts two paths have in common.
 * @param {string} a
 * @param {string} b
 */
function commonParts(a, b) {
    const left = a.split(/[\\/]/).reverse(), right = b.split(/[\\/]/).reverse();
    let count = 0;
    while (count < left.length && count < right.length && left[count] === right[count] && left[count] !== '') count++;
    return count;
}

/**
 * The index of the path with the most last parts in common with `file`; undefined if no path has its name, or several match
 * equally well.
 * @param {string} file
 * @param {string[]} paths
 */
function closest(file, paths) {
    const counts = paths.map(one => commonParts(file, one)), best = Math.max(0, ...counts);
    const index = counts.indexOf(best);
    return best > 0 && counts.lastIndexOf(best) === index ? index : undefined;
}

module.exports = { closest, commonParts };
