// view.js - the boxes in a view, and their paths. A view is a part [left, right) of the total, and
// the level zoomed to: boxes below that level are its ancestors.

// Boxes narrower than this, in px, are one gray merged box with their neighbors.
const NARROW = 1;

// Adds the boxes [from, to), siblings, to `shown`.
function showSiblings(boxes, view, scale, width, from, to, level, shown) {
    let merged = null;
    for (let i = from; i < to; i++) {
        const start = boxes.offset[i], total = boxes.total[i];
        if (start + total <= view.left || start >= view.right || total === 0) continue;
        const x0 = Math.max(0, (start - view.left) * scale);
        const x1 = Math.min(width, (start + total - view.left) * scale);
        const isMerged = boxes.frame[i] < 0;
        if (!isMerged && total * scale >= NARROW) {
            merged = null;
            shown.push({box: i, last: i, level, x0, x1, count: 0, total});
        } else if (merged) {
            merged.last = i;
            merged.x1 = x1;
            merged.count += boxes.siblings[i];
            merged.total += total;
        } else {
            merged = {box: i, last: i, level, x0, x1, count: boxes.siblings[i], total};
            shown.push(merged);
        }
    }
}

// All visible items, level by level and from left to right in each. `count` is 0 for a box, and for
// a merged box the number of its siblings.
function show(boxes, view, width) {
    const shown = [], scale = width / (view.right - view.left);
    if (!(scale > 0) || !isFinite(scale)) return shown;
    showSiblings(boxes, view, scale, width, 0, 1, 0, shown);
    for (let i = 0; i < shown.length; i++) {
        const {box, count, level} = shown[i];
        if (count === 0)
            showSiblings(boxes, view, scale, width, boxes.first[box], boxes.first[box + 1],
                level + 1, shown);
    }
    return shown;
}

// The start of each level in a list of `show`, and the end of the last.
function levelStarts(shown) {
    const starts = [];
    shown.forEach((item, i) => {
        while (starts.length <= item.level) starts.push(i);
    });
    starts.push(shown.length);
    return starts;
}

// The item of a level at x; null: there is none.
function itemAt(shown, starts, level, x) {
    if (!(level >= 0 && level < starts.length - 1)) return null;
    let low = starts[level], high = starts[level + 1];
    while (high - low > 1) {
        const middle = low + high >> 1;
        if (shown[middle].x0 <= x) low = middle;
        else high = middle;
    }
    const item = shown[low];
    return item && item.level === level && item.x0 <= x && x < item.x1 ? item : null;
}

// The part of the view that boxes with a mark in `matches` take, with nested ones counted once, and
// their number. Ancestors of the zoomed frame do not count: they would be all of it.
function measureMatches(boxes, matches, view) {
    const covered = new Uint8Array(boxes.count);
    let sum = 0, count = 0;
    for (let i = 0; i < boxes.count; i++) {
        if (boxes.level[i] < view.level) continue;
        const start = Math.max(view.left, boxes.offset[i]);
        const end = Math.min(view.right, boxes.offset[i] + boxes.total[i]);
        const below = i > 0 && covered[boxes.parent[i]];
        covered[i] = below || matches[i];
        if (!matches[i] || end <= start) continue;
        count++;
        if (!below) sum += end - start;
    }
    return {sum, count};
}

// Paths, as in path.c.
function rectangle(x, y, width, height, inset) {
    const across = width - 2 * inset;
    return 'M' + (x + inset) + ' ' + (y + inset) + 'h' + across + 'v' + (height - 2 * inset) + 'h' +
        -across + 'z';
}

function outlineOf(x, y, width, height) {
    return width < 3 ? 'M' + (x + width / 2) + ' ' + y + 'v' + height :
        rectangle(x, y, width, height, .5);
}
