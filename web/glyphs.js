// glyphs.js - glyphs for the core, which has no font. The browser draws each glyph once, in the size in
// which it is shown; the core gets its coverage: how much of each pixel is inked. All missing glyphs are
// drawn side by side on one canvas first, because reading pixels back is the slow part.
//
// Glyphs are drawn stretched COLUMNS times in x. From that the core makes one picture for each quarter of
// a pixel, so that letters are as far apart as the font wants them (src/draw/raster/atlas.h).

const FAMILY = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const COLUMNS = 4, SHEET_WIDTH = 4096;
const EMPTY = new Uint8Array(0);
let glyphSheet = null;

function isInvisible(codePoint) {
    return /^[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]$/u.test(String.fromCodePoint(codePoint));
}

// The advance of a glyph and the rectangle of its ink, in pixels of the sheet relative to the pen: `left`
// and `top` may be negative.
function measure(codePoint, px) {
    const text = String.fromCodePoint(codePoint), metrics = glyphSheet.measureText(text);
    const cell = {codePoint, text, advance: metrics.width, left: 0, top: 0, width: 0, height: 0};
    if (isInvisible(codePoint)) return cell;
    const limit = Math.ceil(px * 3);
    const left = Math.max(-limit, Math.floor(-metrics.actualBoundingBoxLeft - 1));
    const right = Math.min(limit, Math.ceil(metrics.actualBoundingBoxRight + 1));
    const bottom = Math.min(limit, Math.ceil(metrics.actualBoundingBoxDescent) + 1);
    cell.left = left * COLUMNS;
    cell.top = Math.max(-limit, -Math.ceil(metrics.actualBoundingBoxAscent) - 1);
    cell.width = Math.max(0, right - left) * COLUMNS;
    cell.height = Math.max(0, bottom - cell.top);
    return cell;
}

// Gives every cell its position on the sheet, row by row. Returns the size of the sheet.
function arrange(cells) {
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

function drawGlyphs(core, weight, codePoints) {
    const px = core.fontPx(), font = `${weight ? 600 : 400} ${px}px ${FAMILY}`;
    glyphSheet ||= document.createElement('canvas').getContext('2d', {willReadFrequently: true});
    glyphSheet.font = font;
    glyphSheet.fontKerning = 'none';
    const cells = codePoints.map(codePoint => measure(codePoint, px));
    const {width, height} = arrange(cells);
    Object.assign(glyphSheet.canvas, {width, height}); // which resets the font
    glyphSheet.font = font;
    glyphSheet.fontKerning = 'none';
    for (const cell of cells) {
        if (!cell.width) continue;
        glyphSheet.save();
        glyphSheet.beginPath();
        glyphSheet.rect(cell.x, cell.y, cell.width, cell.height);
        glyphSheet.clip();
        glyphSheet.setTransform(COLUMNS, 0, 0, 1, cell.x - cell.left, cell.y - cell.top);
        glyphSheet.fillText(cell.text, 0, 0);
        glyphSheet.restore();
    }
    const {data} = glyphSheet.getImageData(0, 0, width, height);
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

// Draws the glyphs that were missing in the last picture. Returns whether there were any: then the
// picture has to be painted again.
export function addGlyphs(core) {
    let any = false;
    for (const weight of [0, 1]) {
        const codePoints = [];
        for (let next; (next = core.missing(weight)); ) codePoints.push(next);
        if (codePoints.length) drawGlyphs(core, weight, codePoints);
        any ||= codePoints.length > 0;
    }
    return any;
}
