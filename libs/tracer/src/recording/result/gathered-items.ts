import type { WireCut } from '@dacapo/protocol';
import { type ByteString, decodeText } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import { mergeMeta, prefixMeta } from '../../capture/field-meta.js';
import type { FieldCapture } from '../field-capture.js';
import type { SpanDefinition } from '../span-definition.js';
import { EndsBuffer } from './ends-buffer.js';
import { ItemsHash } from './items-hash.js';

/** Bytes of items and their notes that are held: of a longer stream the first and the last. */
const KEPT_BYTES = 1024 * 1024;

/** The items that a stream yields, each captured when it passes, as one output. */
export class GatheredItems {
  /** Items that were added, those that are not kept included. */
  count = 0;

  private readonly isRecorded: boolean;
  private readonly ends = new EndsBuffer<Captured>(KEPT_BYTES);
  /** Of all items, once not all of them are kept. */
  private hash: ItemsHash | undefined;

  constructor(
    private readonly fields: FieldCapture,
    private readonly definition: Pick<SpanDefinition, 'captureOutput'>,
  ) {
    this.isRecorded = fields.recordsOutput(definition);
  }

  /**
   * @param isKept `false`: it only counts
   * @returns by how many bytes more is held than before
   */
  add(item: unknown, isKept = true): number {
    this.count++;
    if (!this.isRecorded) return 0;
    const captured = isKept ? this.fields.capture(item) : undefined;
    if (captured === undefined) {
      this.ends.skip();
      this.hash = new ItemsHash(undefined);
      return 0;
    }
    // The notes on many small items are larger than the items.
    const notes = captured.meta === undefined ? 0 : JSON.stringify(captured.meta).length;
    const size = captured.size + notes;
    if (this.hash === undefined && this.ends.isFullFor(size)) this.beginHash();
    this.hash?.add(captured);
    return this.ends.add(captured, size);
  }

  /** The list of items, or what `captureOutput` makes of it; `undefined` where outputs are not recorded. */
  output(): Captured | undefined {
    if (!this.isRecorded) return undefined;
    const { captureOutput } = this.definition;
    const { isCut, runs } = this.ends;
    const masked = runs.map(({ items, kept }) => this.fields.capturer.maskPieces(items, kept));
    const ends = runs.map(({ items, kept }, index) => masked[index] ?? items.slice(kept.from, kept.to));
    const items = ends.flat();
    const utf8 = `[${items.map((item) => item.utf8).join(',')}]` as ByteString;
    if (typeof captureOutput === 'function') {
      const answer = this.fields.captureOutput(this.definition, JSON.parse(decodeText(utf8)) as unknown);
      return isCut && answer !== undefined ? ofAPart(answer) : answer;
    }
    const notes = items.map(({ meta }, index) => prefixMeta(`/${index}`, meta));
    const [kept = 0, tail = 0] = ends.map(({ length }) => length);
    const cut = isCut ? { truncated: { '': this.cut(kept, tail) } } : undefined;
    const redacted = masked.some((some) => some !== undefined) ? { redacted: [''] } : undefined;
    return new Captured(
      utf8,
      mergeMeta([...notes, cut, redacted]),
      !isCut && items.every(({ replayable }) => replayable),
    );
  }

  private beginHash(): void {
    this.hash = new ItemsHash(this.fields.capturer.newKeyedHash());
    for (const item of this.ends.runs.flatMap(({ items }) => items)) this.hash.add(item);
  }

  private cut(kept: number, tail: number): WireCut {
    const hmac = this.hash?.digest();
    return { items: this.count, kept, ...(tail > 0 && { tail }), ...(hmac !== undefined && { hmac }) };
  }
}

/** What was made of a part of the items equals nothing for sure. */
function ofAPart({ utf8, meta }: Captured): Captured {
  const isPart = { types: { '': { type: 'opaque', class: 'Unrecorded' } as const } };
  return new Captured(utf8, mergeMeta([meta, isPart]), false);
}
