import { SPAN_KINDS, SPAN_LEVELS, SPAN_TYPES, type SpanKind, type SpanLevel, type SpanType } from './span.js';

/** Field conditions of trace lists, call searches and selections. All must match. */
export interface FieldConditions {
  /** Traces of this session. */
  session_id?: string;
  /** Traces of this user. */
  user_id?: string;
  /** Traces that have all of these tags. */
  tags?: string[];
  /** Traces of this environment. */
  environment?: string;
  /** Traces of this release. */
  release?: string;
  /** Spans of this name. */
  name?: string;
  /** Spans of this type. */
  type?: SpanType;
  /** Spans of this kind. */
  kind?: SpanKind;
  /** Spans of this level. */
  level?: SpanLevel;
  /** Spans whose usage names this model. */
  model?: string;
}

export type FieldName = keyof FieldConditions;

/** A condition on one field, shared by query strings, request bodies, the CLI and the dashboard. */
export interface FieldCondition {
  /** Whether the field belongs to the trace or to a span. */
  readonly of: 'trace' | 'span';
  /** Label in the dashboard. */
  readonly label: string;
  /** CLI option with its argument. */
  readonly flag: string;
  /** Completes "traces …", or "traces with a span …". */
  readonly text: string;
  /** Allowed values. Default: any. */
  readonly choices?: readonly string[];
  /** Accepts several values, all of which must match. */
  readonly isList?: true;
}

const FIELD_CONDITIONS = {
  name: { of: 'span', label: 'Name', flag: '--name <name>', text: 'of this name' },
  type: { of: 'span', label: 'Type', flag: '--type <type>', ...choice('type', SPAN_TYPES) },
  kind: { of: 'span', label: 'Kind', flag: '--kind <kind>', ...choice('kind', SPAN_KINDS) },
  level: { of: 'span', label: 'Level', flag: '--level <level>', ...choice('level', SPAN_LEVELS) },
  model: {
    of: 'span',
    label: 'Model',
    flag: '--model <model>',
    text: 'whose usage names this model',
  },
  session_id: { of: 'trace', label: 'Session', flag: '--session <id>', text: 'of this session' },
  user_id: { of: 'trace', label: 'User', flag: '--user <id>', text: 'of this user' },
  tags: {
    of: 'trace',
    label: 'Tag',
    flag: '--tag <tag>',
    text: 'with this tag; may be given again',
    isList: true,
  },
  environment: {
    of: 'trace',
    label: 'Environment',
    flag: '--environment <name>',
    text: 'of this environment',
  },
  release: { of: 'trace', label: 'Release', flag: '--release <name>', text: 'of this release' },
} as const satisfies Record<FieldName, FieldCondition>;

export const FIELD_NAMES = Object.keys(FIELD_CONDITIONS) as FieldName[];

/** SDK option name of each condition. */
export const FIELD_OPTIONS = {
  name: 'spanName',
  type: 'type',
  kind: 'kind',
  level: 'level',
  model: 'model',
  session_id: 'sessionId',
  user_id: 'userId',
  tags: 'tags',
  environment: 'environment',
  release: 'release',
} as const satisfies Record<FieldName, string>;

/** Widens the literal type of the table to {@link FieldCondition}. */
export function fieldCondition(name: FieldName): FieldCondition {
  return FIELD_CONDITIONS[name];
}

function choice<const Choices extends readonly string[]>(
  name: string,
  choices: Choices,
): { text: string; choices: Choices } {
  return { text: `of this ${name}`, choices };
}
