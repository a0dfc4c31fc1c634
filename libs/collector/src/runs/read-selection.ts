import {
  type CallSelection,
  type Fields,
  formatTimestamp,
  isTraceId,
  LIMITS,
  parseTimestamp,
  SAMPLE_KINDS,
  SPAN_STATUSES,
} from '@dacapo/protocol';
import { BadRequestException } from '@nestjs/common';

type Conditions = Omit<CallSelection, 'limit' | 'sample'>;

const CONDITIONS = [
  'trace_ids',
  'since',
  'until',
  'session_id',
  'status',
  'classes',
  'except_classes',
  'metadata',
  'text',
  'every_call',
];

/** Reads what is asked of calls. @throws ProtocolError */
export function readConditions(fields: Fields): Conditions {
  const time = (name: string): string => formatTimestamp(parseTimestamp(fields.timestamp(name)) ?? 0);
  const everyCall = fields.value('every_call') ?? false;
  if (typeof everyCall !== 'boolean') fields.fail('every_call', 'must be true or false');
  return {
    ...(fields.has('trace_ids') && { trace_ids: readTraceIds(fields) }),
    ...(fields.has('since') && { since: time('since') }),
    ...(fields.has('until') && { until: time('until') }),
    ...(fields.has('session_id') && { session_id: fields.label('session_id') }),
    ...(fields.has('status') && { status: fields.oneOf('status', SPAN_STATUSES) }),
    ...(fields.has('classes') && { classes: readClasses(fields, 'classes') }),
    ...(fields.has('except_classes') && { except_classes: readClasses(fields, 'except_classes') }),
    ...(fields.has('metadata') && { metadata: fields.object('metadata', LIMITS.metadataConditions) }),
    ...(fields.has('text') && { text: fields.label('text') }),
    ...(everyCall && { every_call: true }),
  };
}

/**
 * Reads the selection of a run.
 *
 * @throws ProtocolError
 * @throws BadRequestException when it has a field that is none: a misspelt condition would select too much
 */
export function readSelection(fields: Fields): CallSelection {
  const unknown = fields.names().find((name) => ![...CONDITIONS, 'limit', 'sample'].includes(name));
  if (unknown !== undefined) throw new BadRequestException(`selection.${unknown} is no condition`);
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
