import { types } from 'node:util';
import type { ResolvedCaptureOptions } from '../capture-options.js';
import { OBJECT_FAMILIES } from '../types/object-families.js';
import { describeRareValue, type RareValue } from '../types/primitives.js';
import { undefinedRun } from './array-runs.js';
import { BoundedText } from './bounded-text.js';
import type { KeyTable } from './key-table.js';
import { isObjectPrototype } from './own-data.js';
import { isPlainAscii } from './quote.js';
import type { Walk } from './walk.js';

/** What values that stand in more than one place may take, all repetitions together. */
const REPEATED_CHARACTERS = 64 * 1024;

const GETTER: RareValue = { json: '"[Getter]"', note: { type: 'opaque', class: 'Getter' }, lost: true };

/** One pass over one value, writing its text and its notes. Reused: `reset` before each. */
export class Walker extends BoundedText implements Walk {
  /** A property was met whose name says that its value is secret. */
  metSecretKey = false;

  private readonly standIns = new Map<number, unknown>();
  private depth = 0;
  private repeated = 0;

  constructor(
    readonly options: ResolvedCaptureOptions,
    private readonly keys: KeyTable,
  ) {
    super(options.maxFieldBytes);
  }

  override reset(): void {
    super.reset();
    this.metSecretKey = false;
    this.depth = this.repeated = 0;
    if (this.standIns.size > 0) this.standIns.clear();
  }

  /** Writes what stands at `key` of the node `holder`; -1 holds the whole. */
  write(value: unknown, holder: number, key: string | number): void {
    switch (typeof value) {
      case 'string':
        if (isPlainAscii(value)) this.text += `"${value}"`;
        else this.appendString(value, () => this.pointerAt(holder, key));
        return;
      case 'number':
        if (Number.isFinite(value) && !Object.is(value, -0)) this.text += String(value);
        else this.appendRare(describeRareValue(value), holder, key);
        return;
      case 'boolean':
        this.text += value ? 'true' : 'false';
        return;
      case 'object':
        if (value === null) this.text += 'null';
        else this.writeObject(value, holder, key);
        return;
      default:
        this.appendRare(describeRareValue(value), holder, key);
    }
  }

  list(values: Iterable<unknown>, total: number, node: number): void {
    let kept = 0;
    this.text += '[';
    for (const value of values) {
      if (this.room <= 0) {
        this.cut(node, { items: total, kept });
        break;
      }
      if (kept > 0) this.text += ',';
      this.write(value, node, kept++);
    }
    this.text += ']';
  }

  record(properties: Iterable<readonly [string, unknown]>, rest: object | undefined, node: number): void {
    const written = new Set<string>();
    for (const [key, value] of properties) {
      if (value === undefined) continue;
      this.beginProperty(key, written.size === 0);
      this.write(value, node, key);
      written.add(key);
    }
    if (rest === undefined) this.text += written.size > 0 ? '}' : '{}';
    else this.ownData(rest, node, written);
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
    const node = met >= 0 ? met : this.visited.add(value, holder, key);
    const { text, beyond, repeating, depth, limit } = this;
    const notes = this.notes.count;
    this.visited.setOpen(node, true);
    try {
      this.depth++;
      if (depth >= this.options.maxDepth) this.writeTooDeep(value, node);
      else if (met >= 0 && this.standIns.has(met)) this.write(this.standIns.get(met), holder, key);
      else this.writeParts(value, node);
    } catch {
      this.visited.forgetAfter(node);
      this.notes.rewind(notes);
      this.text = text;
      this.beyond = beyond;
      this.repeating = repeating;
      this.limit = limit;
      this.note(node, { type: 'opaque', class: 'Unreadable' });
      this.lost();
      this.text += '"[Unreadable]"';
    }
    this.depth = depth;
    this.visited.setOpen(node, false);
  }

  private writeParts(value: object, node: number): void {
    if (Array.isArray(value)) {
      this.array(value, node);
      return;
    }
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype) {
      this.ownData(value, node, undefined);
    } else if (prototype === null) {
      this.note(
        node,
        types.isModuleNamespaceObject(value) ? { type: 'opaque', class: 'Module' } : 'null-prototype',
      );
      this.ownData(value, node, undefined);
    } else if (isObjectPrototype(prototype) && !isExotic(value)) {
      this.ownData(value, node, undefined);
    } else {
      OBJECT_FAMILIES.some((family) => family(value, node, this));
    }
  }

  private array(value: readonly unknown[], node: number): void {
    const { length } = value;
    let kept = 0;
    this.text += '[';
    for (let i = 0; i < length; i++) {
      if (this.room <= 0) {
        this.cut(node, { items: length, kept });
        break;
      }
      const item = value[i];
      if (kept > 0) this.text += ',';
      if (item === undefined) {
        const run = undefinedRun(value, i);
        this.appendRare({ json: 'null', note: run.note, lost: false }, node, kept++);
        i = run.end - 1;
      } else {
        this.write(item, node, kept++);
      }
    }
    this.text += ']';
  }

  /** Own enumerable data, by descriptors: no getter runs. */
  private ownData(value: object, node: number, written: ReadonlySet<string> | undefined): void {
    let isFirst = written === undefined || written.size === 0;
    let kept = 0;
    for (const key in value) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      if (descriptor === undefined || written?.has(key) === true) continue;
      if (this.room <= key.length * 3) {
        this.cut(node, { properties: Object.keys(value).length, kept });
        break;
      }
      const item: unknown = descriptor.value;
      if (item !== undefined) {
        this.beginProperty(key, isFirst);
        this.write(item, node, key);
        isFirst = false;
      } else if (descriptor.get === undefined) {
        this.noteUndefined(node, key);
      } else {
        this.beginProperty(key, isFirst);
        this.appendRare(GETTER, node, key);
        isFirst = false;
      }
      kept++;
    }
    this.text += isFirst ? '{}' : '}';
  }

  private beginProperty(key: string, isFirst: boolean): void {
    const entry = this.keys.get(key);
    this.text += isFirst ? entry.first : entry.next;
    this.beyond += entry.wide;
    if (entry.secret) this.metSecretKey = true;
  }

  private noteUndefined(node: number, key: string): void {
    if (!this.repeating) this.beyond += this.notes.addType(this.pointerAt(node, key), 'undefined');
  }

  /** An object that was met before: the same object when it is made again, and its text once more for the reader. */
  private writeAgain(value: object, met: number, holder: number, key: string | number): void {
    if (!this.repeating) {
      const ref = this.visited.pointer(met);
      this.beyond += this.notes.addType(this.pointerAt(holder, key), { type: 'ref', to: ref });
    }
    if (this.visited.isOpen(met)) {
      this.text += '"[Circular]"';
      return;
    }
    const { text, beyond, limit } = this;
    this.limit = Math.min(limit, text.length + beyond + REPEATED_CHARACTERS - this.repeated);
    if (!this.isRepeatedWhole(value, holder, key)) {
      this.text = `${text}"[Shared]"`;
      this.beyond = beyond;
    }
    this.limit = limit;
  }

  private isRepeatedWhole(value: object, holder: number, key: string | number): boolean {
    const start = this.text.length;
    this.repeating = true;
    this.repetitionWasCut = false;
    this.writeObject(value, holder, key);
    this.repeating = false;
    this.repeated += this.text.length - start;
    return !this.repetitionWasCut;
  }

  private writeTooDeep(value: object, node: number): void {
    this.cut(node, { depth: this.options.maxDepth });
    this.text += Array.isArray(value) ? '"[Array]"' : '"[Object]"';
  }
}

/** Objects of another realm whose class hides its prototype, such as an arguments object, are told by their slots. */
function isExotic(value: object): boolean {
  return types.isExternal(value) || types.isNativeError(value);
}
