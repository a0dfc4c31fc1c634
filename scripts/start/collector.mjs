import { join } from 'node:path';
import { ROOT } from '../workspace.mjs';
import { createApiKey, KeptApiKey } from './api-key.mjs';

const NAME = 'The collector';

/** Starts `dacapo serve` and finds the key for the sample app. Resolves to `{ url, dashboardUrl, apiKey }`. */
export async function startCollector(children, { port, dataDir, storage, spans }) {
  const serve = () =>
    children.start({
      name: NAME,
      args: [
        join(ROOT, 'libs/cli/bin/dacapo.cjs'),
        'serve',
        '--json',
        '--port',
        `${port}`,
        '--data-dir',
        dataDir,
      ],
      // Arguments are in lists of processes, and an address may have a password.
      env: { ...(storage && { DACAPO_STORAGE: storage }), ...(spans && { DACAPO_SPANS: spans }) },
      cure: 'Choose another folder with --data-dir, or another port with --port.',
    });
  const ready = await serve();
  const kept = new KeptApiKey(dataDir);
  const apiKey = ready.apiKey === undefined ? await kept.load(ready.url) : kept.save(ready.apiKey);
  if (apiKey !== undefined) return { ...ready, apiKey };

  const renewed = kept.save(await createApiKey(ready));
  // The key request used up the sign-in link. A restart creates another.
  await children.close(NAME);
  return { ...(await serve()), apiKey: renewed };
}
