import type { ServiceRoute } from './service-route.js';

interface FetchedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/**
 * One request to the service as `fetch` makes it, over a route that `fetch` cannot go: a proxy, certificates, an agent. It has a
 * connection of its own unless the agent is the application's.
 */
export function fetchOver(
  route: ServiceRoute,
  path: string,
  { method, headers, body, signal }: FetchedRequest,
): Promise<Response> {
  const agent = route.createAgent({ keepAlive: false }, { signal });
  return new Promise((resolve, reject) => {
    const options = { ...route.target(path, headers), method, agent, signal };
    const sent = route.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headersDistinct } = response;
        const received = new Headers();
        for (const [name, values = []] of Object.entries(headersDistinct))
          for (const value of values) received.append(name, value);
        const isEmpty = status === 204 || status === 304;
        resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: received }));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
