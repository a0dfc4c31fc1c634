import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { STAND_IN_MODEL, STAND_IN_PORT } from '../identity.js';
import { replyTo } from '../rules/reply-to.js';
import { ApiError } from './api-error.js';
import { completionBody, createCompletion } from './completion.js';
import { completionRequestSchema } from './completion-request.js';
import { completionEvents } from './completion-stream.js';
import { readJsonBody } from './read-body.js';

export interface StandInModel {
  /** Value for OPENAI_BASE_URL. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/**
 * Starts a stand-in for a language model on loopback: an OpenAI-compatible HTTP API whose answers follow rules. The same
 * prompt always gets the same answer.
 *
 * @param options.port 0 picks a free port. Default: 4101
 */
export async function startStandInModel({ port = STAND_IN_PORT } = {}): Promise<StandInModel> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      refuse(response, error);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${taken}/v1`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url?.split('?')[0]}`;
  if (route === 'GET /v1/models') {
    sendJson(response, 200, {
      object: 'list',
      data: [{ id: STAND_IN_MODEL, object: 'model', owned_by: STAND_IN_MODEL }],
    });
  } else if (route === 'POST /v1/chat/completions') {
    await complete(request, response);
  } else {
    throw new ApiError(404, 'invalid_request_error', `The stand-in model has no route ${route}.`);
  }
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parsed = completionRequestSchema.safeParse(await readJsonBody(request));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') ?? null;
    throw new ApiError(
      400,
      'invalid_request_error',
      `Invalid '${param ?? 'body'}': ${issue?.message ?? ''}`,
      param,
    );
  }
  const { data } = parsed;
  const completion = createCompletion(data, replyTo(data));
  if (data.stream !== true) {
    sendJson(response, 200, completionBody(completion));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of completionEvents(completion, data.stream_options?.include_usage === true))
    response.write(event);
  response.end();
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-model': STAND_IN_MODEL });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, error: unknown): void {
  const refusal =
    error instanceof ApiError
      ? error
      : new ApiError(500, 'server_error', error instanceof Error ? error.message : String(error));
  if (response.headersSent) response.destroy();
  else sendJson(response, refusal.status, refusal.body);
}
