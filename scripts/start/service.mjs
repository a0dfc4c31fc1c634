import { StartFailure } from './failure.mjs';

const TIMEOUT_MS = 120_000;

/** Sends a request and gives its status and JSON body. @throws StartFailure when no answer comes */
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
      `${method} ${url} got no answer`,
      error.cause?.message ?? error.message,
      'Run it again; if it stays so, report it with the lines above.',
    );
  }
  return { status: response.status, headers: response.headers, text, body: parseJson(text) };
}

/** The body of an answer with status 2xx. @throws StartFailure for any other */
export async function ask(url, options = {}) {
  const { status, body, text } = await request(url, options);
  if (status >= 200 && status < 300) return body;
  throw new StartFailure(
    `${options.method ?? 'GET'} ${new URL(url).pathname} was answered with ${status}`,
    body?.detail ?? [body?.message].flat().join('\n') ?? text,
    'If the message does not tell what to do, report it with the lines above.',
  );
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
