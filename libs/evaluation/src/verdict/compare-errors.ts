import {
  comparedErrorEntries,
  type Cut,
  type Entry,
  equal,
  type EqualOptions,
  type ErrorRecord,
  readError,
  readValue,
  type RecordedError,
  type ValueNode,
  type Verdict,
  withoutHashes,
} from '@dacapo/protocol';
import { diffNodes } from '../diff/diff-nodes.js';
import type { ValueDiff } from '../diff/value-diff.js';

const ROOT = '$error';

interface ErrorComparison {
  verdict: Verdict;
  /** Where the errors differ, or equality is unknown. */
  diff?: ValueDiff[];
  failingAsBefore?: true;
}

/**
 * Compares two recorded errors without their stacks. If one was recorded without class and properties, as before the upgrade, and the
 * other one has some, the verdict is not `same`.
 *
 * @param prune removes ignored paths
 */
export function compareErrors(
  before: ErrorRecord,
  now: ErrorRecord,
  prune: (node: ValueNode) => ValueNode,
  options: EqualOptions,
): ErrorComparison {
  const pair = new ErrorPair(readError(before), readError(now));
  const [was, is] = [prune(pair.before), prune(pair.now)];
  const equality = equal(was, is, options);
  const diff = equality === 'equal' ? [] : diffNodes(was, is, { ...options, root: ROOT });
  if (equality === 'different') return { verdict: 'error', diff };
  const isKnown = equality === 'equal' && !pair.isOneSided && !isCut(before) && !isCut(now);
  if (isKnown) return { verdict: 'same', failingAsBefore: true };
  return { verdict: 'unknown', ...(diff.length > 0 && { diff }) };
}

function isCut({ cut, cause, errors = [] }: ErrorRecord): boolean {
  return cut === true || (cause !== undefined && isCut(cause)) || errors.some(isCut);
}

/** The compared parts of two errors, each as one object. */
class ErrorPair {
  /** One error has a class or properties that were not recorded for the other. */
  isOneSided = false;
  readonly before: ValueNode;
  readonly now: ValueNode;

  constructor(before: RecordedError, now: RecordedError) {
    this.before = this.#facts(before, now);
    this.now = this.#facts(now, before);
  }

  #facts(error: RecordedError, other: RecordedError | undefined): ValueNode {
    const { record, own, cause, errors } = error;
    const { name, message, code } = record;
    const isCompared = other === undefined || other.own !== undefined;
    const properties = isCompared ? listEntries(error) : [];
    const taken = new Set(
      [...properties, ...(other === undefined ? [] : listEntries(other))].map(([key]) => key),
    );
    if (!isCompared && hasMore(error)) this.isOneSided = true;
    const entries: Entry[] = [
      ['name', textNode(name)],
      ...(isCompared && own !== undefined
        ? ([[classKey(taken), textNode(record.class ?? name)]] as const)
        : []),
      ...(isCompared && isDerivedMessage(error) ? [] : ([['message', textNode(message)]] as const)),
      ...(code === undefined ? [] : ([['code', readValue({ json: code })]] as const)),
      ...properties,
      ...(cause === undefined ? [] : ([['cause', this.#facts(cause, other?.cause)]] as const)),
      ...(record.errors === undefined ? [] : ([['errors', this.#list(errors, other)]] as const)),
    ];
    const cut = isCompared && own !== undefined && 'cut' in own ? own.cut : undefined;
    return objectNode(entries, cut);
  }

  #list(errors: readonly RecordedError[], other: RecordedError | undefined): ValueNode {
    const items = errors.map((error, index) => this.#facts(error, other?.errors[index]));
    return { kind: 'array', items: () => items, cut: undefined, json: [], isPlain: false };
  }
}

/** A key for the class that no property of the error uses. */
function classKey(taken: ReadonlySet<string>): string {
  let key = 'class';
  while (taken.has(key)) key = `(${key})`;
  return key;
}

/** Whether the message is the JSON of a thrown object. The object is compared instead, because key order does not matter. */
function isDerivedMessage({ record, own }: RecordedError): boolean {
  if (record.thrown === undefined || own === undefined) return false;
  const json = JSON.stringify(own.json);
  return record.message === json || (record.message.length >= CUT_MESSAGE && json.startsWith(record.message));
}

/** Recording cuts longer messages. */
const CUT_MESSAGE = 16 * 1024;

/** Whether the error has more to compare than a record from before the upgrade. */
function hasMore(error: RecordedError): boolean {
  const { record, own } = error;
  // The message may already contain the whole thrown value.
  if (record.thrown !== undefined) return !own?.isPlain || record.message !== JSON.stringify(own.json);
  return record.class !== undefined || listEntries(error).length > 0;
}

/** The error's own properties, or the thrown value. */
function listEntries({ record, own }: RecordedError): readonly Entry[] {
  if (own === undefined) return [];
  return comparedErrorEntries(
    record.thrown === undefined && own.kind === 'object' ? own.entries() : [['thrown', own]],
  );
}

/** @param cut of the properties, which include some that are not compared */
function objectNode(entries: readonly Entry[], cut: Cut | undefined): ValueNode {
  return {
    kind: 'object',
    hasPrototype: true,
    entries: () => entries,
    json: {},
    ...withoutHashes({ cut }),
  };
}

function textNode(text: string): ValueNode {
  return readValue({ json: text });
}
