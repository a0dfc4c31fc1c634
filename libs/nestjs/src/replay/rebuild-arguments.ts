import { reachableObjects, type RecordedInstance } from '@dacapo/tracer/internal';
import type { ArgumentPipes } from './argument-pipes.js';
import { loadTransformer, loadTypeStorage } from './class-transformer.js';
import { ReplayClassError } from './errors.js';
import type { KnownClasses } from './known-classes.js';
import { InstanceRestorer } from './restore-instances.js';

export interface RebuildParts {
  /** Name of the method, for errors and notes. */
  readonly name: string;
  /** The declared types of the parameters, by position. */
  readonly declared: readonly unknown[];
  /** `undefined` if the method handles no route. */
  readonly pipes: ArgumentPipes | undefined;
  readonly known: KnownClasses;
  /** Reports an argument that does not fit the current method. */
  readonly note: (text: string) => void;
}

/** Declared types that `typeof` can check. */
const PRIMITIVES = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [Boolean, 'boolean'],
  [BigInt, 'bigint'],
]);

/**
 * Restores the arguments that the method received when it was recorded: objects of classes get their classes, and a
 * handler's plain data passes through the pipes of its route. An argument that does not fit is noted and passed as recorded.
 *
 * @param instances the objects in `args` that represent instances of classes
 * @throws ReplayClassError when the class of an object that had methods cannot be restored
 */
export async function rebuildArguments(
  { name, declared, pipes, known, note }: RebuildParts,
  args: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
): Promise<readonly unknown[]> {
  const { restored, made, ambiguous } = await restoreInstances({ declared, known }, args, instances);
  refusePlainData(name, args, instances, { made, ambiguous });
  const misfit = (index: number, problem: string): void => {
    note(`Argument ${index + 1} does not match ${name} today: ${problem}. It was passed as recorded.`);
  };
  return Promise.all(
    restored.map(async (value, index) => {
      const wanted = PRIMITIVES.get(declared[index]);
      if (wanted !== undefined && value !== undefined && value !== null && typeof value !== wanted)
        misfit(index, `it is a ${typeof value}, a ${wanted} is declared`);
      try {
        return pipes === undefined ? value : await pipes.apply(index, value);
      } catch (error) {
        misfit(index, describeError(error));
        return value;
      }
    }),
  );
}

/**
 * Refuses a call whose arguments still contain the plain data of an object that had methods.
 *
 * @throws ReplayClassError for the first such object
 */
export function refusePlainData(
  name: string,
  args: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
  { made, ambiguous }: Pick<Restored, 'made' | 'ambiguous'> = NOTHING_RESTORED,
): void {
  const left = [...instances].filter(([object, { hasMethods }]) => hasMethods && !made.has(object));
  if (left.length === 0) return;
  const reached = reachableObjects(args);
  const first = left.find(([object]) => reached.has(object));
  if (first === undefined) return;
  const [object, { pointer, class: className }] = first;
  const problem = ambiguous.has(object)
    ? 'the application has several classes with that name, and the parameter declares none'
    : 'neither the parameter nor the application has a class with that name, with methods and without private state';
  throw new ReplayClassError(name, pointer, className, problem);
}

interface Restored {
  readonly restored: readonly unknown[];
  /** The restored instances, by the objects that stood for them. */
  readonly made: ReadonlyMap<object, object>;
  readonly ambiguous: ReadonlySet<object>;
}

const NOTHING_RESTORED: Pick<Restored, 'made' | 'ambiguous'> = { made: new Map(), ambiguous: new Set() };

async function restoreInstances(
  { declared, known }: Pick<RebuildParts, 'declared' | 'known'>,
  args: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
): Promise<Restored> {
  if (instances.size === 0) return { restored: args, ...NOTHING_RESTORED };
  const [transformer, storage] = await Promise.all([loadTransformer(), loadTypeStorage()]);
  const restorer = new InstanceRestorer({ instances, known, transformer, storage });
  const restored = restorer.restoreArguments(args, declared);
  return { restored, made: restorer.made, ambiguous: restorer.ambiguous };
}

/** The details of a validation pipe's exception are in its response; its message is only `Bad Request Exception`. */
function describeError(error: unknown): string {
  const answer = (error as { getResponse?: () => unknown } | null)?.getResponse?.();
  const messages = (answer as { message?: unknown } | undefined)?.message;
  if (Array.isArray(messages)) return messages.slice(0, 3).map(String).join('; ');
  return error instanceof Error ? error.message : String(error);
}
