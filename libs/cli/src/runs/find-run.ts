import { readPages } from '@dacapo/client';
import { findByName, type Named } from '../output/find-by-name.js';
import type { ServiceClient } from '../service/service-client.js';

const RUN_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export function isRunId(word: string): boolean {
  return RUN_ID.test(word);
}

/** Finds a test run by its id, the beginning of its id, or its name. @throws NameAmbiguousError, NameUnknownError */
export async function findRunId(client: ServiceClient, word: string): Promise<string> {
  return isRunId(word) ? word : findByName('test run', word, listRuns(client));
}

async function* listRuns(client: ServiceClient): AsyncGenerator<readonly Named[]> {
  for await (const page of readPages((one) => client.api.testRuns.list(one)))
    yield page.map(({ id, name, created_at: detail }) => ({ id, name, detail }));
}
