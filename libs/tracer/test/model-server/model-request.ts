import type { IncomingMessage } from 'node:http';

/** Whatever JSON a provider's client sends. */
type Body = ReturnType<typeof JSON.parse>;

/** One request that the stand-in model server got. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
  readonly model: string;
  /** The text of the last message. */
  readonly text: string;
  /** Of the tool whose result stands last; the empty string before any tool was called. */
  readonly toolResult: string;
}

export async function readRequest(request: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const isJson = !request.headers['content-type']?.startsWith('multipart/');
  const sent = Buffer.concat(chunks).toString();
  const body = isJson ? JSON.parse(sent || '{}') : formFields(sent);
  const path = request.url ?? '/';
  const last = (body.messages ?? body.contents ?? (Array.isArray(body.input) ? body.input : [])).at(-1);
  return {
    path,
    headers: request.headers,
    body,
    model: body.model ?? /models?\/([^/:?]+)/.exec(path)?.[1] ?? '',
    text: contentText(last?.content ?? last?.parts ?? body.input),
    toolResult:
      last?.role === 'tool'
        ? contentText(last.content)
        : last?.content?.[0]?.type === 'tool_result'
          ? contentText(last.content[0].content)
          : last?.parts?.[0]?.functionResponse !== undefined
            ? JSON.stringify(last.parts[0].functionResponse.response)
            : last?.type === 'function_call_output'
              ? String(last.output)
              : '',
  };
}

/** The fields of a form that are no files. */
function formFields(form: string): Body {
  return Object.fromEntries(
    Array.from(form.matchAll(/name="(\w+)"\r\n\r\n([^\r]*)\r\n/g), ([, name, value]) => [name, value]),
  );
}

function contentText(content: Body): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : '';
}
