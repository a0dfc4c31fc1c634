import { Captured } from '../../capture/captured.js';
import { mergeMeta } from '../../capture/field-meta.js';
import type { FieldCapture } from '../field-capture.js';
import { type ChunkTable, expandChunks } from './chunk-table.js';
import { GatheredItems } from './gathered-items.js';

/** The chunks of a streamed answer in short form; as a list where a hook is to see each value at its place. */
export function captureChunks(fields: FieldCapture, table: ChunkTable): Captured | undefined {
  if (fields.isMetadataOnly) return undefined;
  const chunks = fields.hasHook
    ? captureEach(fields, table)
    : fields.capture(table.short((text) => fields.maskText(text), fields.isTellingName));
  if (chunks === undefined || !table.isCut) return chunks;
  const cut = { truncated: { '': { items: table.count } } };
  return new Captured(chunks.utf8, mergeMeta([chunks.meta, cut]), false);
}

function captureEach(fields: FieldCapture, table: ChunkTable): Captured | undefined {
  const items = new GatheredItems(fields, { captureOutput: true });
  const short = table.short(
    (text) => text,
    () => false,
  );
  for (const chunk of expandChunks(short) ?? []) items.add(chunk);
  return items.output();
}
