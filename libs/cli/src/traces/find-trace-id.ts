import { readPages } from '@dacapo/client';
import { findByName, type Named } from '../output/find-by-name.js';
import type { ServiceClient } from '../service/service-client.js';

const TRACE_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The id of a trace, from its id or the beginning. @throws when the beginning matches no trace, or several */
export async function findTraceId(client: ServiceClient, word: string): Promise<string> {
  return TRACE_ID.test(word) ? word : findByName('trace', word, listIds(client));
}

async function* listIds(client: ServiceClient): AsyncGenerator<readonly Named[]> {
  for await (const page of readPages((one) => client.api.traces.list(one)))
    yield page.map(({ id, name, started_at }) => ({ id, detail: `${started_at}  ${name}` }));
}
