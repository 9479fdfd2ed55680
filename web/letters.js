// letters.js - letters for the core, which has no font: each is drawn once, by the browser, in the
// size in which it is shown, and becomes a picture of how much of each pixel the ink takes. All that
// are missing are drawn side by side first: reading pixels back is what takes the time.
//
// They are drawn COLUMNS times as wide as they are, in x only: the core makes a picture of each for
// every quarter of a pixel of that, so that letters stand as far apart as the font says (atlas.h).

const FAMILY = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const COLUMNS = 4, SHEET_WIDTH = 4096;
const EMPTY = new Uint8Array(0);
let letterSheet = null;

function isInvisible(codePoint) {
    return /^[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]$/u.test(String.fromCodePoint(codePoint));
}

// What a letter takes of the sheet, in its pixels, from the pen on: `left` and `top` are negative.
function measure(codePoint, px) {
    const letter = String.fromCodePoint(codePoint), metrics = letterSheet.measureText(letter);
    const cell = {codePoint, letter, advance: metrics.width, left: 0, top: 0, width: 0, height: 0};
    if (isInvisible(codePoint)) return cell;
    const most = Math.ceil(px * 3);
    const left = Math.max(-most, Math.floor(-metrics.actualBoundingBoxLeft - 1));
    const right = Math.min(most, Math.ceil(metrics.actualBoundingBoxRight + 1));
    const bottom = Math.min(most, Math.ceil(metrics.actualBoundingBoxDescent) + 1);
    cell.left = left * COLUMNS;
    cell.top = Math.max(-most, -Math.ceil(metrics.actualBoundingBoxAscent) - 1);
    cell.width = Math.max(0, right - left) * COLUMNS;
    cell.height = Math.max(0, bottom - cell.top);
    return cell;
}

// One row after the other; how large the sheet is then.
function place(cells) {
    let x = 0, y = 0, rowHeight = 0, width = 1;
    for (const cell of cells) {
        if (x + cell.width > SHEET_WIDTH) {
            y += rowHeight;
            x = rowHeight = 0;
        }
        Object.assign(cell, {x, y});
        x += cell.width;
        rowHeight = Math.max(rowHeight, cell.height);
        width = Math.max(width, x);
    }
    return {width, height: Math.max(1, y + rowHeight)};
}

function drawLetters(core, weight, codePoints) {
    const px = core.fontPx(), font = `${weight ? 600 : 400} ${px}px ${FAMILY}`;
    letterSheet ||= document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    letterSheet.font = font;
    letterSheet.fontKerning = 'none';
    const cells = codePoints.map(codePoint => measure(codePoint, px));
    const {width, height} = place(cells);
    Object.assign(letterSheet.canvas, {width, height}); // which forgets the font
    letterSheet.font = font;
    letterSheet.fontKerning = 'none';
    for (const cell of cells) {
        if (!cell.width) continue;
        letterSheet.save();
        letterSheet.beginPath();
        letterSheet.rect(cell.x, cell.y, cell.width, cell.height);
        letterSheet.clip();
        letterSheet.setTransform(COLUMNS, 0, 0, 1, cell.x - cell.left, cell.y - cell.top);
        letterSheet.fillText(cell.letter, 0, 0);
        letterSheet.restore();
    }
    const {data} = letterSheet.getImageData(0, 0, width, height);
    for (const cell of cells) {
        const coverage = cell.width ? new Uint8Array(cell.width * cell.height) : EMPTY;
        for (let y = 0, to = 0; y < cell.height; y++) {
            let from = ((cell.y + y) * width + cell.x) * 4 + 3;
            for (let x = 0; x < cell.width; x++, from += 4) coverage[to++] = data[from];
        }
        core.glyph(cell.codePoint, weight, {advance: cell.advance, left: cell.left, top: cell.top,
            width: cell.width, height: cell.height, coverage, columns: COLUMNS});
    }
}

// Draws what the last picture lacked. Whether there was anything: then paint again.
export function addLetters(core) {
    let any = false;
    for (const weight of [0, 1]) {
        const codePoints = [];
        for (let next; (next = core.missing(weight)); ) codePoints.push(next);
        if (codePoints.length) drawLetters(core, weight, codePoints);
        any ||= codePoints.length > 0;
    }
    return any;
}
