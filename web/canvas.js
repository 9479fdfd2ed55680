// canvas.js - the picture: passes pointer events to the core, and copies what the core paints to the
// canvas, at most once a frame and only when something changed.

import {POINTER} from './core.js';
import {addGlyphs} from './glyphs.js';
import {make} from './dom.js';

const LONG_PRESS_MS = 500, LONG_PRESS_PX = 10, LINE_PX = 16;

export function heldKeys(event) {
    return event.shiftKey | event.ctrlKey << 1 | event.altKey << 2 | event.metaKey << 3;
}

// The menu key and the long press of a finger give such an event, too; they are handled as keys and touches.
export function isRightClick(event) {
    return event.button === 2 || event.ctrlKey;
}

// `surface` covers the canvas and receives the pointer events: it is the tree for screen readers.
export function makeCanvas(view, surface) {
    const canvas = make('canvas', {'aria-hidden': 'true'});
    const stage = make('div', {class: 'stage'}, canvas, surface);
    const context = canvas.getContext('2d', {alpha: false});
    const {core} = view;
    let ready = false, scale = 1;
    let isPreparing = false;
    let copyMs = 0; // the time that copying the last picture took, for the overlay

    // Paints now, so that the next frame shows it. Where the picture is only wanted if it differs, as in a frame for
    // something else, the last one stays: copying 8 MB takes longer than what most frames are for.
    function paint(isWanted = true) {
        if (!ready || !isWanted && stage.dataset.settled === 'true' && core.isPainted()) return;
        const now = performance.now();
        let more = core.paint(now);
        if (addGlyphs(core)) more = core.paint(now);
        const painted = performance.now();
        context.putImageData(core.image(), 0, 0);
        copyMs = performance.now() - painted;
        const settled = String(!more);
        if (stage.dataset.settled !== settled) stage.dataset.settled = settled;
        if (more) view.requestFrame();
        prepare();
    }

    // What the next pictures need is made while the page is idle, a bit at a time: threads that scrolling
    // brings into the window.
    function prepare() {
        if (isPreparing) return;
        isPreparing = true;
        (globalThis.requestIdleCallback ?? setTimeout)(() => {
            isPreparing = false;
            if (core.prepare()) prepare();
        });
    }

    // Draws the glyphs that later pictures are likely to need: in a frame of a zoom they would be its longest
    // part, because the picture is then painted twice.
    function expectGlyphs() {
        core.expect();
        addGlyphs(core);
    }

    function resize(width, height) {
        scale = devicePixelRatio || 1;
        ready = width > 0 && height > 0;
        if (!ready) return;
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        core.resize(width, height, scale);
        view.hideTooltip(); // another frame is below the pointer, and its place follows from the size
        paint();
        view.changed(core.changes());
    }

    // The exact size in device pixels. On an emulated screen some browsers report CSS pixels here, so it is
    // used only where it agrees with the size of the element.
    const observer = new ResizeObserver(([entry]) => {
        const ratio = devicePixelRatio || 1, {width, height} = entry.contentRect;
        const exact = entry.devicePixelContentBoxSize?.[0];
        if (exact && Math.abs(exact.inlineSize - width * ratio) < 2)
            resize(exact.inlineSize, exact.blockSize);
        else resize(Math.round(width * ratio), Math.round(height * ratio));
    });
    try {
        observer.observe(stage, {box: 'device-pixel-content-box'});
    } catch {
        observer.observe(stage);
    }

    // ---- Pointers ---------------------------------------------------------------------------------

    const down = new Map();
    let pinch = null, pressTimer = 0;
    let isConsumed = false; // these touches are a pinch or were a long press: no click follows

    const positionOf = event => {
        const box = surface.getBoundingClientRect();
        return {x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale};
    };
    function pointer(kind, event) {
        const {x, y} = positionOf(event);
        const bits = core.pointer(kind, x, y, heldKeys(event), event.pointerType === 'touch',
            performance.now());
        if (kind === POINTER.move && down.size) view.movedByHand(bits);
        else view.changed(bits);
    }
    function pinchNow() {
        const [a, b] = down.values();
        return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2,
            apart: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y))};
    }

    surface.addEventListener('pointerdown', event => {
        if (event.pointerType !== 'touch' && event.button !== 0) return;
        surface.setPointerCapture(event.pointerId);
        down.set(event.pointerId, positionOf(event));
        clearTimeout(pressTimer);
        if (down.size === 2) {
            pointer(POINTER.leave, event);
            pinch = pinchNow();
            isConsumed = true;
        } else if (down.size === 1) {
            isConsumed = false;
            pointer(POINTER.down, event);
            if (event.pointerType === 'touch')
                pressTimer = setTimeout(() => {
                    isConsumed = true;
                    pointer(POINTER.menu, event);
                }, LONG_PRESS_MS);
        }
    });
    surface.addEventListener('pointermove', event => {
        const before = down.get(event.pointerId), now = positionOf(event);
        if (before && event.pointerType === 'touch') {
            if (Math.hypot(now.x - before.x, now.y - before.y) > LONG_PRESS_PX * scale)
                clearTimeout(pressTimer);
            if (down.size === 2 || !isConsumed) down.set(event.pointerId, now);
        }
        if (down.size === 2 && pinch) {
            const next = pinchNow();
            view.movedByHand(core.pinch(next.x, next.y, next.apart / pinch.apart, next.x - pinch.x,
                next.y - pinch.y, performance.now()));
            pinch = next;
        } else if (!isConsumed || !before) {
            pointer(POINTER.move, event);
        }
    });
    const release = event => {
        if (!down.delete(event.pointerId)) return;
        clearTimeout(pressTimer);
        pinch = null;
        view.clickedAt = performance.now();
        if (!isConsumed) pointer(event.type === 'pointerup' ? POINTER.up : POINTER.leave, event);
        if (event.pointerType === 'touch' && !down.size) pointer(POINTER.leave, event);
    };
    surface.addEventListener('pointerup', release);
    surface.addEventListener('pointercancel', release);
    surface.addEventListener('pointerleave', event => {
        if (event.pointerType !== 'touch' && !down.size) pointer(POINTER.leave, event);
    });
    surface.addEventListener('contextmenu', event => {
        event.preventDefault();
        if (!down.size && isRightClick(event)) pointer(POINTER.menu, event);
    });
    surface.addEventListener('wheel', event => {
        event.preventDefault();
        const {x, y} = positionOf(event);
        const unit = [1, LINE_PX, surface.clientHeight][event.deltaMode] * scale;
        view.movedByHand(core.wheel(x, y, event.deltaX * unit, event.deltaY * unit, heldKeys(event),
            performance.now()));
    }, {passive: false});

    const size = () => ({width: canvas.width / scale, height: canvas.height / scale, scale});
    return {element: stage, canvas, paint, expectGlyphs, size, copyMs: () => copyMs,
        close: () => observer.disconnect()};
}
