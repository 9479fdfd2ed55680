/** Bytes or text of a file. */
export type Content = string | Uint8Array | ArrayBuffer | ArrayBufferView;

/** Options of a command, by their long names: `{ rows: 10, 'no-times': true }`. */
export type Options = Record<string, string | number | boolean | string[] | null | undefined>;

export interface Answer {
    /** 0: done; 1: `gate` and `diff` have found something; 2: refused, `messages` says why; 3: inconclusive. */
    status: number;
    /** What was printed. */
    output: Uint8Array;
    /** What was printed as errors and remarks. */
    messages: string;
    /** The files there are afterward, by path. */
    files: Record<string, Uint8Array>;
}

/** `flamel WORDS`, with these files; none of the machine's are seen. */
export function run(words: Array<string | number>, system?: { files?: Record<string, Content>; input?: Content }): Answer;

/** What flamel refuses: its sentence, and its exit status. */
export class FlamelError extends Error {
    readonly status: number;
}

/** A stack in a flame graph: a row of `stacks` in tables(), with its frame. */
export interface Box {
    stack: number;
    /** 0: the outermost frame. */
    depth: number;
    x: number;
    width: number;
    total: number;
    function: string;
    module?: string;
    file?: string;
    line?: number;
    kind?: string;
}

/** A profile, which does not change. */
export class Profile {
    /** Any format that flamel reads, told by its content. Options: those of `flamel convert`. Throws FlamelError. */
    static read(content: Content, options?: Options & { name?: string }): Profile;

    /** A .flm file. */
    constructor(bytes: Uint8Array, name?: string);

    readonly name: string;
    /** What was said when it was read: what was dropped, and how much. */
    readonly messages?: string;
    /** A .flm file. */
    readonly bytes: Uint8Array;

    /** Operations: 'focus:parse | hide:module=libc.so.6'. */
    apply(expression: string): Profile;
    /** Metrics, sizes, notes: `flamel info --json`. */
    info(): any;
    /** The functions with the highest values: `flamel report --json`. */
    top(options?: Options): any;
    /** The call tree; with `function`, the tree of its callers: `flamel report --json --view tree`. */
    tree(options?: Options): any;
    /** Everything, as tables: docs/json.md. */
    tables(): any;
    /** The boxes of a flame graph that is `width` wide; those narrower than `least` are left out. */
    layout(options?: { width?: number; least?: number; metric?: number }): Box[];
    /** What has changed since `base`: `flamel diff --json`. */
    compare(base: Profile, options?: Options): any;
    /** The bytes of a format that flamel writes: 'pprof', 'speedscope', 'folded', 'html', 'flm'. */
    write(format: string, options?: Options): Uint8Array;
    /** A flame graph: SVG. Options: those of `flamel convert`: `{ width: 1200, title: 'app' }`. */
    draw(options?: Options): string;
}

/** One profile of all. */
export function merge(profiles: Profile[]): Profile;

/** Is it a regression? Runs before and after a change, with a verdict: `flamel gate --format json`. */
export function gate(base: Profile[], runs: Profile[], options?: Options): any;
