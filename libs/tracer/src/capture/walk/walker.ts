import { types } from 'node:util';
import type { ResolvedCaptureOptions } from '../capture-options.js';
import { OBJECT_FAMILIES } from '../types/object-families.js';
import { describeRareValue, type RareValue } from '../types/primitives.js';
import { undefinedRun } from './array-runs.js';
import { FieldText } from './field-text.js';
import type { KeyTable } from './key-table.js';
import { isObjectPrototype } from './own-data.js';
import type { Walk } from './walk.js';

/** On the first levels a container leaves a 32nd of the room to what comes after it. */
const SHARING_LEVELS = 3;
const NEIGHBOURS_SHIFT = 5;
const NEIGHBOURS_BYTES = 1024;
const BYTES_PER_CHARACTER = 3;
/** What values that stand in more than one place may take, all repetitions together. */
const REPEATED_BYTES = 64 * 1024;

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const GETTER: RareValue = { text: '[Getter]', note: { type: 'opaque', class: 'Getter' }, lost: true };

/** One pass over one value, writing its text and its notes. Reused: `open` before each, `close` after. */
export class Walker extends FieldText implements Walk {
  /** A name was met that calls for redaction. */
  metSuspectName = false;

  private readonly standIns = new Map<number, unknown>();
  private depth = 0;
  private repeated = 0;

  constructor(
    readonly options: ResolvedCaptureOptions,
    private readonly keys: KeyTable,
  ) {
    super(options.maxFieldBytes);
  }

  override close(): void {
    super.close();
    this.metSuspectName = false;
    this.depth = this.repeated = 0;
    if (this.standIns.size > 0) this.standIns.clear();
  }

  /** Writes what stands at `key` of the node `holder`; -1 holds the whole. */
  write(value: unknown, holder: number, key: string | number): void {
    switch (typeof value) {
      case 'string':
        this.writeString(value, holder, key);
        return;
      case 'number':
        this.writeNumber(value, holder, key);
        return;
      case 'boolean':
        this.out.ascii(value ? 'true' : 'false');
        return;
      case 'object':
        if (value === null) this.out.ascii('null');
        else this.writeObject(value, holder, key);
        return;
      case 'undefined':
        this.out.ascii('null');
        this.noteAt(holder, key, 'undefined');
        return;
      default:
        this.writeRare(describeRareValue(value), holder, key);
    }
  }

  list(values: Iterable<unknown>, total: number, node: number): void {
    let kept = 0;
    this.out.byte(OPEN_BRACKET);
    for (const value of values) {
      if (this.room <= 0) {
        this.cut(node, { items: total, kept });
        break;
      }
      if (kept > 0) this.out.byte(COMMA);
      this.write(value, node, kept++);
    }
    this.out.byte(CLOSE_BRACKET);
  }

  record(properties: Iterable<readonly [string, unknown]>, rest: object | undefined, node: number): void {
    const start = this.out.length;
    const written = new Set<string>();
    for (const [key, value] of properties) {
      written.add(key);
      this.property(key, value, node);
    }
    if (rest !== undefined) this.ownData(rest, node, written);
    this.embrace(start);
  }

  standIn(value: unknown, node: number): void {
    this.standIns.set(node, value);
    this.write(value, this.visited.holder(node), this.visited.key(node));
  }

  private writeObject(value: object, holder: number, key: string | number): void {
    const met = this.visited.find(value);
    if (met >= 0 && !(this.repeating && !this.visited.isOpen(met))) {
      this.writeAgain(value, met, holder, key);
      return;
    }
    const node = met >= 0 ? this.visited.reopen(met) : this.visited.add(value, holder, key);
    const { noted, repeating, depth, limit } = this;
    const { length } = this.out;
    const notes = this.notes.count;
    try {
      this.depth++;
      if (depth < SHARING_LEVELS) this.leaveToNeighbours();
      if (depth >= this.options.maxDepth) this.writeTooDeep(value, node);
      else if (met >= 0 && this.standIns.has(met)) this.write(this.standIns.get(met), holder, key);
      else this.writeParts(value, node);
    } catch {
      this.visited.forgetAfter(node);
      this.notes.rewind(notes);
      this.out.truncate(length);
      this.noted = noted;
      this.repeating = repeating;
      this.note(node, { type: 'opaque', class: 'Unreadable' });
      this.lost();
      this.label('Unreadable');
    }
    this.depth = depth;
    this.limit = limit;
    this.visited.close(node);
  }

  private leaveToNeighbours(): void {
    const { room } = this;
    if (room > 0) this.limit -= Math.max(room >> NEIGHBOURS_SHIFT, Math.min(NEIGHBOURS_BYTES, room >> 3));
  }

  private writeParts(value: object, node: number): void {
    if (Array.isArray(value)) {
      this.array(value, node);
      return;
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype) this.plainObject(value, node);
    else if (prototype === null) this.nullPrototypeObject(value, node);
    else if (isObjectPrototype(prototype)) this.plainObject(value, node);
    else OBJECT_FAMILIES.some((family) => family(value, node, this));
  }

  private nullPrototypeObject(value: object, node: number): void {
    if (types.isModuleNamespaceObject(value)) this.note(node, { type: 'opaque', class: 'Module' });
    else this.note(node, 'null-prototype');
    this.plainObject(value, node);
  }

  private plainObject(value: object, node: number): void {
    const start = this.out.length;
    this.ownData(value, node, undefined);
    this.embrace(start);
  }

  private array(value: readonly unknown[], node: number): void {
    const { length } = value;
    let kept = 0;
    this.out.byte(OPEN_BRACKET);
    for (let i = 0; i < length; i++) {
      if (this.room <= 0) {
        this.cut(node, { items: length, kept });
        break;
      }
      const item = value[i];
      if (kept > 0) this.out.byte(COMMA);
      if (item === undefined) i = this.run(value, i, node, kept++);
      else this.write(item, node, kept++);
    }
    this.out.byte(CLOSE_BRACKET);
  }

  /** @returns the last index of the run */
  private run(array: readonly unknown[], start: number, node: number, key: number): number {
    const { end, note } = undefinedRun(array, start);
    this.out.ascii('null');
    this.noteAt(node, key, note);
    return end - 1;
  }

  /** Own enumerable data, by descriptors: no getter runs. */
  private ownData(value: object, node: number, except: ReadonlySet<string> | undefined): void {
    let kept = 0;
    for (const key in value) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      if (descriptor === undefined || except?.has(key) === true) continue;
      if (this.room <= key.length * BYTES_PER_CHARACTER) {
        this.cut(node, { properties: Object.keys(value).length, kept });
        break;
      }
      if (descriptor.get === undefined) {
        this.property(key, descriptor.value, node);
      } else {
        this.key(key);
        this.writeRare(GETTER, node, key);
      }
      kept++;
    }
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
    if (this.keys.get(name).isSuspect) this.metSuspectName = true;
  }

  private key(key: string): void {
    const entry = this.keys.get(key);
    this.out.copy(entry.bytes, entry.isAscii);
    if (entry.isSuspect) this.metSuspectName = true;
  }

  /** Puts the properties written since `start` into braces: the first one's comma becomes the opening. */
  private embrace(start: number): void {
    const { out } = this;
    if (out.length === start) out.byte(OPEN_BRACE);
    else out.set(start, OPEN_BRACE);
    out.byte(CLOSE_BRACE);
  }

  private writeNumber(value: number, holder: number, key: string | number): void {
    if (Object.is(value, -0)) {
      this.out.ascii('0');
      this.noteAt(holder, key, '-0');
    } else if (Number.isFinite(value)) {
      this.out.number(value);
    } else {
      this.writeRare(describeRareValue(value), holder, key);
    }
  }

  /** An object that was met before: the same object when it is made again, and its text once more for the reader. */
  private writeAgain(value: object, met: number, holder: number, key: string | number): void {
    this.noteAt(holder, key, { type: 'ref', to: this.visited.pointer(met) });
    if (this.visited.isOpen(met)) {
      this.label('Circular');
      return;
    }
    const { limit, out } = this;
    const { length } = out;
    this.limit = Math.min(limit, length + this.noted + REPEATED_BYTES - this.repeated);
    if (!this.isRepeatedWhole(value, holder, key)) {
      out.truncate(length);
      this.label('Shared');
    }
    this.limit = limit;
  }

  private isRepeatedWhole(value: object, holder: number, key: string | number): boolean {
    const start = this.out.length;
    this.repeating = true;
    this.repetitionWasCut = false;
    this.writeObject(value, holder, key);
    this.repeating = false;
    this.repeated += this.out.length - start;
    return !this.repetitionWasCut;
  }

  private writeTooDeep(value: object, node: number): void {
    this.cut(node, { depth: this.options.maxDepth });
    this.label(Array.isArray(value) ? 'Array' : 'Object');
  }
}
