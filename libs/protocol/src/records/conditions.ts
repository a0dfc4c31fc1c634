import { SPAN_KINDS, SPAN_LEVELS, SPAN_TYPES, type SpanKind, type SpanLevel, type SpanType } from './span.js';

/** What lists of traces, call searches and selections ask of one field. Conditions hold together. */
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
  /** Spans whose usage tells this model. */
  model?: string;
}

export type FieldName = keyof FieldConditions;

/** A condition on one field: query strings, bodies, command lines and the dashboard read it here. */
export interface FieldCondition {
  /** Whether a trace has it as a whole, or one of its spans. */
  readonly of: 'trace' | 'span';
  /** What it is called on a page. */
  readonly label: string;
  /** The option of the command line, and what it takes. */
  readonly flag: string;
  /** What it selects, behind `traces`, or `traces with a span`. */
  readonly text: string;
  /** The only values. */
  readonly choices?: readonly string[];
  /** Several may be given, and all of them hold. */
  readonly isList?: true;
}

const FIELD_CONDITIONS = {
  name: { of: 'span', label: 'Name', flag: '--name <name>', text: 'of this name' },
  type: { ...{ of: 'span', label: 'Type', flag: '--type <type>' }, ...choice('type', SPAN_TYPES) },
  kind: { ...{ of: 'span', label: 'Kind', flag: '--kind <kind>' }, ...choice('kind', SPAN_KINDS) },
  level: { ...{ of: 'span', label: 'Level', flag: '--level <level>' }, ...choice('level', SPAN_LEVELS) },
  model: {
    of: 'span',
    label: 'Model',
    flag: '--model <model>',
    text: 'whose usage tells this model',
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

/** The name of each condition among the options of the SDK. */
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

/** What a condition is, whichever it is. */
export function fieldCondition(name: FieldName): FieldCondition {
  return FIELD_CONDITIONS[name];
}

function choice<const Choices extends readonly string[]>(
  name: string,
  choices: Choices,
): { text: string; choices: Choices } {
  return { text: `of this ${name}`, choices };
}
