/** The selected frame, as the panel next to the picture shows it. */
export interface FlamelDetail {
    node: number;
    /** The name as shown, shortened. */
    title: string;
    /** The full name. */
    name: string;
    module?: string;
    file?: string;
    line?: number;
    kind?: string;
    values: Array<{
        name: string;
        unit: string;
        total: string;
        total_exact: string;
        self: string;
        self_exact: string;
        of_total: string;
        of_view: string;
        of_parent: string;
    }>;
    stack: Array<{ node: number; title: string }>;
}

export interface FlamelEventMap {
    /** A profile was opened. */
    'flamel-load': CustomEvent<{ name: string }>;
    /** A frame was selected; null: the selection was cleared. */
    'flamel-select': CustomEvent<FlamelDetail | null>;
    /** The view changed: its state as text, for `state`, a link, or storage. */
    'flamel-change': CustomEvent<{ state: string }>;
    /** The viewer could not start, or a profile not be fetched or read, or an action was refused. */
    'flamel-error': CustomEvent<{ message: string }>;
    /** The user asks for the source of a frame. A listener that shows it calls preventDefault(). */
    'flamel-source': CustomEvent<{ file: string; line?: number }>;
}

/** `<flamel-graph src="app.flm">` */
export class FlamelGraph extends HTMLElement {
    /** Resolves when the viewer has started and has loaded the profiles of its attributes. */
    readonly ready: Promise<void>;
    /** The view as text: zoom, view, transforms, searches, selection. */
    state: string;
    /** Opens a profile in any format that flamel.wasm reads; `base`: as the baseline. Resolves to whether it is shown. */
    open(
        source: Blob | ArrayBuffer | ArrayBufferView,
        name?: string,
        options?: { base?: boolean },
    ): Promise<boolean>;
    /** Performs "zoom-in", "view top", "apply hide:libc.so.6". Returns null, or the reason why it is refused. */
    act(action: string): string | null;
    /** Queries the core: "detail", "status", "top 0 20". */
    query<Response = unknown>(text: string): Response | null;

    addEventListener<Name extends keyof FlamelEventMap>(
        type: Name,
        listener: (this: FlamelGraph, event: FlamelEventMap[Name]) => void,
        options?: boolean | AddEventListenerOptions,
    ): void;
    addEventListener(
        type: string,
        listener: EventListenerOrEventListenerObject,
        options?: boolean | AddEventListenerOptions,
    ): void;
    removeEventListener<Name extends keyof FlamelEventMap>(
        type: Name,
        listener: (this: FlamelGraph, event: FlamelEventMap[Name]) => void,
        options?: boolean | EventListenerOptions,
    ): void;
    removeEventListener(
        type: string,
        listener: EventListenerOrEventListenerObject,
        options?: boolean | EventListenerOptions,
    ): void;
}

declare global {
    interface HTMLElementTagNameMap {
        'flamel-graph': FlamelGraph;
    }
}
