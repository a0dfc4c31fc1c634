import {
  type CaptureMeta,
  type FieldMeta,
  pointerSteps,
  readNotes,
  type RecordedInstance,
} from '@dacapo/protocol';
import { reachableObjects } from './reachable-objects.js';

/** A value that the record lacks, and its replacement in the decoded arguments. */
interface MissingPart {
  readonly holder: object;
  readonly key: string;
  readonly value: unknown;
}

/**
 * Whether a part of an incomplete recording is still missing in arguments that were built from the
 * recorded ones. Replaced and removed parts are not missing.
 *
 * @param recorded the decoded arguments before the change
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
  // A class hides state; the notes do not say which one.
  return (
    meta?.rebuildable !== true &&
    [...instances].some(([object, { hasMethods }]) => hasMethods && reached.has(object))
  );
}

/** Types that are recorded only by name, or in a form that cannot be decoded. */
const NOT_WHOLE: ReadonlySet<string> = new Set(['opaque', 'toJSON', 'unknown']);

function missingParts(meta: FieldMeta | undefined, recorded: readonly unknown[]): MissingPart[] {
  const { cuts, types } = readNotes(meta);
  const named = types.filter(([, { type }]) => NOT_WHOLE.has(type));
  return [...cuts, ...named].map(([pointer]) => partAt(pointer, recorded));
}

/** The whole map or set for a place inside it, whose keys are not properties. */
function partAt(pointer: string, recorded: readonly unknown[]): MissingPart {
  let part: MissingPart = { holder: recorded, key: '', value: recorded };
  for (const key of pointerSteps(pointer)) {
    if (typeof part.value !== 'object' || part.value === null || !Object.hasOwn(part.value, key)) break;
    part = { holder: part.value, key, value: Object.getOwnPropertyDescriptor(part.value, key)?.value };
  }
  return part;
}
