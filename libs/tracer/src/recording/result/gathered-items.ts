import { type ByteString, decodeText } from '../../byte-string.js';
import { Captured } from '../../capture/captured.js';
import { mergeMeta, prefixMeta } from '../../capture/field-meta.js';
import type { FieldCapture } from '../field-capture.js';
import type { SpanDefinition } from '../span-definition.js';

type Notes = NonNullable<Captured['meta']>;

/** Bytes of items and their notes that are kept. Later items only count. */
const KEPT_BYTES = 1024 * 1024;

/** The items that a stream yields, each captured when it passes, as one output. */
export class GatheredItems {
  /** Items that were added, those that are not kept included. */
  count = 0;

  private readonly isRecorded: boolean;
  private readonly items: ByteString[] = [];
  private readonly notes: (Notes | undefined)[] = [];
  private size = 0;
  private replayable = true;
  private cut = false;

  constructor(
    private readonly fields: FieldCapture,
    private readonly definition: Pick<SpanDefinition, 'captureOutput'>,
  ) {
    this.isRecorded = fields.recordsOutput(definition);
  }

  /**
   * @param isKept `false`: it only counts
   * @returns bytes that are held for it
   */
  add(item: unknown, isKept = true): number {
    const index = this.count++;
    this.cut ||= this.size > KEPT_BYTES || !isKept;
    if (this.cut || !this.isRecorded) return 0;
    const captured = this.fields.capture(item);
    if (captured === undefined) return 0;
    const notes = prefixMeta(`/${index}`, captured.meta);
    // The notes on many small items are larger than the items.
    const size = captured.size + (notes === undefined ? 0 : JSON.stringify(notes).length);
    this.size += size;
    this.replayable &&= captured.replayable;
    this.items.push(captured.utf8);
    this.notes.push(notes);
    return size;
  }

  /** The list of items, or what `captureOutput` makes of it; `undefined` where outputs are not recorded. */
  output(): Captured | undefined {
    if (!this.isRecorded) return undefined;
    const { captureOutput } = this.definition;
    const whole = `[${this.items.join(',')}]` as ByteString;
    const masked = this.items.length > 1 ? this.fields.maskPieces(whole) : undefined;
    const utf8 = masked ?? whole;
    if (typeof captureOutput === 'function') {
      const items: unknown = JSON.parse(decodeText(utf8));
      return this.fields.captureOutput(this.definition, items);
    }
    const cut = this.count > this.items.length ? { truncated: { '': { items: this.count } } } : undefined;
    const redacted = masked && { redacted: [''] };
    return new Captured(
      utf8,
      mergeMeta([...this.notes, cut, redacted]),
      this.replayable && cut === undefined,
    );
  }
}
