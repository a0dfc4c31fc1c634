import { toMembers } from '@dacapo/protocol';

/**
 * Some helpers read the response of a request by their own promise. They get a response with the same head whose events come from
 * `stream`, so that they read the followed stream, or the answer of a replay.
 */
export function propsOfStream(stream: AsyncIterable<unknown>, props: object): object {
  const { response } = props as { response: Response };
  const { status, statusText, headers, url } = response;
  const again = new Response(ReadableStream.from(encodeEvents(stream)), { status, statusText, headers });
  return { ...props, response: Object.defineProperty(again, 'url', { value: url }) };
}

/** Server-sent events, under the type that each item has. */
async function* encodeEvents(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const item of stream) {
    const { type } = toMembers(item);
    const event = typeof type === 'string' ? `event: ${type}\n` : '';
    yield encoder.encode(`${event}data: ${JSON.stringify(item)}\n\n`);
  }
}
