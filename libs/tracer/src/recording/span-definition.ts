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
 * Read on a function, it gives what of a call's arguments is recorded: all that another call needs to be the same. For adapters,
 * whose functions are given objects of their library that only watch.
 */
export const RECORDED_ARGUMENTS = Symbol.for('@dacapo/recorded-arguments');

/** How a wrapped function's calls are recorded; one for each wrapping. */
export interface SpanDefinition {
  readonly key: string;
  readonly name: string;
  readonly type: SpanType;
  readonly kind: SpanKind | undefined;
  /** That of a call whose code sets none. */
  readonly level: SpanLevel | undefined;
  /** Key, name, type and kind as they stand in every line between two values, serialized once. */
  readonly labels: ByteString;
  readonly captureInput: boolean | ((args: readonly unknown[]) => unknown);
  readonly captureOutput: boolean | ((output: unknown) => unknown);
  /** Written only if a span was opened inside: for frames such as a request, which are no AI work themselves. */
  readonly onlyWithChildren: boolean;
  /** A replay under `mock: 'marked'` answers its calls from the recording, or by this function. */
  readonly mockOnReplay: boolean | AnyFunction;
  /** Noted on each call: see `CaptureMeta.class`. */
  readonly className: string | undefined;
  /** See `RECORDED_ARGUMENTS`. */
  readonly recordedArguments: ((args: readonly unknown[]) => readonly unknown[]) | undefined;
  /** The definition that options of one call changed. */
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
 * Fills in the defaults of SPEC 4.2: the type is `custom`, input and output are captured. A key or a name that is longer
 * than the service takes is cut.
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

/** The same calls under another name, or with less recorded of them. */
export function refineSpan(
  definition: SpanDefinition,
  changed: Pick<SpanDefinitionOptions, 'name' | 'captureInput' | 'captureOutput'>,
): SpanDefinition {
  return { ...defineSpan({ ...definition, ...changed }), base: definition };
}

/** Of a function that an adapter made. */
export function readRecordedArguments(fn: AnyFunction): SpanDefinition['recordedArguments'] {
  const recorded: unknown = Reflect.get(fn, RECORDED_ARGUMENTS);
  return typeof recorded === 'function' ? (recorded as SpanDefinition['recordedArguments']) : undefined;
}

/** As much of a name as the service takes: those of agents, tools and chains are as their makers gave them. */
function asLabel(text: string): string {
  return text.trim() === '' ? '' : text.slice(0, LIMITS.labelLength);
}

let masker: TextMasker | undefined;

/** A name may be a URL, or what a user typed. */
function masked(name: string): string {
  if (name.length < SHORTEST_SECRET) return name;
  return (masker ??= new TextMasker(() => '[redacted]', [], nameStrength)).mask(name);
}
