import { Captured } from '../../capture/captured.js';
import { mergeMeta } from '../../capture/field-meta.js';
import type { FieldCapture } from '../field-capture.js';
import { ChunkTable } from './chunk-table.js';
import { expandChunks } from './expand-chunks.js';
import { GatheredItems } from './gathered-items.js';

/** The chunks of a streamed answer. */
export class StreamChunks extends ChunkTable {
  /** In short form; as a list where a hook is to see each value at its place. */
  capture(fields: FieldCapture): Captured | undefined {
    if (fields.capturer.options.metadataOnly) return undefined;
    const hasHook = fields.capturer.options.redact !== undefined;
    const chunks = hasHook ? this.captureEach(fields) : this.captureShort(fields);
    const { kept, count } = this;
    if (chunks === undefined || kept === undefined) return chunks;
    const place = hasHook ? '' : '/rows';
    // The field may have cut what is kept once more.
    const { kept: head = kept.head, tail = kept.tail } = (chunks.meta?.truncated?.[place] ?? {}) as Partial<
      typeof kept & { kept: number }
    >;
    const cut = { truncated: { [place]: { items: count, kept: head, ...(tail > 0 && { tail }) } } };
    return new Captured(chunks.utf8, mergeMeta([chunks.meta, cut]), false);
  }

  private captureShort(fields: FieldCapture): Captured | undefined {
    const mask = (text: string): string => fields.capturer.maskText(text);
    const chunks = fields.capture(this.short(mask, fields.capturer.isTellingName));
    const isCut = chunks?.meta?.truncated?.['/cells'] !== undefined;
    return isCut ? fields.capture(this.short(mask, fields.capturer.isTellingName, true)) : chunks;
  }

  private captureEach(fields: FieldCapture): Captured | undefined {
    const items = new GatheredItems(fields, { captureOutput: true });
    const short = this.short(
      (text) => fields.capturer.maskText(text),
      () => false,
    );
    for (const chunk of expandChunks(short) ?? []) items.add(chunk);
    return items.output();
  }
}
