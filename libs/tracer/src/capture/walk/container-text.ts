import { isHeaderList } from '@dacapo/protocol';
import { types } from 'node:util';
import { UndefinedRuns } from './array-runs.js';
import { EndsText, type Sequence, type Written } from './ends-text.js';
import { type Secrets, SHORTEST_SECRET } from './field-text.js';
import { KEY_FLAGS, type KeyTable } from './key-table.js';
import type { RareValue } from './walk.js';

/** On the first levels, a container leaves 1/32 of the room to the values after it. */
const SHARING_LEVELS = 3;
const NEIGHBOURS_SHIFT = 5;
const NEIGHBOURS_BYTES = 1024;
const BYTES_PER_CHARACTER = 3;
/** Maximum number of properties to read from a Proxy, because each costs one or two calls of traps. Its names are read once. */
const PROXY_KEYS = 10_000;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

type Ask<R> = (this: object, key: string | number) => R;
/** Faster than `Object.hasOwn` inside `for … in`, where the engine already knows the result. */
const isOwn = Reflect.get(Object.prototype, 'hasOwnProperty') as Ask<boolean>;
/** Creates no property descriptor. Descriptors were a quarter of the memory that a recorded call allocated. */
const lookupGetter = Reflect.get(Object.prototype, '__lookupGetter__') as Ask<unknown>;

const GETTER: RareValue = { text: '[Getter]', note: { type: 'opaque', class: 'Getter' }, lost: true };

/** Writes arrays and objects of any content, up to the remaining room. */
export abstract class ContainerText extends EndsText {
  /** `KEY_FLAGS` of all property names so far. */
  metNames = 0;
  /** Depth of the next value. */
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

  /** Writes the value at `key` of the node `holder`; -1 is the parent of the root. */
  abstract write(value: unknown, holder: number, key: string | number): void;

  list(values: readonly unknown[], total: number, node: number): void {
    const { length } = values;
    this.out.byte(OPEN_BRACKET);
    const start = this.mark();
    const { end } = this.items(values, 0, length, node, 0);
    if (end < total) {
      const write: Sequence['write'] = (from, to, written, spare) =>
        this.items(values, from, to, node, written, spare);
      const isHole = (index: number): boolean => !(index in values);
      this.cutMiddle(
        { unit: 'items', length, total, isReadOnce: types.isProxy(values), isHole, write },
        end,
        node,
        start,
      );
    }
    this.out.byte(CLOSE_BRACKET);
  }

  pairs(keys: readonly unknown[], getValue: (key: unknown) => unknown, total: number, node: number): void {
    const { length } = keys;
    const write: Sequence['write'] = (from, to, written, spare = 0) => {
      let kept = written;
      for (let i = from; i < to; i++) {
        if (this.room <= spare) return { end: i, kept };
        if (kept > 0) this.out.byte(COMMA);
        this.pair(keys[i], getValue(keys[i]), this.visited.addUnseen(node, kept++));
      }
      return { end: to, kept };
    };
    this.depth++;
    this.out.byte(OPEN_BRACKET);
    const start = this.mark();
    const { end } = write(0, length, 0);
    if (end < total) this.cutMiddle({ unit: 'items', length, total, write }, end, node, start);
    this.depth--;
    this.out.byte(CLOSE_BRACKET);
  }

  private pair(key: unknown, value: unknown, node: number): void {
    if (typeof key === 'string') this.metNames |= this.keys.get(key).flags;
    this.out.byte(OPEN_BRACKET);
    this.write(key, node, 0);
    this.out.byte(COMMA);
    this.write(value, node, 1);
    this.out.byte(CLOSE_BRACKET);
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
    // Headers are lists of pairs, or of alternating names and values.
    if (length > 1 && typeof value[0] === 'string') {
      if (length === 2) this.metNames |= this.keys.get(value[0]).flags;
      else if (isHeaderList(value)) this.metNames |= KEY_FLAGS.suspect;
    }
    this.list(value, length, node);
  }

  /** See `Sequence`. */
  private items(
    value: readonly unknown[],
    from: number,
    to: number,
    node: number,
    written: number,
    spare = 0,
  ): Written {
    let kept = written;
    let runs: UndefinedRuns | undefined;
    for (let i = from; i < to; i++) {
      if (this.room <= spare) return { end: i, kept };
      if (kept > 0) this.out.byte(COMMA);
      if (lookupGetter.call(value, i) !== undefined) {
        this.writeRare(GETTER, node, kept++);
        continue;
      }
      const item = value[i];
      if (item === undefined) i = this.run((runs ??= new UndefinedRuns(value)), i, node, kept++);
      else this.write(item, node, kept++);
    }
    return { end: to, kept };
  }

  /** @returns the last index of the run */
  private run(runs: UndefinedRuns, start: number, node: number, key: number): number {
    const { end, note } = runs.from(start);
    this.out.ascii('null');
    this.noteAt(node, key, note);
    return end - 1;
  }

  /** Writes the own enumerable data of an object that is no Proxy and has a built-in prototype, so that no application code runs. */
  private plainData(value: object, node: number): void {
    const start = this.mark();
    let kept = 0;
    for (const key in value) {
      if (!isOwn.call(value, key)) continue;
      if (this.room <= key.length * BYTES_PER_CHARACTER) {
        this.cutMiddle(this.propertySequence(value, Object.keys(value), node), kept, node, start);
        return;
      }
      this.ownProperty(value, key, node);
      kept++;
    }
  }

  /** Writes own enumerable data by descriptors, so that no getter runs. */
  private ownData(value: object, node: number, except: ReadonlySet<string> | undefined): void {
    if (types.isProxy(value)) {
      this.proxyData(value, node);
      return;
    }
    const start = this.mark();
    const own = Object.keys(value);
    const keys = except === undefined ? own : own.filter((key) => !except.has(key));
    const properties = this.propertySequence(value, keys, node);
    const { end } = properties.write(0, keys.length, 0);
    if (end < keys.length) this.cutMiddle(properties, end, node, start);
  }

  private propertySequence(value: object, keys: readonly string[], node: number): Sequence {
    const { length } = keys;
    const write: Sequence['write'] = (from, to, written, spare = 0) => {
      for (let i = from; i < to; i++) {
        const key = keys[i] as string;
        if (this.room <= spare + key.length * BYTES_PER_CHARACTER)
          return { end: i, kept: written + i - from };
        this.ownProperty(value, key, node);
      }
      return { end: to, kept: written + to - from };
    };
    return { unit: 'properties', length, total: length, write };
  }

  private ownProperty(value: object, key: string, node: number): void {
    if (lookupGetter.call(value, key) === undefined)
      this.property(key, (value as Record<string, unknown>)[key], node);
    else this.getter(key, node);
  }

  private proxyData(value: object, node: number): void {
    const keys = Reflect.ownKeys(value).filter((key) => typeof key === 'string');
    let kept = 0;
    for (const [i, key] of keys.entries()) {
      if (this.room <= key.length * BYTES_PER_CHARACTER || i >= PROXY_KEYS) {
        this.cut(node, { properties: kept + keys.length - i, kept });
        return;
      }
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      if (descriptor?.enumerable !== true) continue;
      if (descriptor.get === undefined) this.property(key, descriptor.value, node);
      else this.getter(key, node);
      kept++;
    }
  }

  private getter(key: string, node: number): void {
    this.key(key);
    this.writeRare(GETTER, node, key);
  }

  private property(key: string, value: unknown, node: number): void {
    if (value === undefined) {
      this.noteAt(node, key, 'undefined');
      return;
    }
    const { out } = this;
    const start = out.length;
    const isClean = this.key(key);
    const isShort =
      typeof value === 'string'
        ? value.length < SHORTEST_SECRET
        : typeof value === 'number' || typeof value === 'boolean';
    if (isClean && !isShort) out.markClean(start);
    this.write(value, node, key);
    if (isClean && isShort) out.markClean(start);
  }

  meetsTextBytes(): void {
    this.metNames |= KEY_FLAGS.suspect;
  }

  /** Writes a property name. @returns whether the name is harmless: it contains no secret and indicates none */
  private key(key: string): boolean {
    const { bytes, flags } = this.keys.get(key);
    this.metNames |= flags;
    if (bytes === undefined) this.newKey(key);
    else this.out.copy(bytes);
    return flags === 0;
  }

  private newKey(key: string): void {
    const { out } = this;
    out.byte(COMMA);
    out.string(key, Infinity);
    out.byte(COLON);
  }

  /** Encloses the properties since `start` in braces. The comma before the first one becomes the opening brace. */
  private embrace(start: number): void {
    const { out } = this;
    if (out.length === start) out.byte(OPEN_BRACE);
    else out.set(start, OPEN_BRACE);
    out.byte(CLOSE_BRACE);
  }
}
