import {
  type BaselineScore,
  type Divergence,
  DIVERGENCE_KINDS,
  Fields,
  isJsonObject,
  isSpanId,
  isTraceId,
  ITEM_TIMINGS,
  type ItemScore,
  type ItemModelCalls,
  type ItemUsage,
  type JsonValue,
  LIMITS,
  type NormalizedCalls,
  parseErrorRecord,
  ProtocolError,
  type TestRunItemReport,
  VERDICTS,
} from '@dacapo/protocol';

const BASELINES = ['recording', 'accepted', 'test_run', 'expected', 'self', 'function'] as const;
const USAGE = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'audio_tokens',
  'cost_usd',
] as const;
const SHA256 = '64 hex digits in lower case';
const LONGEST_TEXT = 4096;
const MOST_SCORES = 100;
const MOST_IGNORED = 1000;

/**
 * Reads one item of a report. Lists and texts that are too long are cut.
 *
 * @throws ProtocolError naming the field, when a required field is missing or any field has the wrong shape
 */
export function readItemReport(value: unknown): TestRunItemReport {
  if (isNestedDeeper(value, LIMITS.jsonDepth))
    throw new ProtocolError('item', `nests deeper than ${LIMITS.jsonDepth}`);
  const item = isJsonObject(value) ? new Fields('', value) : Fields.of('item', value);
  const traceId = (name: string): string => item.matching(name, isTraceId, 'a UUID in lower case');
  const spanId = (name: string): string => item.matching(name, isSpanId, '16 hex digits');
  const error = (name: string) => parseErrorRecord(name, item.value(name));
  const isLost = item.has('source_trace_id') && !item.has('source_span_id');
  if (isLost && !item.has('error')) item.fail('source_span_id', 'must be 16 hex digits');
  const [result, original] = [item.value('result'), item.value('original_output')];
  return {
    item_no: item.integer('item_no', 0, Number.MAX_SAFE_INTEGER),
    ...(item.has('repetition') && { repetition: item.integer('repetition', 0, Number.MAX_SAFE_INTEGER) }),
    ...(item.has('name') && { name: item.label('name') }),
    ...(item.has('source_trace_id') && { source_trace_id: traceId('source_trace_id') }),
    ...(item.has('source_span_id') && { source_span_id: spanId('source_span_id') }),
    ...(item.has('new_trace_id') && { new_trace_id: traceId('new_trace_id') }),
    ...(item.has('new_span_id') && { new_span_id: spanId('new_span_id') }),
    ...(item.has('verdict') && { verdict: item.oneOf('verdict', VERDICTS) }),
    ...readFlags(item, ['fixed', 'failing_as_before', 'new_error', 'accepted']),
    ...(item.has('compared_by') && { compared_by: readComparison(item.child('compared_by')) }),
    ...(item.has('baseline') && { baseline: item.oneOf('baseline', BASELINES) }),
    ...(item.has('session_id') && { session_id: item.label('session_id') }),
    ...(item.has('input') && { input: item.array('input') }),
    ...(result !== undefined && { result }),
    ...(item.has('error') && { error: error('error') }),
    ...(item.has('error_of') && { error_of: item.oneOf('error_of', ['play', 'judgement'] as const) }),
    ...(item.has('duration_ms') && { duration_ms: item.amount('duration_ms') }),
    ...(item.has('usage') && { usage: readUsage(item.child('usage')) }),
    ...(item.has('model_calls') && { model_calls: readModelCalls(item.child('model_calls')) }),
    ...(item.has('meta') && { meta: item.object('meta') }),
    ...(original !== undefined && { original_output: original }),
    ...(item.has('original_error') && { original_error: error('original_error') }),
    ...(item.has('original_meta') && { original_meta: item.object('original_meta') }),
    ...(item.has('original_usage') && { original_usage: readUsage(item.child('original_usage')) }),
    ...(item.has('original_model_calls') && {
      original_model_calls: readModelCalls(item.child('original_model_calls')),
    }),
    ...(item.has('original_duration_ms') && { original_duration_ms: item.amount('original_duration_ms') }),
    ...(item.has('timing') && { timing: item.oneOf('timing', ITEM_TIMINGS) }),
    ...readDivergences(item),
    ...(item.has('normalized') && { normalized: readNormalized(item) }),
    ...(item.has('scores') && { scores: readScores(item, 'scores') }),
    ...(item.has('original_scores') && { original_scores: readScores(item, 'original_scores') }),
    ...(item.has('baseline_hash') && { baseline_hash: item.matching('baseline_hash', isSha256, SHA256) }),
  };
}

export function isSha256(text: string): boolean {
  return /^[\da-f]{64}$/.test(text);
}

/** What may be read of an item that was refused. */
export function itemNoOf(value: unknown): { item_no?: number } {
  try {
    return { item_no: Fields.of('item', value).integer('item_no', 0, Number.MAX_SAFE_INTEGER) };
  } catch (error) {
    if (error instanceof ProtocolError) return {};
    throw error;
  }
}

function readFlags<const N extends string>(fields: Fields, names: readonly N[]): Partial<Record<N, true>> {
  const set = names.filter((name) => {
    const value = fields.value(name) ?? false;
    return typeof value === 'boolean' ? value : fields.fail(name, 'must be true or false');
  });
  return Object.fromEntries(set.map((name) => [name, true])) as Partial<Record<N, true>>;
}

function readComparison(fields: Fields): NonNullable<TestRunItemReport['compared_by']> {
  return {
    ...readFlags(fields, ['same']),
    ...(fields.has('ignore') && {
      ignore: fields
        .array('ignore')
        .slice(0, MOST_IGNORED)
        .map((path, index) => textOf(fields, `ignore[${index}]`, path)),
    }),
  };
}

function readDivergences(item: Fields): Pick<TestRunItemReport, 'divergences' | 'divergence_count'> {
  if (!item.has('divergences') && !item.has('divergence_count')) return {};
  const entries = item.has('divergences') ? item.objects('divergences') : [];
  const reported = item.has('divergence_count')
    ? item.integer('divergence_count', 0, Number.MAX_SAFE_INTEGER)
    : 0;
  const kept = entries.slice(0, LIMITS.divergences);
  const count = Math.max(reported, entries.length);
  return {
    divergences: kept.map((entry, index) => readDivergence(Fields.of(`divergences[${index}]`, entry))),
    ...(count > kept.length && { divergence_count: count }),
  };
}

function readDivergence(divergence: Fields): Divergence {
  const spanId = (name: string): string => divergence.matching(name, isSpanId, '16 hex digits');
  const text = (name: string): string => cut(divergence.string(name), LONGEST_TEXT);
  const path = divergence
    .array('path')
    .map((key) => cut(textOf(divergence, 'path', key), LIMITS.labelLength));
  return {
    kind: divergence.oneOf('kind', DIVERGENCE_KINDS),
    path: cutPath(path),
    ...(divergence.has('source_span_id') && { source_span_id: spanId('source_span_id') }),
    ...(divergence.has('new_span_id') && { new_span_id: spanId('new_span_id') }),
    ...(divergence.has('recorded_arguments') && { recorded_arguments: text('recorded_arguments') }),
    ...(divergence.has('new_arguments') && { new_arguments: text('new_arguments') }),
    ...(divergence.has('reason') && { reason: text('reason') }),
  };
}

/** Both ends say more than what is between. */
function cutPath(path: string[]): string[] {
  if (path.length <= LIMITS.divergencePath) return path;
  const tail = Math.floor(LIMITS.divergencePath / 2);
  return [...path.slice(0, LIMITS.divergencePath - tail - 1), '…', ...path.slice(-tail)];
}

function readNormalized(item: Fields): NormalizedCalls[] {
  const entries = item.objects('normalized').slice(0, LIMITS.divergences);
  return entries.map((entry, index) => {
    const fields = Fields.of(`normalized[${index}]`, entry);
    return {
      key: fields.label('key'),
      calls: fields.integer('calls', 0, Number.MAX_SAFE_INTEGER),
      ambiguous: fields.integer('ambiguous', 0, Number.MAX_SAFE_INTEGER),
    };
  });
}

function readUsage(fields: Fields): ItemUsage {
  const counted = USAGE.filter((name) => fields.has(name));
  return Object.fromEntries(counted.map((name) => [name, fields.amount(name)]));
}

function readModelCalls(fields: Fields): ItemModelCalls {
  const count = (name: string): number => fields.integer(name, 0, Number.MAX_SAFE_INTEGER);
  return {
    made: count('made'),
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cost_usd: count('cost_usd'),
  };
}

function readScores(item: Fields, name: string): BaselineScore[] {
  return item
    .objects(name)
    .slice(0, MOST_SCORES)
    .map((entry, index) => {
      const score = Fields.of(`${name}[${index}]`, entry);
      return {
        name: score.label('name'),
        value: readScore(score),
        ...(score.has('label') && { label: cut(score.string('label'), LONGEST_TEXT) }),
        ...(score.has('explanation') && { explanation: cut(score.string('explanation'), LONGEST_TEXT) }),
        ...(score.has('metadata') && { metadata: score.object('metadata') }),
        ...(score.has('version') && { version: score.matching('version', isSha256, SHA256) }),
        ...readFlags(score, ['reused']),
      };
    });
}

function readScore(fields: Fields): ItemScore['value'] {
  const score = fields.value('value');
  return score === undefined || (typeof score === 'object' && score !== null)
    ? fields.fail('value', 'must be a number, true, false, a string or null')
    : score;
}

function textOf(fields: Fields, name: string, value: JsonValue): string {
  return typeof value === 'string' ? value : fields.fail(name, 'must hold strings');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** It goes no deeper than the limit itself. */
function isNestedDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((part) => isNestedDeeper(part, limit - 1));
}
