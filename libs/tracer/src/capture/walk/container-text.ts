import { isHeaderList, type WireHash } from '@dacapo/protocol';
import { types } from 'node:util';
import type { RareValue } from '../types/primitives.js';
import { UndefinedRuns } from './array-runs.js';
import { CUT_NOTE_BYTES, FieldText, type Mark, type Secrets } from './field-text.js';
import { KEY_FLAGS, type KeyTable } from './key-table.js';

/** On the first levels a container leaves a 32nd of the room to what comes after it. */
const SHARING_LEVELS = 3;
const NEIGHBOURS_SHIFT = 5;
const NEIGHBOURS_BYTES = 1024;
/** An item with a text that is begun with less room than this keeps little of it. */
const LEAST_ITEM = 1536;
const BYTES_PER_CHARACTER = 3;
/** Each takes a call of a trap or two: of a Proxy no more properties are read, and its traps are asked for names once. */
const PROXY_KEYS = 10_000;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

type Ask<R> = (this: object, key: string | number) => R;
/** Inside `for … in` the engine knows the answer; that of `Object.hasOwn` it looks up. */
const isOwn = Reflect.get(Object.prototype, 'hasOwnProperty') as Ask<boolean>;
/** Makes no object that describes the property: those were a quarter of what a recorded call allocated. */
const getterOf = Reflect.get(Object.prototype, '__lookupGetter__') as Ask<unknown>;

const GETTER: RareValue = { text: '[Getter]', note: { type: 'opaque', class: 'Getter' }, lost: true };

/** How arrays and objects are written, whatever they hold, as far as there is room. */
export abstract class ContainerText extends FieldText {
  /** Of the names that were met: `KEY_FLAGS`. */
  metNames = 0;
  /** How many containers the next value stands in. */
  protected depth = 0;

  constructor(
    maxFieldBytes: number,
    secrets: Secrets,
    private readonly keys: KeyTable,
  ) {
    super(maxFieldBytes, secrets);
  }

  override close(): void {
    super.close();
    this.metNames = 0;
    this.depth = 0;
  }

  /** Writes what stands at `key` of the node `holder`; -1 holds the whole. */
  abstract write(value: unknown, holder: number, key: string | number): void;

  /** Of the object that is being written, for the note on its cut. */
  protected abstract hashOfWhole(node: number): WireHash;

  list(values: Iterable<unknown>, total: number, node: number): void {
    let kept = 0;
    this.out.byte(OPEN_BRACKET);
    for (const value of values) {
      if (!this.beginItem(kept, total, node)) break;
      this.write(value, node, kept++);
    }
    this.out.byte(CLOSE_BRACKET);
  }

  pairs(pairs: Iterable<readonly [unknown, unknown]>, total: number, node: number): void {
    let kept = 0;
    this.depth++;
    this.out.byte(OPEN_BRACKET);
    for (const [first, second] of pairs) {
      if (!this.beginItem(kept, total, node)) break;
      const pair = this.visited.addUnseen(node, kept++);
      this.out.byte(OPEN_BRACKET);
      this.write(first, pair, 0);
      this.out.byte(COMMA);
      this.write(second, pair, 1);
      this.out.byte(CLOSE_BRACKET);
    }
    this.depth--;
    this.out.byte(CLOSE_BRACKET);
  }

  /** Whether there is room for one more; when there is none, says so. */
  private beginItem(kept: number, total: number, node: number): boolean {
    if (this.room <= 0) {
      this.cut(node, { items: total, kept, ...this.hashOfWhole(node) });
      return false;
    }
    if (kept > 0) this.out.byte(COMMA);
    return true;
  }

  record(
    properties: Iterable<readonly [string, unknown]>,
    rest: object | undefined,
    node: number,
    leftOut?: ReadonlySet<string>,
  ): void {
    const start = this.out.length;
    const written = new Set<string>(leftOut);
    for (const [key, value] of properties) {
      written.add(key);
      this.property(key, value, node);
    }
    if (rest !== undefined) this.ownData(rest, node, written);
    this.embrace(start);
  }

  protected leaveToNeighbours(depth: number): void {
    if (depth >= SHARING_LEVELS) return;
    const { room } = this;
    if (room > 0) this.limit -= Math.max(room >> NEIGHBOURS_SHIFT, Math.min(NEIGHBOURS_BYTES, room >> 3));
  }

  protected plainObject(value: object, node: number): void {
    const start = this.out.length;
    if (types.isProxy(value)) this.ownData(value, node, undefined);
    else this.plainData(value, node);
    this.embrace(start);
  }

  protected array(value: readonly unknown[], node: number): void {
    const { length } = value;
    // Headers are written as pairs, or names and values in turn.
    if (length > 1 && typeof value[0] === 'string') {
      if (length === 2) this.meetsName(value[0]);
      else if (isHeaderList(value)) this.metNames |= KEY_FLAGS.suspect;
    }
    this.out.byte(OPEN_BRACKET);
    const start = this.mark();
    const { end } = this.items(value, 0, length, node, 0);
    if (end < length) {
      // The traps of a Proxy run once.
      if (types.isProxy(value) || this.repeating) this.cut(node, { items: length, kept: end });
      else this.ends(value, node, start);
    }
    this.out.byte(CLOSE_BRACKET);
  }

  /** Writes items while there is room, more than what is to be spared. @returns the index after the last, and how many were written in all */
  private items(
    value: readonly unknown[],
    from: number,
    to: number,
    node: number,
    written: number,
    spare = 0,
  ): { end: number; kept: number } {
    let kept = written;
    let runs: UndefinedRuns | undefined;
    for (let i = from; i < to; i++) {
      if (this.room <= spare) return { end: i, kept };
      if (kept > 0) this.out.byte(COMMA);
      if (getterOf.call(value, i) !== undefined) {
        this.writeRare(GETTER, node, kept++);
        continue;
      }
      const item = value[i];
      if (item === undefined) i = this.run((runs ??= new UndefinedRuns(value)), i, node, kept++);
      else this.write(item, node, kept++);
    }
    return { end: to, kept };
  }

  /** Writes the first and the last items of an array that has no room: half of the room is for either. */
  private ends(value: readonly unknown[], node: number, start: Mark): void {
    const { length } = value;
    const { limit } = this;
    this.rewind(start);
    const half = Math.max(0, this.room >> 1);
    this.limit -= half;
    // Else a few last items would be stubs.
    const { end, kept } = this.items(value, 0, length, node, 0, Math.min(LEAST_ITEM, half >> 3));
    this.limit = limit - CUT_NOTE_BYTES;
    const from = this.startOfTail(value, end, node);
    const all = this.items(value, from, length, node, kept, -Infinity).kept;
    this.limit = limit;
    if (from > end)
      this.cut(node, {
        items: length,
        kept,
        ...(all > kept && { tail: all - kept }),
        ...this.hashOfWhole(node),
      });
  }

  /** From which index on the last items fit into what is left. Each is written to know its size; a last one that is too long is cut. */
  private startOfTail(value: readonly unknown[], end: number, node: number): number {
    let { room } = this;
    for (let i = value.length - 1; i >= end; i--) {
      const start = this.mark();
      if (i in value) this.items(value, i, i + 1, node, value.length, -Infinity);
      room -= this.sizeSince(start);
      this.rewind(start);
      if (room <= 0) return i === value.length - 1 ? i : i + 1;
    }
    return end;
  }

  /** @returns the last index of the run */
  private run(runs: UndefinedRuns, start: number, node: number, key: number): number {
    const { end, note } = runs.from(start);
    this.out.ascii('null');
    this.noteAt(node, key, note);
    return end - 1;
  }

  /** Own enumerable data of an object that is no Proxy, whose prototypes are the language's: no code of the host runs. */
  private plainData(value: object, node: number): void {
    let kept = 0;
    for (const key in value) {
      if (!isOwn.call(value, key)) continue;
      if (this.room <= key.length * BYTES_PER_CHARACTER) {
        const keys = Object.keys(value);
        this.cutProperties(node, kept, keys.length - keys.indexOf(key));
        return;
      }
      if (getterOf.call(value, key) === undefined)
        this.property(key, (value as Record<string, unknown>)[key], node);
      else this.getter(key, node);
      kept++;
    }
  }

  /** Own enumerable data, by descriptors: no getter runs. */
  private ownData(value: object, node: number, except: ReadonlySet<string> | undefined): void {
    const isProxy = types.isProxy(value);
    const keys = isProxy
      ? Reflect.ownKeys(value).filter((key) => typeof key === 'string')
      : Object.keys(value);
    const { length } = keys;
    let kept = 0;
    for (let i = 0; i < length; i++) {
      const key = keys[i] as string;
      if (this.room <= key.length * BYTES_PER_CHARACTER || (isProxy && i >= PROXY_KEYS)) {
        this.cutProperties(node, kept, length - i);
        return;
      }
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      if (descriptor === undefined || (isProxy && !descriptor.enumerable) || except?.has(key) === true)
        continue;
      if (descriptor.get === undefined) this.property(key, descriptor.value, node);
      else this.getter(key, node);
      kept++;
    }
  }

  private getter(key: string, node: number): void {
    this.key(key);
    this.writeRare(GETTER, node, key);
  }

  private cutProperties(node: number, kept: number, left: number): void {
    this.cut(node, { properties: kept + left, kept, ...this.hashOfWhole(node) });
  }

  private property(key: string, value: unknown, node: number): void {
    if (value === undefined) {
      this.noteAt(node, key, 'undefined');
    } else {
      this.key(key);
      this.write(value, node, key);
    }
  }

  meetsName(name: string): void {
    this.metNames |= this.keys.get(name).flags;
  }

  meetsTextBytes(): void {
    this.metNames |= KEY_FLAGS.suspect;
  }

  private key(key: string): void {
    const { bytes, flags } = this.keys.get(key);
    this.metNames |= flags;
    if (bytes === undefined) this.newKey(key);
    else this.out.copy(bytes);
  }

  private newKey(key: string): void {
    const { out } = this;
    out.byte(COMMA);
    out.string(key, Infinity);
    out.byte(COLON);
  }

  /** Puts the properties written since `start` into braces: the first one's comma becomes the opening. */
  private embrace(start: number): void {
    const { out } = this;
    if (out.length === start) out.byte(OPEN_BRACE);
    else out.set(start, OPEN_BRACE);
    out.byte(CLOSE_BRACE);
  }
}
