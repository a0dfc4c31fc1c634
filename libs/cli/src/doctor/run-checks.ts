import { ApiKeyMissingError } from '../errors.js';
import type { Connection } from '../service/connection.js';
import { ServiceClient } from '../service/service-client.js';
import { checkClock, checkService } from './check-service.js';
import { checkSpan } from './check-span.js';
import { type CallerDetail, ROUTES } from '@dacapo/protocol';

export interface CheckOutcome {
  readonly name: 'service' | 'clock' | 'key' | 'span';
  readonly status: 'ok' | 'failed' | 'skipped';
  /** What was found; of a failed check also what to do. */
  readonly detail: string;
}

/** Runs the checks in the order in which a call meets them; what rests on a failed one is skipped. */
export async function runChecks(connection: Connection): Promise<CheckOutcome[]> {
  const client = new ServiceClient(connection);
  const service = await outcome('service', () => checkService(connection.url));
  const clock = await outcome('clock', () => checkClock(connection.url), [service]);
  const key = await outcome(
    'key',
    async () => {
      if (connection.apiKey === '') throw new ApiKeyMissingError();
      return checkKey(client);
    },
    [service],
  );
  const span = await outcome('span', () => checkSpan(connection, client), [service, key]);
  return [service, clock, key, span];
}

async function outcome(
  name: CheckOutcome['name'],
  check: () => Promise<string>,
  needed: readonly CheckOutcome[] = [],
): Promise<CheckOutcome> {
  const missing = needed.find(({ status }) => status !== 'ok');
  if (missing) return { name, status: 'skipped', detail: `needs ${missing.name}` };
  try {
    return { name, status: 'ok', detail: await check() };
  } catch (error) {
    return { name, status: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws ServiceRefusedError when the service does not take the key */
async function checkKey(client: ServiceClient): Promise<string> {
  const { name, id, scopes } = await client.get<CallerDetail>(ROUTES.account, 'id', 'name', 'scopes[]');
  return `accepted for account "${name}" (${id}); it may ${scopes.join(', ')}`;
}
