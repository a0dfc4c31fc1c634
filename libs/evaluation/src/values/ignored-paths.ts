import { type Entry, once, dropHashes, type ValueNode, withoutHashes } from '@dacapo/protocol';
import { InvalidArgumentError } from '../errors.js';
import { singleItems } from './single-items.js';

/** Describes an argument that is a list of paths. */
export interface PathArgument {
  readonly name: string;
  /** A sentence for error messages. */
  readonly examples: string;
  /** Called each time a path removes something. */
  readonly onMatch?: (path: string) => void;
}

const IGNORED_PATHS: PathArgument = {
  name: 'ignore',
  examples: 'Write $.createdAt, $.items[*].id, $["a key"] or $..id, or for errors $error.status.',
};

/** One step of a path. Without `name` it matches any. */
interface Step {
  name?: string;
  /** Any number of steps may come before. */
  isAnywhere: boolean;
}

const STEP = /^(?:(\.\.?)(?:(\*)|([^.[\]*]+))|\[(?:(\*)|(\d+)|"([^"]*)"|'([^']*)')\])/;

/**
 * Returns a function that removes these paths from a value, so that they are not compared: `$.createdAt`, `$.items[*].id`,
 * `$["content-type"]`, `$.rows[0]`, and `$..id` for every `id` at any depth. `*` matches any property or item. Array items keep their
 * index; Map entries match by string or number keys.
 *
 * A cut value can still be shown to differ, but its hash no longer proves equality, because it covers ignored parts too.
 *
 * @param argument name and examples for error messages
 * @throws InvalidArgumentError when a path is invalid, or only `$`
 */
export function withoutPaths(
  paths: readonly string[],
  argument: PathArgument = IGNORED_PATHS,
): (node: ValueNode) => ValueNode {
  const patterns = paths.map((path) => readPath(path, argument));
  if (patterns.length === 0) return (node) => node;
  const noteMatch = (pattern: number): void => argument.onMatch?.(paths[pattern] ?? '');
  return (node) => new Pruning(patterns, noteMatch).prune(node, new Set(patterns.keys()));
}

const ERROR_ROOT = '$error';

/**
 * Splits paths into those of outputs and those of errors, which begin with `$error`: `$error.status`, `$error.cause.code`. Paths of
 * outputs do not apply to errors.
 */
export function splitPaths(paths: readonly string[]): { ofOutputs: string[]; ofErrors: string[] } {
  const isOfError = (path: string): boolean =>
    path.startsWith(ERROR_ROOT) && '.['.includes(path.charAt(ERROR_ROOT.length));
  return {
    ofOutputs: paths.filter((path) => !isOfError(path)),
    ofErrors: paths.filter(isOfError).map((path) => `$${path.slice(ERROR_ROOT.length)}`),
  };
}

/**
 * Whether a path may be ignored by a later decision: it is in outputs, and ends with a name or an index, so that it does not hide all of
 * an output.
 *
 * @throws InvalidArgumentError if not
 */
export function checkIgnorable(path: string): void {
  const isOfError = splitPaths([path]).ofErrors.length > 0;
  const last = isOfError ? undefined : readPath(path, IGNORED_PATHS).at(-1);
  if (last?.name !== undefined) return;
  throw new InvalidArgumentError(
    'ignore',
    `has ${JSON.stringify(path)}, which ${isOfError ? 'is in an error' : 'ends with any name'}`,
    'Name a place in outputs, such as $.createdAt or $.items[*].id.',
  );
}

/** @throws InvalidArgumentError */
function readPath(path: string, { name, examples }: PathArgument): Step[] {
  const steps: Step[] = [];
  let rest = path.startsWith('$') ? path.slice(1) : '';
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (match === null) break;
    const [text, dots, , property, , index, quoted, single] = match;
    const found = property ?? index ?? quoted ?? single;
    steps.push({ isAnywhere: dots === '..', ...(found !== undefined && { name: found }) });
    rest = rest.slice(text.length);
  }
  if (steps.length > 0 && rest === '') return steps;
  throw new InvalidArgumentError(name, `has the invalid path ${JSON.stringify(path)}`, examples);
}

/** Progress of each path: its number plus the number of paths times its matched steps. */
type States = ReadonlySet<number>;

const IGNORED = 'ignored';
const NOTHING: ValueNode = { kind: 'null', json: null, isPlain: true };

class Pruning {
  /** One pruned node per node and state, so that cycles stay cycles. */
  readonly #known = new Map<ValueNode, Map<string, ValueNode>>();
  readonly #patterns: readonly (readonly Step[])[];
  readonly #noteMatch: (pattern: number) => void;

  constructor(patterns: readonly (readonly Step[])[], noteMatch: (pattern: number) => void) {
    this.#patterns = patterns;
    this.#noteMatch = noteMatch;
  }

  prune(node: ValueNode, states: States): ValueNode {
    if (states.size === 0) return node;
    const key = [...states].sort((a, b) => a - b).join();
    const ofNode = this.#known.get(node) ?? new Map<string, ValueNode>();
    this.#known.set(node, ofNode);
    const known = ofNode.get(key) ?? this.#pruned(node, states);
    ofNode.set(key, known);
    return known;
  }

  #pruned(node: ValueNode, states: States): ValueNode {
    switch (node.kind) {
      case 'object':
      case 'class':
      case 'error':
        return {
          ...node,
          ...withoutHashes(node),
          entries: once(() => this.#entries(node.entries(), states)),
        };
      case 'array':
        return { ...node, ...withoutHashes(node), items: once(() => this.#items(node.items(), states)) };
      case 'set':
        return {
          ...node,
          ...withoutHashes(node),
          items: once(() =>
            node.items().flatMap((item) => {
              const after = this.#after(states, undefined);
              return after === IGNORED ? [] : [this.prune(item, after)];
            }),
          ),
        };
      case 'map':
        return {
          ...node,
          ...withoutHashes(node),
          pairs: once(() =>
            node.pairs().flatMap(([key, value]) => {
              const isName = key.kind === 'string' || key.kind === 'number';
              const after = this.#after(states, isName ? String(key.value) : undefined);
              return after === IGNORED ? [] : [[key, this.prune(value, after)] as const];
            }),
          ),
        };
      case 'codec':
      case 'toJSON':
      case 'masked':
        return { ...node, of: this.prune(node.of, states) };
      case 'deep':
        return { ...node, cut: dropHashes(node.cut) };
      default:
        return node;
    }
  }

  #entries(entries: readonly Entry[], states: States): Entry[] {
    return entries.flatMap(([key, value]): Entry[] => {
      const after = this.#after(states, key);
      return after === IGNORED ? [] : [[key, this.prune(value, after)]];
    });
  }

  #items(items: readonly ValueNode[], states: States): ValueNode[] {
    return singleItems(items).map((item, index) => {
      const after = this.#after(states, String(index));
      return after === IGNORED ? NOTHING : this.prune(item, after);
    });
  }

  /** Advances all paths by one step. */
  #after(states: States, name: string | undefined): States | typeof IGNORED {
    const after = new Set<number>();
    let isIgnored = false;
    for (const state of states) {
      const number = state % this.#patterns.length;
      const pattern = this.#patterns[number] ?? [];
      const step = pattern[Math.floor(state / this.#patterns.length)];
      if (step === undefined) continue;
      if (step.isAnywhere) after.add(state);
      if (step.name !== undefined && step.name !== name) continue;
      const next = state + this.#patterns.length;
      if (Math.floor(next / this.#patterns.length) < pattern.length) {
        after.add(next);
        continue;
      }
      isIgnored = true;
      this.#noteMatch(number);
    }
    return isIgnored ? IGNORED : after;
  }
}
