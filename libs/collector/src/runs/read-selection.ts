import {
  type CallSelection,
  type Fields,
  formatTimestamp,
  isTraceId,
  LIMITS,
  parseTimestamp,
  SAMPLE_KINDS,
  readFieldConditions,
  SPAN_STATUSES,
  TRACE_AMOUNTS,
  type TraceAmount,
} from '@dacapo/protocol';
import { readTextQuery } from '../storage/text-query.js';

type Conditions = Omit<CallSelection, 'limit' | 'sample'>;

/** Reads what is asked of calls. @throws ProtocolError */
export function readConditions(fields: Fields): Conditions {
  const time = (name: string): string => formatTimestamp(parseTimestamp(fields.timestamp(name)) ?? 0);
  const everyCall = fields.value('every_call') ?? false;
  if (typeof everyCall !== 'boolean') fields.fail('every_call', 'must be true or false');
  return {
    ...(fields.has('trace_ids') && { trace_ids: readTraceIds(fields) }),
    ...(fields.has('since') && { since: time('since') }),
    ...(fields.has('until') && { until: time('until') }),
    ...readFieldConditions(fields),
    ...(fields.has('status') && { status: fields.oneOf('status', SPAN_STATUSES) }),
    ...(fields.has('classes') && { classes: readClasses(fields, 'classes') }),
    ...(fields.has('except_classes') && { except_classes: readClasses(fields, 'except_classes') }),
    ...(fields.has('metadata') && { metadata: fields.object('metadata', LIMITS.metadataConditions) }),
    ...(fields.has('text') && { text: readText(fields) }),
    ...readAmounts(fields),
    ...readScore(fields),
    ...(everyCall && { every_call: true }),
  };
}

/** Reads the selection of a run. @throws ProtocolError */
export function readSelection(fields: Fields): CallSelection {
  return {
    ...(fields.has('limit') && { limit: fields.integer('limit', 0, LIMITS.selectedCalls) }),
    ...readConditions(fields),
    ...(fields.has('sample') && { sample: readSample(fields.child('sample')) }),
  };
}

function readSample(sample: Fields): NonNullable<CallSelection['sample']> {
  return {
    size: sample.integer('size', 0, LIMITS.selectedCalls),
    ...(sample.has('by') && { by: sample.oneOf('by', SAMPLE_KINDS) }),
    ...(sample.has('seed') && { seed: sample.integer('seed', 0, Number.MAX_SAFE_INTEGER) }),
  };
}

function readText(fields: Fields): string {
  readTextQuery(fields);
  return fields.string('text');
}

function readAmounts(fields: Fields): Pick<Conditions, `${'min' | 'max'}_${TraceAmount}`> {
  const bounds = TRACE_AMOUNTS.flatMap((amount) => {
    const [least, most] = [`min_${amount}`, `max_${amount}`].map((name) =>
      fields.has(name) ? fields.amount(name) : undefined,
    );
    if (least !== undefined && most !== undefined && least > most) {
      fields.fail(`min_${amount}`, `must not be greater than max_${amount}, which is ${most}`);
    }
    return [
      ...(least === undefined ? [] : [[`min_${amount}`, least] as const]),
      ...(most === undefined ? [] : [[`max_${amount}`, most] as const]),
    ];
  });
  return Object.fromEntries(bounds);
}

function readScore(fields: Fields): Pick<Conditions, 'score' | 'score_is' | 'score_below' | 'score_above'> {
  const bounds = ['score_is', 'score_below', 'score_above'].filter((name) => fields.has(name));
  if (!fields.has('score')) {
    if (bounds.length > 0) fields.fail('score', 'must name the score that is asked for');
    return {};
  }
  return {
    score: fields.label('score'),
    ...Object.fromEntries(
      bounds.map((name) => {
        const value = fields.value(name);
        const isScalar = typeof value === 'string' || typeof value === 'boolean';
        if (typeof value === 'number' || (name === 'score_is' && isScalar)) return [name, value];
        return fields.fail(
          name,
          name === 'score_is' ? 'must be a text, a number, true or false' : 'must be a number',
        );
      }),
    ),
  };
}

function readClasses(fields: Fields, name: string): string[] {
  return fields
    .array(name)
    .map((className, index) =>
      typeof className === 'string' && className.trim() !== ''
        ? className
        : fields.fail(`${name}[${index}]`, 'must be the name of a class'),
    );
}

function readTraceIds(fields: Fields): string[] {
  return fields
    .array('trace_ids', LIMITS.selectedCalls)
    .map((id, index) =>
      typeof id === 'string' && isTraceId(id)
        ? id
        : fields.fail(`trace_ids[${index}]`, 'must be a UUID in lower case'),
    );
}
