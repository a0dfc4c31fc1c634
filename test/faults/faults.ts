import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestAnswer } from '@dacapo/protocol';
import type { Exchange, Fault } from './fault-server.js';

function answer(
  { response }: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const healthy: Fault = async (exchange) => {
  answer(exchange, 200, exchange.store(await exchange.body()));
};

/** Reads the body and responds with `status`, but stores nothing. */
export function failing(
  status: number,
  headers: Record<string, string> = {},
  detail = 'out of order',
): Fault {
  return async (exchange) => {
    await exchange.body();
    answer(exchange, status, { detail, status_code: status }, headers);
  };
}

/** Responds like something else: a captive portal, a proxy or another program. Stores nothing. */
export function answering(status: number, body: string): Fault {
  return async (exchange) => {
    await exchange.body();
    exchange.response.writeHead(status).end(body);
  };
}

/** Reads the request and never responds. */
export const hanging: Fault = async (exchange) => {
  await exchange.body();
};

export function slow(delayMs: number): Fault {
  return async (exchange) => {
    const body = await exchange.body();
    await sleep(delayMs);
    answer(exchange, 200, exchange.store(body));
  };
}

/** Resets the connection during the upload. */
export const resetMidBody: Fault = async ({ request }) => {
  await once(request, 'data');
  request.socket.resetAndDestroy();
};

/** Stores the batch, and resets the connection before the response. */
export const storeThenReset: Fault = async (exchange) => {
  exchange.store(await exchange.body());
  exchange.request.socket.resetAndDestroy();
};

/** Stores the batch, and ends the connection during the response. */
export const storeThenTruncate: Fault = async (exchange) => {
  exchange.store(await exchange.body());
  exchange.response.writeHead(200, { 'content-length': 1000 });
  exchange.response.write('{"accepted":');
  await sleep(20);
  exchange.request.socket.destroy();
};

/** Stores the batch, and sends an endless response. */
export const storeThenAnswerEndlessly: Fault = async (exchange) => {
  exchange.store(await exchange.body());
  const { response } = exchange;
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const pour = () => {
    while (response.write(chunk));
  };
  response.on('drain', pour);
  pour();
};

/** Responds only with a switch to another protocol. */
export const switching: Fault = async ({ request, body }) => {
  await body();
  request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n');
};

/** Accepts bodies up to `mostBytes` and rejects larger ones with 413. */
export function limited(mostBytes: number): Fault {
  return async (exchange) => {
    const body = await exchange.body();
    if (body.length > mostBytes) answer(exchange, 413, { detail: 'body too large', status_code: 413 });
    else answer(exchange, 200, exchange.store(body));
  };
}

/** Rejects records for which `isBad` is true, and stores the others. */
export function rejecting(isBad: (line: string) => boolean): Fault {
  return async (exchange) => {
    const lines = (await exchange.body()).toString('utf8').trimEnd().split('\n');
    const good = lines.filter((line) => !isBad(line));
    const rejected = lines.flatMap((line, index) =>
      isBad(line) ? [{ line: index + 1, detail: 'span.name: must be shorter' }] : [],
    );
    exchange.store(Buffer.from(good.join('\n')));
    answer(exchange, 200, { accepted: good.length, rejected } satisfies IngestAnswer);
  };
}

/** Applies `fault` to the first `count` requests; later ones succeed. */
export function first(count: number, fault: Fault): Fault {
  return (exchange) => (exchange.count <= count ? fault(exchange) : healthy(exchange));
}

/** Applies `faults` to requests in rotation. */
export function inTurn(...faults: Fault[]): Fault {
  return (exchange) => faults[(exchange.count - 1) % faults.length]!(exchange);
}
