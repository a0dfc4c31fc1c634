import { withoutPaths } from '@dacapo/evaluation';
import { nearestName, type ValueNode } from '@dacapo/protocol';

/** Trace function keys, each with the paths of its arguments that may differ from the recorded ones. */
export type Normalize = Readonly<Record<string, readonly string[]>>;

/** Removes the parts of arguments that may differ between a call and its recording, by trace function key. */
export class ArgumentNormalizer {
  private readonly prunings: ReadonlyMap<string, (node: ValueNode) => ValueNode>;
  private readonly recordedKeys = new Set<string>();
  /** Paths that removed nothing so far, by key. */
  private readonly unmatched = new Map<string, Set<string>>();

  /**
   * @param option its name in errors, such as `replay.normalize`
   * @param matchesAnySecret whether a masked value matches any other, because the recording was masked with another salt
   * @throws InvalidArgumentError when a path cannot be read
   */
  constructor(
    normalize: Normalize = {},
    option = 'normalize',
    readonly matchesAnySecret = false,
  ) {
    this.prunings = new Map(
      Object.entries(normalize).map(([key, paths]) => {
        const unmatched = new Set(paths);
        this.unmatched.set(key, unmatched);
        const name = `${option}[${JSON.stringify(key)}]`;
        const onMatch = (path: string): void => void unmatched.delete(path);
        return [key, withoutPaths(paths, { name, examples: EXAMPLES, onMatch })];
      }),
    );
  }

  /** `undefined` if no part of the arguments of these calls may differ. */
  findPruning(key: string): ((node: ValueNode) => ValueNode) | undefined {
    return this.prunings.get(key);
  }

  /** Notes that calls with this key were recorded inside a replayed call. */
  sawRecorded(key: string): void {
    if (this.prunings.size > 0) this.recordedKeys.add(key);
  }

  /** A sentence for each key without a recorded inner call, and for each path without a value in any call. */
  warnings(): string[] {
    return [...this.unmatched].flatMap(([key, paths]) =>
      this.recordedKeys.has(key)
        ? Array.from(paths, (path) => pathUnused(key, path))
        : [this.keyUnknown(key)],
    );
  }

  private keyUnknown(key: string): string {
    const similar = nearestName(key, [...this.recordedKeys]);
    const cure =
      similar === undefined
        ? 'Use the trace function key of an inner call.'
        : `Did you mean ${JSON.stringify(similar)}?`;
    return `normalize names the key ${JSON.stringify(key)}, but no recorded inner call has it. ${cure}`;
  }
}

function pathUnused(key: string, path: string): string {
  return (
    `normalize[${JSON.stringify(key)}] has the path ${JSON.stringify(path)}, but no call has a value there. ` +
    'Compare it with the arguments of a recorded call: $[0] is the first.'
  );
}

const EXAMPLES = 'Write $[0] for the first argument, $[0].createdAt, $[0].messages[*].id or $..requestId.';
