import { isJsonObject, type JsonObject, type JsonValue, pointerSteps } from '@dacapo/protocol';
import type { Codec } from '../codec.js';
import { reviveBytes } from './bytes.js';
import { fillError, newError } from './errors.js';
import type { NoteTree } from './note-tree.js';
import { reviveText, textOf } from './values.js';

/** One value on its way back. */
export class Reviver {
  /** What stands for the object of a class, by its note. */
  readonly instances = new Map<JsonObject, object>();
  private readonly made = new Map<NoteTree, unknown>();
  private readonly open = new Set<NoteTree>();

  constructor(
    private readonly root: JsonValue,
    private readonly tree: NoteTree,
    private readonly codecs: readonly Codec[],
  ) {}

  revive(json: JsonValue, tree: NoteTree | undefined): unknown {
    if (tree === undefined) return json;
    if (this.made.has(tree)) return this.made.get(tree);
    if (this.open.has(tree)) return json;
    this.open.add(tree);
    const value = this.reviveNoted(tree.note, json, tree);
    this.open.delete(tree);
    this.made.set(tree, value);
    return value;
  }

  private reviveNoted(note: JsonValue | undefined, json: JsonValue, tree: NoteTree): unknown {
    try {
      if (tree.sameAs !== undefined) return this.reviveAt(tree.sameAs);
      if (typeof note === 'string') return this.reviveType(note, {}, json, tree);
      if (isJsonNote(note)) return this.reviveType(note.type, note, json, tree);
      return this.reviveContainer(json, tree);
    } catch {
      return json;
    }
  }

  private reviveType(type: string, note: JsonObject, json: JsonValue, tree: NoteTree): unknown {
    switch (type) {
      case 'Map':
        return this.reviveMap(json, tree);
      case 'Set':
        return this.reviveSet(json, tree);
      case 'Error':
        return this.reviveError(note, json, tree);
      case 'boxed':
        return Object(this.reviveNoted(note['of'], json, tree));
      case 'class': {
        const data = this.reviveContainer(json, tree);
        if (typeof data === 'object' && data !== null) this.instances.set(note, data);
        return data;
      }
      case 'codec':
        return this.decode(note, json, tree);
      case 'null-prototype':
        return this.fill(Object.create(null) as object, json, tree);
      case 'symbol':
        return reviveSymbol(note);
      case 'AbortSignal':
        return note['aborted'] === true ? AbortSignal.abort() : new AbortController().signal;
      case 'RegExp': {
        const pattern = reviveText(type, json)?.value as RegExp;
        pattern.lastIndex = Number(note['lastIndex'] ?? 0);
        return pattern;
      }
      case 'toJSON':
        return this.reviveNoted(note['of'], json, tree);
    }
    const text = reviveText(type, json);
    if (text !== undefined) return text.value;
    return reviveBytes(type, textOf(json)) ?? this.reviveContainer(json, tree);
  }

  /** What stands at a pointer into the whole. */
  private reviveAt(pointer: string): unknown {
    let json: JsonValue | undefined = this.root;
    let tree: NoteTree | undefined = this.tree;
    for (const step of pointerSteps(pointer)) {
      json =
        json === null || typeof json !== 'object' || !Object.hasOwn(json, step)
          ? undefined
          : (json as JsonObject)[step];
      tree = tree?.branches.get(step);
    }
    return json === undefined ? undefined : this.revive(json, tree);
  }

  private reviveContainer(json: JsonValue, tree: NoteTree): unknown {
    if (tree.branches.size === 0) return json;
    if (Array.isArray(json)) return this.reviveArray(json, tree);
    return isJsonObject(json) ? this.fill({}, json, tree) : json;
  }

  private reviveArray(json: readonly JsonValue[], tree: NoteTree): unknown[] {
    const array: unknown[] = [];
    this.made.set(tree, array);
    for (const [i, item] of json.entries()) {
      const branch = tree.branches.get(String(i));
      const run = runOf(branch?.note);
      if (run === undefined) array.push(this.revive(item, branch));
      else if (run.type === 'hole') array.length += run.count;
      else for (let count = run.count; count > 0; count--) array.push(undefined);
    }
    return array;
  }

  private fill(object: object, json: JsonValue, tree: NoteTree): object {
    this.made.set(tree, object);
    for (const [key, value] of this.properties(json, tree)) {
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return object;
  }

  /** With those that are only in the notes: `undefined` has no place in a JSON object. */
  private *properties(json: JsonValue, tree: NoteTree): Iterable<[string, unknown]> {
    if (!isJsonObject(json)) return;
    for (const [key, value] of Object.entries(json)) yield [key, this.revive(value, tree.branches.get(key))];
    for (const [key, branch] of tree.branches) {
      if (branch.note === 'undefined' && !Object.hasOwn(json, key)) yield [key, undefined];
    }
  }

  private reviveMap(json: JsonValue, tree: NoteTree): Map<unknown, unknown> {
    const map = new Map<unknown, unknown>();
    this.made.set(tree, map);
    for (const pair of this.items(json, tree)) {
      const [key, value] = pair as [unknown, unknown];
      map.set(key, value);
    }
    return map;
  }

  private reviveSet(json: JsonValue, tree: NoteTree): Set<unknown> {
    const set = new Set<unknown>();
    this.made.set(tree, set);
    for (const item of this.items(json, tree)) set.add(item);
    return set;
  }

  private *items(json: JsonValue, tree: NoteTree): Iterable<unknown> {
    if (!Array.isArray(json)) return;
    for (const [i, item] of json.entries()) yield this.revive(item, tree.branches.get(String(i)));
  }

  private reviveError(note: JsonObject, json: JsonValue, tree: NoteTree): Error {
    const error = newError(note['class']);
    this.made.set(tree, error);
    fillError(error, this.properties(json, tree));
    return error;
  }

  private decode(note: JsonObject, json: JsonValue, tree: NoteTree): unknown {
    const encoded = this.reviveNoted(note['of'], json, tree);
    const codec = this.codecs.find(({ name }) => name === note['name']);
    return codec === undefined ? encoded : codec.decode(encoded);
  }
}

function isJsonNote(note: JsonValue | undefined): note is JsonObject & { type: string } {
  return note !== undefined && isJsonObject(note) && typeof note['type'] === 'string';
}

function runOf(note: JsonValue | undefined): { type: string; count: number } | undefined {
  if (note === 'hole') return { type: note, count: 1 };
  if (!isJsonNote(note) || typeof note['count'] !== 'number') return undefined;
  return { type: note.type, count: note['count'] };
}

function reviveSymbol(note: JsonObject): unknown {
  if (typeof note['key'] === 'string') return Symbol.for(note['key']);
  return typeof note['wellKnown'] === 'string' ? Reflect.get(Symbol, note['wellKnown']) : undefined;
}
