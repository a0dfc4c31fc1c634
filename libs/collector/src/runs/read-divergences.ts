import { type Divergence, DIVERGENCE_KINDS, Fields, isSpanId, LIMITS } from '@dacapo/protocol';

const LONGEST_PATH = 100;
const LONGEST_TEXT = 4096;

/** The `divergences` of an item. @throws ProtocolError naming the field */
export function readDivergences(item: Fields): Divergence[] {
  const entries = item.objects('divergences');
  if (entries.length > LIMITS.divergences) {
    item.fail('divergences', `must have at most ${LIMITS.divergences} entries, not ${entries.length}`);
  }
  return entries.map((entry, index) => readDivergence(Fields.of(`divergences[${index}]`, entry)));
}

function readDivergence(divergence: Fields): Divergence {
  const spanId = (name: string): string => divergence.matching(name, isSpanId, '16 hex digits');
  const text = (name: string): string =>
    divergence.matching(name, ({ length }) => length <= LONGEST_TEXT, `at most ${LONGEST_TEXT} characters`);
  return {
    kind: divergence.oneOf('kind', DIVERGENCE_KINDS),
    path: readPath(divergence),
    ...(divergence.has('source_span_id') && { source_span_id: spanId('source_span_id') }),
    ...(divergence.has('new_span_id') && { new_span_id: spanId('new_span_id') }),
    ...(divergence.has('recorded_arguments') && { recorded_arguments: text('recorded_arguments') }),
    ...(divergence.has('new_arguments') && { new_arguments: text('new_arguments') }),
    ...(divergence.has('reason') && { reason: text('reason') }),
  };
}

function readPath(divergence: Fields): string[] {
  const path = divergence.array('path');
  if (path.length > LONGEST_PATH) divergence.fail('path', `must have at most ${LONGEST_PATH} entries`);
  return path.map((key) =>
    typeof key === 'string' && key.length <= LIMITS.labelLength
      ? key
      : divergence.fail('path', `must hold keys of at most ${LIMITS.labelLength} characters`),
  );
}
