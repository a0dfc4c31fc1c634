import { isJsonObject, type JsonValue } from '@dacapo/protocol';
import type { Check } from '../run/run.js';

/** Reads the checks in a summary, which the service stores without validation. Drops malformed ones. */
export function readChecks(checks: JsonValue | undefined): Check[] {
  return Array.isArray(checks) ? checks.flatMap(readCheck) : [];
}

function readCheck(check: JsonValue): Check[] {
  if (!isJsonObject(check)) return [];
  const { name, limit, measured, passed, failures, score, min } = check;
  if (typeof name !== 'string' || typeof limit !== 'string' || typeof measured !== 'string') return [];
  if (typeof passed !== 'boolean') return [];
  return [
    {
      name,
      limit,
      measured,
      passed,
      failures: Array.isArray(failures) ? failures.filter((text) => typeof text === 'string') : [],
      ...(typeof score === 'string' && { score }),
      ...(typeof min === 'number' && { min }),
    },
  ];
}
