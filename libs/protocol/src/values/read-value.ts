import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import type { FieldMeta } from '../records/span.js';
import { once } from './derived-node.js';
import { type Cut, readNotes, type TypeNote } from './notes.js';
import { pointerSteps, resolveRelative } from './pointer.js';
import type { Entry, ValueNode } from './value-node.js';

/** A recorded value in wire form. */
export interface RecordedValue {
  /** Absent if nothing was recorded, such as for a function that returned `undefined`. */
  readonly json?: JsonValue | undefined;
  readonly meta?: FieldMeta | undefined;
}

/** Combines the JSON and the notes of a recorded value into one tree. Never throws, even for invalid notes. */
export function readValue({ json, meta }: RecordedValue): ValueNode {
  if (json !== undefined) return new Reader(json, buildBranches(meta)).root();
  // The output is absent but noted as incomplete, so it was dropped.
  if (meta?.replayable === false)
    return { kind: 'opaque', className: 'Unrecorded', json: null, isPlain: false };
  return { kind: 'undefined', count: 1, isHole: false, json: null, isPlain: false };
}

/** Notes on one place. A place without a branch is plain JSON at all levels. */
interface Branch {
  readonly pointer: string;
  note: TypeNote | undefined;
  cut: Cut | undefined;
  isMasked: boolean;
  readonly branches: Map<string, Branch>;
  /** Created once, so that references share it. `reading`: detects references that only lead back to themselves. */
  node: ValueNode | 'reading' | undefined;
}

function buildBranches(meta: FieldMeta | undefined): Branch | undefined {
  const { types, cuts, masked } = readNotes(meta);
  const root = newBranch('');
  for (const [pointer, note] of types) {
    branchAt(root, pointer).note = note;
    const target = note.type === 'ref' ? resolveRelative(pointer, note.to) : undefined;
    // A branch at the target makes all references share one node.
    if (target !== undefined) branchAt(root, target);
  }
  for (const [pointer, cut] of cuts) branchAt(root, pointer).cut = cut;
  for (const pointer of masked) branchAt(root, pointer).isMasked = true;
  return isEmpty(root) ? undefined : root;
}

function newBranch(pointer: string): Branch {
  return {
    pointer,
    note: undefined,
    cut: undefined,
    isMasked: false,
    branches: new Map(),
    node: undefined,
  };
}

function branchAt(root: Branch, pointer: string): Branch {
  let branch = root;
  let end = 0;
  for (const step of pointerSteps(pointer)) {
    end = pointer.indexOf('/', end + 1);
    let next = branch.branches.get(step);
    if (next === undefined)
      branch.branches.set(step, (next = newBranch(end < 0 ? pointer : pointer.slice(0, end))));
    branch = next;
  }
  return branch;
}

function isEmpty({ note, cut, isMasked, branches }: Branch): boolean {
  return note === undefined && cut === undefined && !isMasked && branches.size === 0;
}

type ContainerNote = Extract<
  TypeNote,
  { type: 'Object' | 'null-prototype' | 'Array' | 'Map' | 'Set' | 'Error' | 'class' }
>;

class Reader {
  constructor(
    private readonly json: JsonValue,
    private readonly tree: Branch | undefined,
  ) {}

  root(): ValueNode {
    return this.read(this.json, this.tree);
  }

  private read(json: JsonValue, branch: Branch | undefined): ValueNode {
    if (branch === undefined) return this.untyped(json, undefined);
    if (branch.node === 'reading') return unknownNode(json);
    if (branch.node !== undefined) return branch.node;
    branch.node = 'reading';
    const { note } = branch;
    const type = note?.type === 'masked' ? note.of : undefined;
    const of =
      note === undefined || type !== undefined ? this.untyped(json, branch) : this.typed(note, json, branch);
    const isMasked = branch.isMasked || type !== undefined;
    return (branch.node = isMasked ? { kind: 'masked', of, type, json, isPlain: false } : of);
  }

  /** Reads JSON without its type note. */
  private untyped(json: JsonValue, branch: Branch | undefined): ValueNode {
    const isPlain = branch === undefined;
    const cut = branch?.cut;
    if (cut?.unit === 'depth') return { kind: 'deep', isArray: json === '[Array]', cut, json, isPlain };
    if (json === null) return { kind: 'null', json, isPlain };
    if (typeof json === 'boolean') return { kind: 'boolean', value: json, json, isPlain };
    if (typeof json === 'number') return { kind: 'number', value: json, json, isPlain };
    if (typeof json === 'string') return { kind: 'string', value: json, cut, json, isPlain };
    if (Array.isArray(json)) return { kind: 'array', items: this.items(json, branch), cut, json, isPlain };
    return { kind: 'object', hasPrototype: true, entries: this.entries(json, branch), cut, json, isPlain };
  }

  private typed(note: TypeNote, json: JsonValue, branch: Branch): ValueNode {
    const place = { json, isPlain: false } as const;
    const text = typeof json === 'string' ? json : undefined;
    const { cut } = branch;
    switch (note.type) {
      case 'undefined':
      case 'hole':
        return { kind: 'undefined', count: note.count, isHole: note.type === 'hole', ...place };
      case '-0':
        return { kind: 'number', value: -0, ...place };
      case 'number':
        return { kind: 'number', value: Number(json), ...place };
      case 'bigint': {
        const value = parseBigint(text);
        return value === undefined ? unknownNode(json) : { kind: 'bigint', value, ...place };
      }
      case 'Date': {
        const time = text === undefined ? NaN : Date.parse(text);
        return { kind: 'date', time, ...toExtension(note, cut), ...place };
      }
      case 'RegExp': {
        const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(text ?? '') ?? [];
        const { lastIndex } = note;
        return source === undefined || flags === undefined
          ? unknownNode(json)
          : { kind: 'regexp', source, flags, lastIndex, ...toExtension(note, cut), ...place };
      }
      case 'URL':
      case 'URLSearchParams': {
        const of = this.untyped(json, branch);
        return { kind: 'url', className: note.type, of, ...toExtension(note), ...place };
      }
      case 'bytes':
        if (text === undefined || note.isHead !== (cut !== undefined)) return unknownNode(json);
        return { kind: 'bytes', className: note.class, base64: text, cut, ...toExtension(note), ...place };
      case 'symbol':
        return 'key' in note
          ? { kind: 'symbol', name: note.key, isWellKnown: false, ...place }
          : { kind: 'symbol', name: note.wellKnown, isWellKnown: true, ...place };
      case 'AbortSignal':
        return {
          kind: 'signal',
          aborted: note.aborted,
          reason: note.reason,
          ...toExtension(note),
          ...place,
        };
      case 'boxed':
        return { kind: 'boxed', of: this.inner(note.of, json, branch), ...toExtension(note), ...place };
      case 'codec':
        return { kind: 'codec', name: note.name, of: this.inner(note.of, json, branch), ...place };
      case 'toJSON':
        return { kind: 'toJSON', className: note.class, of: this.inner(note.of, json, branch), ...place };
      case 'opaque':
        return { kind: 'opaque', className: note.class, ...place };
      case 'ref':
        return this.target(branch.pointer, note.to) ?? unknownNode(json);
      case 'unknown':
      case 'masked':
        return unknownNode(json);
      default:
        return this.container(note, json, branch);
    }
  }

  private container(note: ContainerNote, json: JsonValue, branch: Branch): ValueNode {
    const place = { cut: branch.cut, json, isPlain: false } as const;
    if (place.cut?.unit === 'depth') return this.untyped(json, branch);
    switch (note.type) {
      case 'Map': {
        const pairs = Array.isArray(json) ? this.pairs(json, branch) : undefined;
        return pairs === undefined
          ? unknownNode(json)
          : { kind: 'map', className: note.class, hidesState: note.hidden, pairs, ...place };
      }
      case 'Set': {
        if (!Array.isArray(json)) return unknownNode(json);
        const items = this.items(json, branch);
        return { kind: 'set', className: note.class, hidesState: note.hidden, items, ...place };
      }
      case 'Array':
        return Array.isArray(json)
          ? { kind: 'array', items: this.items(json, branch), ...toExtension(note), ...place }
          : unknownNode(json);
    }
    if (!isJsonObject(json)) return unknownNode(json);
    const entries = this.entries(json, branch);
    switch (note.type) {
      case 'Object':
      case 'null-prototype': {
        const { type, hidden: hidesState } = note;
        return { kind: 'object', hasPrototype: type === 'Object', hidesState, entries, ...place };
      }
      case 'Error':
        return { kind: 'error', className: note.class, hidesState: note.hidden, entries, ...place };
      case 'class': {
        const { class: className, methods: hasMethods, hidden: hidesState } = note;
        return {
          kind: 'class',
          className,
          hasMethods,
          hidesState,
          pointer: branch.pointer,
          entries,
          ...place,
        };
      }
    }
  }

  private inner(note: TypeNote | undefined, json: JsonValue, branch: Branch): ValueNode {
    return note === undefined ? this.untyped(json, branch) : this.typed(note, json, branch);
  }

  private target(from: string, relative: string): ValueNode | undefined {
    const pointer = resolveRelative(from, relative);
    let json: JsonValue | undefined = pointer === undefined ? undefined : this.json;
    let branch = this.tree;
    for (const step of pointerSteps(pointer ?? '')) {
      const holder: JsonValue | undefined = json;
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, step)) return undefined;
      json = (holder as JsonObject)[step];
      branch = branch?.branches.get(step);
    }
    return json === undefined ? undefined : this.read(json, branch);
  }

  private items(json: readonly JsonValue[], branch: Branch | undefined): () => readonly ValueNode[] {
    return once(() => json.map((item, i) => this.read(item, branch?.branches.get(String(i)))));
  }

  /** Includes `undefined` properties, which only the notes contain. */
  private entries(json: JsonObject, branch: Branch | undefined): () => readonly Entry[] {
    return once(() => {
      const entries = Object.entries(json).map(([key, value]): Entry => [
        key,
        this.read(value, branch?.branches.get(key)),
      ]);
      for (const [key, child] of branch?.branches ?? []) {
        if (child.note?.type === 'undefined' && !Object.hasOwn(json, key))
          entries.push([key, this.read(null, child)]);
      }
      return entries;
    });
  }

  /** @returns `undefined` if it is not a list of pairs, which a hook can cause */
  private pairs(
    json: readonly JsonValue[],
    branch: Branch,
  ): (() => readonly [ValueNode, ValueNode][]) | undefined {
    const isPair = (item: JsonValue, i: number): boolean =>
      Array.isArray(item) && item.length === 2 && branch.branches.get(String(i))?.isMasked !== true;
    if (!json.every(isPair)) return undefined;
    return once(() =>
      (json as [JsonValue, JsonValue][]).map(([key, value], i) => {
        const pair = branch.branches.get(String(i))?.branches;
        return [this.read(key, pair?.get('0')), this.read(value, pair?.get('1'))];
      }),
    );
  }
}

/** @param cut records made before the upgrade mark unrecorded properties of a Date or RegExp with a cut */
function toExtension(
  { subclass, hidden }: { readonly subclass: string | undefined; readonly hidden: boolean },
  cut?: Cut,
): { subclass: string | undefined; hidesState: boolean } {
  return { subclass, hidesState: hidden || cut !== undefined };
}

function unknownNode(json: JsonValue): ValueNode {
  return { kind: 'unknown', json, isPlain: false };
}

function parseBigint(text: string | undefined): bigint | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
}
