import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that serves versions of native functions with their ETags, and counts what it is asked for. */
export interface FunctionService {
  readonly url: string;
  /** `GET` requests and their answers, such as `active 200`. */
  readonly answers: string[];
  /** Adds a version and activates it. */
  push(name: string, source: string, entry?: string): void;
  /** Answers with this status to everything. */
  failWith: number | undefined;
  close(): Promise<void>;
}

export async function startFunctionService(): Promise<FunctionService> {
  const versions = new Map<string, { name: string; version: number; source: string; entry: string }[]>();
  const answers: string[] = [];
  const http = createServer((request, response) => {
    const [, name = '', path = ''] = /functions\/([^/]+)\/versions\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const all = versions.get(decodeURIComponent(name)) ?? [];
    const found = path === 'active' ? all.at(-1) : all[Number(path) - 1];
    const etag = `"${found?.version}"`;
    const status =
      service.failWith ?? (found === undefined ? 404 : request.headers['if-none-match'] === etag ? 304 : 200);
    answers.push(`${path} ${status}`);
    const body =
      status === 200
        ? { ...found, created_at: '2026-01-01T00:00:00.000000Z', is_active: true }
        : { detail: 'no', status_code: status };
    response.writeHead(status, { 'content-type': 'application/json', etag });
    response.end(status === 304 ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const service: FunctionService = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    answers,
    failWith: undefined,
    push: (name, source, entry = name) => {
      const all = versions.get(name) ?? [];
      versions.set(name, [...all, { name, version: all.length + 1, source, entry }]);
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
  return service;
}

export const SOURCE = `
client<llm> Main {
  provider openai
  options {
    model "gpt-4o-mini"
    api_key env.MODEL_KEY
    base_url env.MODEL_URL
  }
}

client<llm> Second {
  provider anthropic
  options {
    model "claude-sonnet-4-5"
    api_key env.MODEL_KEY
    base_url env.MODEL_HOST
    max_tokens 100
  }
}

class Ticket {
  category "billing" | "technical"
  summary string
}

function ClassifyTicket(text: string, urgency: int?) -> Ticket {
  client Main
  prompt #"
    {{ _.role("system") }}
    Classify.
    {{ _.role("user") }}
    {{ text }}
  "#
}
`;
