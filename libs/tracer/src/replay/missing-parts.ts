import {
  type CaptureMeta,
  type FieldMeta,
  pointerSteps,
  readNotes,
  type RecordedInstance,
} from '@dacapo/protocol';
import { reachableObjects } from './reachable-objects.js';

/** A value that the record does not hold, and what takes its place in the decoded arguments. */
interface MissingPart {
  readonly holder: object;
  readonly key: string;
  readonly value: unknown;
}

/**
 * Whether something of a call that cannot be made again as a whole is still missing in arguments that were made of the
 * recorded ones: what was replaced or left out is not.
 *
 * @param recorded the decoded arguments, as they were before
 */
export function isStillMissing(
  meta: CaptureMeta | undefined,
  recorded: readonly unknown[],
  instances: ReadonlyMap<object, RecordedInstance>,
  args: readonly unknown[],
): boolean {
  const reached = reachableObjects(args);
  const isLeft = ({ holder, key, value }: MissingPart): boolean =>
    holder === recorded ? args.includes(value) : reached.has(holder) && Reflect.get(holder, key) === value;
  if (missingParts(meta?.input, recorded).some(isLeft)) return true;
  // Its class hides state: which of several does is not noted.
  return (
    meta?.rebuildable !== true &&
    [...instances].some(([object, { hasMethods }]) => hasMethods && reached.has(object))
  );
}

/** Of these a name is recorded, or a form that does not lead back. */
const NOT_WHOLE: ReadonlySet<string> = new Set(['opaque', 'toJSON', 'unknown']);

function missingParts(meta: FieldMeta | undefined, recorded: readonly unknown[]): MissingPart[] {
  const { cuts, types } = readNotes(meta);
  const named = types.filter(([, { type }]) => NOT_WHOLE.has(type));
  return [...cuts, ...named].map(([pointer]) => partAt(pointer, recorded));
}

/** Of a place inside a map or a set, whose keys are no properties, the whole of it. */
function partAt(pointer: string, recorded: readonly unknown[]): MissingPart {
  let part: MissingPart = { holder: recorded, key: '', value: recorded };
  for (const key of pointerSteps(pointer)) {
    if (typeof part.value !== 'object' || part.value === null || !Object.hasOwn(part.value, key)) break;
    part = { holder: part.value, key, value: Object.getOwnPropertyDescriptor(part.value, key)?.value };
  }
  return part;
}
