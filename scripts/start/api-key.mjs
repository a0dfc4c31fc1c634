import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, request } from './service.mjs';

/** The key of the sample app. The first start stores it next to the data, readable by this user only. */
export class KeptApiKey {
  #path;

  constructor(dataDir) {
    this.#path = join(dataDir, 'sample-app.key');
  }

  save(apiKey) {
    writeFileSync(this.#path, `${apiKey}\n`, { mode: 0o600 });
    return apiKey;
  }

  /** Undefined when there is none, or the service does not know it. */
  async load(url) {
    if (!existsSync(this.#path)) return undefined;
    const apiKey = readFileSync(this.#path, 'utf8').trim();
    const { status } = await request(`${url}/api/v1/account`, { apiKey });
    return status === 200 ? apiKey : undefined;
  }
}

/** Makes a new key in the way that a person would: signs in to the dashboard and asks for one. Uses the link up. */
export async function createApiKey({ url, dashboardUrl }) {
  const { headers } = await request(dashboardUrl);
  const cookie = headers.getSetCookie().map((line) => line.split(';')[0]);
  const { api_key: apiKey } = await ask(`${url}/api/v1/api-keys`, {
    method: 'POST',
    // It replays, and adds indexes.
    body: { name: 'sample-app', scopes: ['replay', 'manage'] },
    headers: { cookie: cookie.join('; '), origin: new URL(url).origin },
  });
  return apiKey;
}
