// Draws the graphs of a page when they come into view, and opens the navigation where there is room for it.
'use strict';

const flamelSite = (() => {
    const scripts = new Map(), taken = new Map();

    // A script of assets/, once.
    function load(name) {
        if (!scripts.has(name)) scripts.set(name, new Promise((resolve, reject) => {
            const script = document.createElement('script');
            script.src = `assets/${name}.js`;
            script.onload = resolve;
            script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
            document.head.append(script);
        }));
        return scripts.get(name);
    }

    // The bytes that such a script holds.
    async function bytesOf(script, name = script) {
        await load(script);
        const packed = Uint8Array.from(atob(taken.get(name)), letter => letter.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    let module = null;
    async function draw(container) {
        const { profile, name, act } = container.dataset;
        await load('flamel-graph');
        module ??= bytesOf('flamel-wasm', 'module').then(bytes => URL.createObjectURL(new Blob([bytes], { type: 'application/wasm' })));
        const graph = document.createElement('flamel-graph');
        graph.setAttribute('wasm', await module);
        container.replaceChildren(graph);
        await graph.ready;
        await graph.open(await bytesOf(profile), name);
        for (const action of act.split(' | ').filter(Boolean)) graph.act(action);
        container.dataset.drawn = 'true';
    }

    const seen = new IntersectionObserver(entries => {
        for (const { target } of entries.filter(entry => entry.isIntersecting)) {
            seen.unobserve(target);
            draw(target).catch(error => target.replaceChildren(Object.assign(document.createElement('p'), { textContent: error.message })));
        }
    }, { rootMargin: '200px' });
    for (const container of document.querySelectorAll('.graph')) seen.observe(container);

    const wide = matchMedia('(min-width: 1000px)'), pages = document.querySelector('nav details');
    const fit = () => { pages.open = wide.matches; };
    wide.addEventListener('change', fit);
    fit();
    const current = pages.querySelector('[aria-current]');
    if (wide.matches && current.offsetTop > innerHeight - 80) pages.parentElement.scrollTop = current.offsetTop - innerHeight / 2;
    return { take: (name, content) => taken.set(name, content), bytesOf };
})();
