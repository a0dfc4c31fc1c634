import { StartFailure } from './failure.mjs';

const TIMEOUT_MS = 120_000;

/** Sends a request and returns its status and JSON body. @throws StartFailure if there is no response */
export async function request(url, { method = 'GET', apiKey, body, headers } = {}) {
  let response;
  let text;
  try {
    response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(apiKey && { 'api-key': apiKey }),
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (error) {
    throw new StartFailure(
      `${method} ${url}: no response`,
      error.cause?.message ?? error.message,
      'Run the command again. If it fails again, report it with the lines above.',
    );
  }
  return { status: response.status, headers: response.headers, text, body: parseJson(text) };
}

/** Returns the body of a 2xx response. @throws StartFailure for any other status */
export async function ask(url, options = {}) {
  const { status, body, text } = await request(url, options);
  if (status >= 200 && status < 300) return body;
  throw new StartFailure(
    `${options.method ?? 'GET'} ${new URL(url).pathname} failed with status ${status}`,
    body?.detail ?? [body?.message].flat().join('\n') ?? text,
    'If the message does not help, report it with the lines above.',
  );
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
