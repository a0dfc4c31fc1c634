import { type AccountDetail, ROUTES } from '@dacapo/protocol';
import type { ServiceClient } from '../service/service-client.js';

/** @throws ServiceRefusedError when the service does not take the key */
export async function checkKey(client: ServiceClient): Promise<string> {
  const { name, id } = await client.get<AccountDetail>(ROUTES.account, 'id', 'name');
  return `accepted for account "${name}" (${id})`;
}
