// component.js - <flamel-graph src="app.flm">: the viewer as an element of other people's pages, in a
// shadow root, so that neither style reaches the other. It is built with all files of the viewer into
// one flamel-graph.js (see the Makefile).

import {AFTER, BEFORE, startCore} from '../core.js';
import {loadModule, loadProfile, loadURL} from '../load.js';
import {make} from '../dom.js';
import {addStyle} from '../theme.js';
import {makeViewer} from '../viewer.js';

const HOST_STYLE = ':host{display:block;height:480px;contain:content}:host([hidden]){display:none}' +
    '.flamel-home{height:100%}';
const modules = new Map();

// One module for all elements that want the same: compiled once.
function sharedModule(url) {
    if (!modules.has(url)) modules.set(url, loadModule(url));
    return modules.get(url);
}

export class FlamelGraph extends HTMLElement {
    static observedAttributes = ['src', 'base', 'state'];
    #viewer = null;
    #starting = null;

    constructor() {
        super();
        this.attachShadow({mode: 'open', delegatesFocus: true});
        addStyle(this.shadowRoot, HOST_STYLE);
    }

    connectedCallback() {
        this.ready.catch(() => {});
    }

    // An element that is moved is connected again at once, and stays as it is.
    disconnectedCallback() {
        setTimeout(() => {
            if (this.isConnected || !this.#viewer) return;
            this.#viewer.close();
            this.#viewer = this.#starting = null;
            this.shadowRoot.replaceChildren();
        });
    }

    attributeChangedCallback(name, before, after) {
        if (before === after || !this.#viewer || after == null) return;
        if (name === 'state') this.#viewer.act(`restore ${after}`);
        else this.#load(name, after);
    }

    // Resolves when the viewer is there and has shown what its attributes name.
    get ready() {
        return this.#starting ||= this.#start().catch(error => {
            this.#tell('flamel-error', {message: error.message});
            throw error;
        });
    }

    async #start() {
        const home = make('div', {class: 'flamel-home'});
        this.shadowRoot.replaceChildren(home);
        const from = this.getAttribute('wasm') || new URL('flamel.wasm', import.meta.url).href;
        const module = await sharedModule(from);
        this.module = module;
        this.#viewer = makeViewer(home, await startCore(module), module, {keepsHash: false,
            tell: (name, detail) => this.#tell(name, detail)});
        for (const name of ['base', 'src'])
            if (this.hasAttribute(name)) await this.#load(name, this.getAttribute(name));
        if (!this.hasAttribute('src')) this.#viewer.settle();
        else if (this.hasAttribute('state')) this.#viewer.act(`restore ${this.getAttribute('state')}`);
    }

    #load(attribute, url) {
        const name = decodeURIComponent(new URL(url, document.baseURI).pathname.split('/').pop());
        return this.#viewer.take(options => loadURL(url, name || url, options), name || url,
            attribute === 'base' ? BEFORE : AFTER);
    }

    #tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, {detail, bubbles: true, composed: true}));
    }

    // A profile in any format that flamel reads. Resolves to whether it is shown; where it is not, the
    // element says why, and dispatches `flamel-error`.
    async open(source, name = source.name || 'profile', {base = false} = {}) {
        this.#starting ||= this.#start();
        await this.#starting;
        return this.#viewer.take(options => loadProfile(source, name, options), name,
            base ? BEFORE : AFTER);
    }

    // "zoom-in", "view top", "apply hide:libc.so.6". Returns null, or why it cannot be done.
    act(action) {
        return this.#viewer ? this.#viewer.view.tryAct(action) : 'the viewer has not started yet';
    }

    // A response of the core, parsed: query('detail'), query('top 0 20').
    query(text) {
        return this.#viewer ? this.#viewer.view.core.query(text) : null;
    }

    get state() {
        return this.#viewer ? this.#viewer.view.core.queryText('state').trim() : '';
    }

    set state(text) {
        this.setAttribute('state', text);
    }
}

if (!customElements.get('flamel-graph')) customElements.define('flamel-graph', FlamelGraph);
