// canvas.js - the picture: what a hand does goes to the core, what the core paints to the canvas, at
// most once a frame, and only when something changed.

import {POINTER} from './core.js';
import {addLetters} from './letters.js';
import {make} from './dom.js';

const LONG_PRESS_MS = 500, LONG_PRESS_PX = 10, LINE_PX = 16;

export function heldKeys(event) {
    return event.shiftKey | event.ctrlKey << 1 | event.altKey << 2 | event.metaKey << 3;
}

// `surface` lies over the canvas and takes what the hand does: the tree for screen readers.
export function makeCanvas(view, surface) {
    const canvas = make('canvas', {'aria-hidden': 'true'});
    const stage = make('div', {class: 'stage'}, canvas, surface);
    const context = canvas.getContext('2d', {alpha: false});
    const {core} = view;
    let ready = false, scale = 1;
    let copyMs = 0; // of the last picture, for the overlay

    // Paints at once; the frame that is shown next has it.
    function paint() {
        if (!ready) return;
        const now = performance.now();
        let more = core.paint(now);
        if (addLetters(core)) more = core.paint(now);
        const painted = performance.now();
        context.putImageData(core.image(), 0, 0);
        copyMs = performance.now() - painted;
        const settled = String(!more);
        if (stage.dataset.settled !== settled) stage.dataset.settled = settled;
        if (more) view.want();
    }

    function resize(width, height) {
        scale = devicePixelRatio || 1;
        ready = width > 0 && height > 0;
        if (!ready) return;
        if (canvas.width !== width) canvas.width = width;
        if (canvas.height !== height) canvas.height = height;
        core.resize(width, height, scale);
        paint();
        view.told(core.changes());
    }

    // The exact size in device pixels; of an emulated screen some browsers report CSS pixels.
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
    let pinch = null, pressTimer = 0, isPinched = false;

    const place = event => {
        const box = surface.getBoundingClientRect();
        return {x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale};
    };
    function pointer(kind, event) {
        const {x, y} = place(event);
        const bits = core.pointer(kind, x, y, heldKeys(event), event.pointerType === 'touch',
            performance.now());
        if (kind === POINTER.move && down.size) view.moved(bits);
        else view.told(bits);
    }
    function fingers() {
        const [a, b] = down.values();
        return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2,
            apart: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y))};
    }

    surface.addEventListener('pointerdown', event => {
        if (event.pointerType !== 'touch' && event.button !== 0) return;
        surface.setPointerCapture(event.pointerId);
        down.set(event.pointerId, place(event));
        clearTimeout(pressTimer);
        if (down.size === 2) {
            pointer(POINTER.leave, event);
            pinch = fingers();
            isPinched = true;
        } else if (down.size === 1) {
            isPinched = false;
            pointer(POINTER.down, event);
            if (event.pointerType === 'touch')
                pressTimer = setTimeout(() => {
                    isPinched = true;
                    pointer(POINTER.up, event);
                    view.showDetails();
                }, LONG_PRESS_MS);
        }
    });
    surface.addEventListener('pointermove', event => {
        const before = down.get(event.pointerId), now = place(event);
        if (before && event.pointerType === 'touch') {
            if (Math.hypot(now.x - before.x, now.y - before.y) > LONG_PRESS_PX * scale)
                clearTimeout(pressTimer);
            if (down.size === 2 || !isPinched) down.set(event.pointerId, now);
        }
        if (down.size === 2 && pinch) {
            const next = fingers();
            view.moved(core.pinch(next.x, next.y, next.apart / pinch.apart, next.x - pinch.x,
                next.y - pinch.y, performance.now()));
            pinch = next;
        } else if (!isPinched || !before) {
            pointer(POINTER.move, event);
        }
    });
    const release = event => {
        if (!down.delete(event.pointerId)) return;
        clearTimeout(pressTimer);
        pinch = null;
        view.clickedAt = performance.now();
        if (!isPinched) pointer(event.type === 'pointerup' ? POINTER.up : POINTER.leave, event);
        if (event.pointerType === 'touch' && !down.size) pointer(POINTER.leave, event);
    };
    surface.addEventListener('pointerup', release);
    surface.addEventListener('pointercancel', release);
    surface.addEventListener('pointerleave', event => {
        if (event.pointerType !== 'touch' && !down.size) pointer(POINTER.leave, event);
    });
    surface.addEventListener('contextmenu', event => {
        event.preventDefault();
        if (down.size) return;
        view.clickedAt = -Infinity;
        pointer(POINTER.down, event);
        pointer(POINTER.up, event);
        view.showDetails();
    });
    surface.addEventListener('wheel', event => {
        event.preventDefault();
        const {x, y} = place(event);
        const unit = [1, LINE_PX, surface.clientHeight][event.deltaMode] * scale;
        view.moved(core.wheel(x, y, event.deltaX * unit, event.deltaY * unit, heldKeys(event),
            performance.now()));
    }, {passive: false});

    const size = () => ({width: canvas.width / scale, height: canvas.height / scale, scale});
    return {element: stage, canvas, paint, size, copyMs: () => copyMs,
        close: () => observer.disconnect()};
}
