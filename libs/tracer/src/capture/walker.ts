import { types } from 'node:util';
import type { ResolvedCaptureOptions } from '../options/capture-options.js';
import { extended, describeExtension } from './types/extension.js';
import { OBJECT_FAMILIES } from './types/object-families.js';
import { describeRareValue } from './types/primitives.js';
import { ContainerText } from './walk/container-text.js';
import type { KeyTable } from './walk/key-table.js';
import type { Secrets } from './walk/field-text.js';
import { isObjectPrototype, relativePointer, type WireHash } from '@dacapo/protocol';
import type { StandIn, StandIns, Walk } from './walk/walk.js';

/** Returns the hash of a cut object, if it has one. */
export interface WholeHash {
  of(value: object): WireHash;
  /** For the next field. */
  reset(): void;
}

/** Size limit of values that occur in several places, for all repetitions together. */
const REPEATED_BYTES = 64 * 1024;

/** One pass over one value, writing its text and its notes. Reused: `open` before each, `close` after. */
export class Walker extends ContainerText implements Walk {
  private repeated = 0;
  /** Whether an object was replaced by `toJSON` or a codec, or a whole value was hashed. */
  private hasStandIns = false;

  constructor(
    readonly options: ResolvedCaptureOptions,
    keys: KeyTable,
    private readonly standIns: StandIns,
    secrets: Secrets,
    private readonly wholeHash?: WholeHash,
  ) {
    super(options.maxFieldBytes, secrets, keys);
  }

  override close(): void {
    super.close();
    this.repeated = 0;
    if (this.hasStandIns) this.wholeHash?.reset();
    this.hasStandIns = false;
  }

  override write(value: unknown, holder: number, key: string | number): void {
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

  findStandIn(value: object, by: keyof StandIns, make: () => StandIn | undefined): StandIn | undefined {
    this.hasStandIns = true;
    const known = this.standIns[by];
    if (known.has(value)) return known.get(value);
    const made = make();
    known.set(value, made);
    return made;
  }

  standIn({ value, note }: StandIn, node: number): void {
    const { methodsLost } = this;
    this.note(node, note);
    this.write(value, this.visited.holder(node), this.visited.key(node));
    // A codec reads the value before anyone can restore its methods.
    if (this.methodsLost > methodsLost) this.rebuildable = false;
  }

  private writeObject(value: object, holder: number, key: string | number): void {
    const met = this.visited.find(value);
    if (met >= 0 && !(this.repeating && !this.visited.isOpen(met))) {
      this.writeAgain(value, met, holder, key);
      return;
    }
    const node = met >= 0 ? this.visited.reopen(met) : this.visited.add(value, holder, key);
    const { repeating, depth, limit } = this;
    const start = this.mark();
    try {
      this.depth++;
      this.leaveToNeighbours(depth);
      if (depth >= this.options.maxDepth) this.writeTooDeep(value, node);
      else this.writeParts(value, node);
    } catch {
      this.rewind(start);
      this.repeating = repeating;
      this.note(node, { type: 'opaque', class: 'Unreadable' });
      this.lost();
      this.label('Unreadable');
    }
    this.depth = depth;
    this.limit = limit;
    this.visited.close(node);
  }

  protected writeParts(value: object, node: number): void {
    if (Array.isArray(value)) {
      if (Reflect.getPrototypeOf(value) !== Array.prototype) this.noteArrayClass(value, node);
      this.array(value, node);
      return;
    }
    const prototype = Reflect.getPrototypeOf(value);
    if (prototype === Object.prototype) this.plainObject(value, node);
    else if (prototype === null) this.nullPrototypeObject(value, node);
    else if (isObjectPrototype(prototype)) this.plainObject(value, node);
    else OBJECT_FAMILIES.some((family) => family(value, node, this));
  }

  /** Notes the class of an array of another realm, of a subclass, or without a prototype. */
  private noteArrayClass(value: readonly unknown[], node: number): void {
    if (Reflect.getPrototypeOf(value) === null) {
      this.note(node, { type: 'Array', class: '' });
      this.lost();
      return;
    }
    const note = extended('Array', describeExtension(value, 'Array', this));
    if (note !== 'Array') this.note(node, note);
  }

  private nullPrototypeObject(value: object, node: number): void {
    if (types.isExternal(value)) {
      this.note(node, { type: 'opaque', class: 'External' });
      this.lost();
      this.label('External');
      return;
    }
    if (types.isModuleNamespaceObject(value)) this.note(node, { type: 'opaque', class: 'Module' });
    else this.note(node, 'null-prototype');
    this.plainObject(value, node);
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

  /** Writes an object that was visited before: a note makes it the same object when it is restored, and its text is repeated for readers. */
  private writeAgain(value: object, met: number, holder: number, key: string | number): void {
    this.noteAt(holder, key, {
      type: 'ref',
      to: relativePointer(this.pointerAt(holder, key), this.visited.pointer(met)),
    });
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

  protected override hashWhole(node: number): WireHash {
    this.hasStandIns = true;
    const value = this.repeating ? undefined : this.visited.object(node);
    return (value && this.wholeHash?.of(value)) ?? {};
  }

  private writeTooDeep(value: object, node: number): void {
    this.cut(node, { depth: this.options.maxDepth, ...this.hashWhole(node) });
    this.label(Array.isArray(value) ? 'Array' : 'Object');
  }
}
