import { decode, readValue, type TestRunItemRecord } from '@dacapo/protocol';
import { unknownFact } from './evaluate-item.js';
import type { PlannedItem } from './planned-item.js';

/** Items of a run with their stored outcomes, both in the order of item numbers. */
export async function* rescoredCalls(
  calls: AsyncIterable<PlannedItem>,
  records: AsyncIterable<TestRunItemRecord>,
): AsyncGenerator<PlannedItem> {
  const groups = groupItems(records);
  let next = await groups.next();
  for await (const call of calls) {
    while (next.done !== true && readItemNo(next.value) < call.itemNo) next = await groups.next();
    const isSameItem = next.done !== true && readItemNo(next.value) === call.itemNo;
    yield { ...call, outcomes: isSameItem && next.done !== true ? next.value : [] };
  }
}

/** The items of a run over a list, which only the run stores. */
export async function* rescoredItems(records: AsyncIterable<TestRunItemRecord>): AsyncGenerator<PlannedItem> {
  for await (const outcomes of groupItems(records)) {
    const [first] = outcomes;
    const expected = first?.baseline === 'expected' ? first.original_output : undefined;
    const meta = first?.original_meta;
    yield {
      itemNo: readItemNo(outcomes),
      ...(first?.name !== undefined && { name: first.name }),
      descendants: () => undefined,
      origin: () => Promise.reject(new Error('Items of a list have no origin.')),
      ...(expected !== undefined && {
        expected: {
          value: (codecs) => decode(readValue({ json: expected, meta: meta?.output }), codecs),
          stored: { output: expected, ...(meta && { meta }) },
        },
      }),
      outcomes,
      metadata: UNKNOWN_METADATA,
    };
  }
}

/** A run does not store the metadata of a list, so an evaluator that reads it returns no score. */
const UNKNOWN_METADATA: PlannedItem['metadata'] = new Proxy(
  {},
  { get: unknownFact, has: unknownFact, ownKeys: unknownFact, getOwnPropertyDescriptor: unknownFact },
);

async function* groupItems(
  records: AsyncIterable<TestRunItemRecord>,
): AsyncGenerator<TestRunItemRecord[], undefined> {
  let item: TestRunItemRecord[] = [];
  for await (const record of records) {
    if (item.length > 0 && readItemNo(item) !== record.item_no) {
      yield item;
      item = [];
    }
    item.push(record);
  }
  if (item.length > 0) yield item;
  return undefined;
}

function readItemNo([first]: readonly TestRunItemRecord[]): number {
  return first?.item_no ?? -1;
}
