import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ask, request } from './service.mjs';

/** The key of the sample app. The first start stores it next to the data, readable by this user only. */
export class KeptApiKey {
  #path;

  constructor(dataDir) {
    this.#path = join(dataDir, 'sample-app.key');
  }

  save(apiKey) {
    // A collector that stores in PostgreSQL makes no folder.
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, `${apiKey}\n`, { mode: 0o600 });
    return apiKey;
  }

  /** Returns `undefined` if there is no key, or the service does not know it. */
  async load(url) {
    if (!existsSync(this.#path)) return undefined;
    const apiKey = readFileSync(this.#path, 'utf8').trim();
    const { status } = await request(`${url}/api/v1/account`, { apiKey });
    return status === 200 ? apiKey : undefined;
  }
}

/** Creates a key like a person: signs in to the dashboard and requests one. The sign-in link works only once. */
export async function createApiKey({ url, dashboardUrl }) {
  const { headers } = await request(dashboardUrl);
  const cookie = headers.getSetCookie().map((line) => line.split(';')[0]);
  const { api_key: apiKey } = await ask(`${url}/api/v1/api-keys`, {
    method: 'POST',
    // The sample app replays, and this script adds indexes.
    body: { name: 'sample-app', scopes: ['replay', 'manage'] },
    headers: { cookie: cookie.join('; '), origin: new URL(url).origin },
  });
  return apiKey;
}
