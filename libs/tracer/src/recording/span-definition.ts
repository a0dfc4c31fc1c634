import {
  LIMITS,
  nameStrength,
  type SpanKind,
  type SpanLevel,
  type SpanType,
  TextMasker,
} from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import { SHORTEST_SECRET } from '../capture/walk/field-text.js';

/** A function that can be wrapped. */
export type AnyFunction = (...args: never[]) => unknown;

/**
 * A property of a function: returns the part of a call's arguments to record, which must be enough to repeat the call. For adapters
 * whose functions receive objects that only observe.
 */
export const RECORDED_ARGUMENTS = Symbol.for('@dacapo/recorded-arguments');

/** How a wrapped function's calls are recorded; one per wrapping. */
export interface SpanDefinition {
  readonly key: string;
  readonly name: string;
  readonly type: SpanType;
  readonly kind: SpanKind | undefined;
  /** The default for calls that set none. */
  readonly level: SpanLevel | undefined;
  /** Key, name, type and kind as every line has them between two values, serialized once. */
  readonly labels: ByteString;
  readonly captureInput: boolean | ((args: readonly unknown[]) => unknown);
  readonly captureOutput: boolean | ((output: unknown) => unknown);
  /** Written only if a span was opened inside: for frames such as a request, which are not AI work themselves. */
  readonly onlyWithChildren: boolean;
  /** A replay with `mock: 'marked'` answers its calls from the recording, or with this function. */
  readonly mockOnReplay: boolean | AnyFunction;
  /** Noted on each call: see `CaptureMeta.class`. */
  readonly className: string | undefined;
  /** See `RECORDED_ARGUMENTS`. */
  readonly recordedArguments: ((args: readonly unknown[]) => readonly unknown[]) | undefined;
  /** The definition that the options of a call changed. */
  readonly base?: SpanDefinition;
}

export interface SpanDefinitionOptions {
  readonly key: string;
  readonly name: string;
  readonly type?: SpanType | undefined;
  readonly kind?: SpanKind | undefined;
  readonly level?: SpanLevel | undefined;
  readonly captureInput?: SpanDefinition['captureInput'] | undefined;
  readonly captureOutput?: SpanDefinition['captureOutput'] | undefined;
  readonly onlyWithChildren?: boolean | undefined;
  readonly mockOnReplay?: SpanDefinition['mockOnReplay'] | undefined;
  readonly className?: string | undefined;
  readonly recordedArguments?: SpanDefinition['recordedArguments'];
}

/**
 * Applies the defaults of SPEC 4.2: the type is `custom`, input and output are captured. A key or a name beyond the limit of
 * the service is cut.
 */
export function defineSpan(options: SpanDefinitionOptions): SpanDefinition {
  const { type = 'custom', kind } = options;
  const key = asLabel(options.key);
  const name = masked(asLabel(options.name)) || key;
  return {
    key,
    name,
    type,
    kind,
    level: options.level,
    labels: encodeText(
      `","trace_function_key":${JSON.stringify(key)},"name":${JSON.stringify(name)},"type":"${type}"` +
        `${kind === undefined ? '' : `,"kind":"${kind}"`},"status":"`,
    ),
    captureInput: options.captureInput ?? true,
    captureOutput: options.captureOutput ?? true,
    onlyWithChildren: options.onlyWithChildren ?? false,
    mockOnReplay: options.mockOnReplay ?? false,
    className: options.className === undefined ? undefined : asLabel(options.className),
    recordedArguments: options.recordedArguments,
  };
}

/** Returns a definition with another name, or with fewer recorded fields. */
export function refineSpan(
  definition: SpanDefinition,
  changed: Pick<SpanDefinitionOptions, 'name' | 'captureInput' | 'captureOutput'>,
): SpanDefinition {
  return { ...defineSpan({ ...definition, ...changed }), base: definition };
}

/** A definition for a function of an adapter. */
export function readRecordedArguments(fn: AnyFunction): SpanDefinition['recordedArguments'] {
  const recorded: unknown = Reflect.get(fn, RECORDED_ARGUMENTS);
  return typeof recorded === 'function' ? (recorded as SpanDefinition['recordedArguments']) : undefined;
}

/** Cuts a name to the limit of the service: agents, tools and chains have names of any length. */
function asLabel(text: string): string {
  return text.trim() === '' ? '' : text.slice(0, LIMITS.labelLength);
}

let masker: TextMasker | undefined;

/** Masks secrets in a name, because it may be a URL or a user's text. */
function masked(name: string): string {
  if (name.length < SHORTEST_SECRET) return name;
  return (masker ??= new TextMasker(() => '[redacted]', [], nameStrength)).mask(name);
}
