import {
  type DatasetItem,
  type DatasetItemSource,
  Fields,
  isJsonObject,
  isSpanId,
  isTraceId,
  type JsonValue,
  ProtocolError,
  type RefusedEntry,
} from '@dacapo/protocol';
import { randomUUID } from 'node:crypto';
import type { NewDatasetItem } from '../storage/dataset-store.js';

/** Items that are handed to the store in one go. */
const ITEMS_AT_ONCE = 500;

const UUID = 'a UUID in lower case';

/**
 * Reads items one by one. A bad one never harms its neighbours.
 *
 * @param rejected those that are not taken, and why
 */
export async function* readItems(
  values: readonly JsonValue[],
  rejected: RefusedEntry[],
): AsyncGenerator<NewDatasetItem[]> {
  const ids = new Set<string>();
  for (let start = 0; start < values.length; start += ITEMS_AT_ONCE) {
    yield values.slice(start, start + ITEMS_AT_ONCE).flatMap((value, offset) => {
      try {
        const item = readItem(value);
        if (ids.has(item.id)) throw new ProtocolError('id', `is that of an item before: ${item.id}`);
        ids.add(item.id);
        return [{ item }];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        rejected.push({ index: start + offset, detail: error.message });
        return [];
      }
    });
    // Other requests have their turn.
    await new Promise(setImmediate);
  }
}

/** @throws ProtocolError naming the field, when `input` is no array or any field has the wrong shape */
function readItem(value: JsonValue): DatasetItem {
  const item = isJsonObject(value) ? new Fields('', value) : Fields.of('item', value);
  const expected = item.value('expected');
  return {
    id: item.has('id') ? item.matching('id', isTraceId, UUID) : randomUUID(),
    input: item.array('input'),
    ...(item.has('meta') && { meta: item.object('meta') }),
    ...(expected !== undefined && { expected }),
    ...(item.has('expected_meta') && { expected_meta: item.object('expected_meta') }),
    ...(item.has('metadata') && { metadata: item.object('metadata') }),
    ...(item.has('source') && { source: readSource(item.child('source')) }),
  };
}

function readSource(source: Fields): DatasetItemSource {
  return {
    ...(source.has('trace_id') && { trace_id: source.matching('trace_id', isTraceId, UUID) }),
    ...(source.has('span_id') && { span_id: source.matching('span_id', isSpanId, '16 hex digits') }),
    ...(source.has('trace_function_key') && { trace_function_key: source.label('trace_function_key') }),
    ...(source.has('test_run_id') && { test_run_id: source.matching('test_run_id', isTraceId, UUID) }),
    ...(source.has('item_no') && { item_no: source.integer('item_no', 0, Number.MAX_SAFE_INTEGER) }),
  };
}
