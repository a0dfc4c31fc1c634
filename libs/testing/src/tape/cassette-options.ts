import type { SpanType } from '@dacapo/protocol';
import { SPAN_TYPES } from '@dacapo/protocol';
import { CassetteSetupError } from '../errors.js';
import type { CassetteMode } from './cassette-mode.js';

/** How a cassette answers. */
export interface CassetteOptions {
  /** What runs in spite of the cassette, by span type or key: `['llm', { key: 'search' }]`. Default: nothing. */
  readonly live?: readonly (SpanType | { readonly key: string })[];
  /**
   * What calls return that the cassette does not have, by key: `{ 'mail.send': () => undefined }`. A fixed call continues where its
   * recording ends.
   */
  readonly answers?: Readonly<Record<string, (...args: never[]) => unknown>>;
  /** Parts of arguments that may differ from the recording, by key: `{ 'mail.send': ['$[0].sentAt'] }`. */
  readonly normalize?: Readonly<Record<string, readonly string[]>>;
  /** Parts of outputs that `toMatchRecording` does not compare: `['$.createdAt']`. */
  readonly ignore?: readonly string[];
  /** The recorded call failed. The test passes when that failure no longer occurs and its assertions hold. */
  readonly expect?: 'fixed';
  /** The folder of cassettes. Default: `test/cassettes` in the working directory. */
  readonly directory?: string;
  /** Default: `DACAPO_CASSETTES`, or `replay`. */
  readonly mode?: CassetteMode;
}

const NAMES: Readonly<Record<keyof CassetteOptions, (value: unknown) => boolean>> = {
  live: (value) =>
    Array.isArray(value) && value.every((one) => SPAN_TYPES.some((type) => type === one) || isKey(one)),
  answers: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'function'),
  normalize: (value) => isRecord(value) && Object.values(value).every(isTextList),
  ignore: (value) => isTextList(value),
  expect: (value) => value === 'fixed',
  directory: (value) => typeof value === 'string' && value !== '',
  mode: (value) => typeof value === 'string',
};

const EXAMPLE =
  "Write options like { live: [{ key: 'search' }], normalize: { search: ['$[0].requestId'] }, ignore: ['$.id'], expect: 'fixed', directory: 'test/cassettes' }.";

/** @throws CassetteSetupError */
export function checkOptions(options: CassetteOptions): void {
  for (const [name, value] of Object.entries(options) as [keyof CassetteOptions, unknown][]) {
    const accepts = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (accepts === undefined)
      throw new CassetteSetupError(
        `withCassette has no option ${JSON.stringify(name)}. Use one of ${Object.keys(NAMES).join(', ')}.`,
      );
    if (value !== undefined && !accepts(value))
      throw new CassetteSetupError(`The option ${name} of withCassette is invalid. ${EXAMPLE}`);
  }
}

function isKey(value: unknown): boolean {
  return isRecord(value) && typeof value['key'] === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
