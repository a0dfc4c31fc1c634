import type { FunctionVersionSummary } from '@dacapo/protocol';

/** The active version. */
export function findActive(versions: readonly FunctionVersionSummary[]) {
  return versions.find(({ is_active: isActive }) => isActive);
}

/** The version that a roll back activates: the newest one before the active one that calls ran before. */
export function findRollback(versions: readonly FunctionVersionSummary[]) {
  const active = findActive(versions);
  if (active === undefined) return undefined;
  return versions
    .filter(({ version, activated_at: times }) => version < active.version && times.length > 0)
    .toSorted((left, right) => right.version - left.version)[0];
}

/** The two versions that are compared first: the active one with the one to roll back to, or else with its neighbour. */
export function chooseCompared(
  versions: readonly FunctionVersionSummary[],
): [before: number, after: number] | undefined {
  const [active, previous] = [findActive(versions), findRollback(versions)];
  if (active && previous) return [previous.version, active.version];
  const [newest, second] = versions.toSorted((left, right) => right.version - left.version);
  return newest && second && [second.version, newest.version];
}
