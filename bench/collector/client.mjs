import { Agent, request } from 'node:http';

/** A request without progress for this time fails, so that no benchmark waits forever. */
const TIMEOUT_MS = 600_000;

/** A collector client with keep-alive connections. */
export function openClient(url, apiKey, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = (method, path, body, type) =>
    new Promise((resolve, reject) => {
      const headers = {
        'api-key': apiKey,
        ...(body !== undefined && { 'content-type': type, 'content-length': body.length }),
      };
      const sent = request(url + path, { method, agent, headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode < 300) resolve(text);
          else reject(new Error(`${method} ${path} returned ${response.statusCode}: ${text}`));
        });
      });
      sent.once('error', reject);
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error(`${method} ${path} got no response`)));
      sent.end(body);
    });
  return {
    get: async (path) => JSON.parse(await ask('GET', path)),
    post: async (path, value) =>
      JSON.parse(await ask('POST', path, Buffer.from(JSON.stringify(value)), 'application/json')),
    ingest: (body) => ask('POST', '/api/v1/ingest', body, 'application/x-ndjson'),
    close: () => {
      agent.destroy();
    },
  };
}
