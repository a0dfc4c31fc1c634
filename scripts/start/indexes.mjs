import { join } from 'node:path';
import { capture } from '../progress.mjs';
import { ROOT } from '../workspace.mjs';
import { StartFailure } from './failure.mjs';
import { ask } from './service.mjs';

const INDEXES = [
  { name: 'Lumen SDK', type: 'SDK', folder: 'lumen-sdk' },
  { name: 'Lumen CLI', type: 'CLI', folder: 'lumen-cli' },
  { name: 'Lumen API', type: 'API', folder: 'lumen-api' },
  { name: 'Lumen handbook', type: 'OTHER', folder: 'lumen-handbook' },
];

/** Adds the sample documentation through `dacapo indexes add`, as far as it is not there. */
export async function addIndexes({ url, apiKey }) {
  const { data } = await ask(`${url}/api/v1/developer/list-indexes`, { apiKey });
  const absent = INDEXES.filter(({ name }) => data.indexes.every((index) => index.name !== name));
  await Promise.all(absent.map((index) => addIndex(index, { url, apiKey })));
}

async function addIndex({ name, type, folder }, { url, apiKey }) {
  const command = [join(ROOT, 'libs/cli/bin/dacapo.cjs'), 'indexes', 'add'];
  const path = join(ROOT, 'sample-app/knowledge', folder);
  const { code, output } = await capture(
    process.execPath,
    [...command, path, '--name', name, '--type', type],
    {
      env: { ...process.env, TRACER_SERVICE_URL: url, TRACER_API_KEY: apiKey },
    },
  );
  if (code === 0) return;
  throw new StartFailure(
    `The index ${name} could not be added`,
    output,
    'See the message above. `dacapo doctor` shows more.',
  );
}
