import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { LIMITS, toMembers, hasMembers } from '@dacapo/protocol';
import { Captured } from '../../capture/captured.js';
import { isNodeReadable, isReadableStream } from '../../recording/result/result-kinds.js';
import type { StreamFollower } from '../../recording/result/stream-gatherer.js';
import { trackNodeReadable } from '../../recording/result/track-node-readable.js';
import { trackReadableStream } from '../../recording/result/track-readable-stream.js';
import { readHead, type ResponseHead } from './attempts.js';
import type { AnswerGatherer, BodyRecording } from './model-method.js';
import { defineMember } from './replace-method.js';

/** Members of a response that read its body. */
const BODY_MEMBERS = ['arrayBuffer', 'blob', 'bytes', 'clone', 'formData', 'json', 'text'];

/**
 * Records the body of a response while the caller reads it. The caller keeps the same object, and the tracer reads nothing itself.
 *
 * @returns `false` if the body cannot be followed because it was already read
 */
export function followBody(response: object, recording: BodyRecording): boolean {
  const { body, bodyUsed, status, statusText, headers } = response as Response;
  if (!hasMembers(body) || bodyUsed) return false;
  if (isNodeReadable(body)) {
    trackNodeReadable(
      recording.span,
      body,
      new BodyReading(recording, { ...readHead(response), isNodeStream: true }),
    );
    return true;
  }
  if (!isReadableStream(body) || body.locked) return false;
  const reading = new BodyReading(recording, readHead(response));
  const followed = trackReadableStream(recording.span, body, reading) as ReadableStream<
    Uint8Array<ArrayBuffer>
  >;
  const standIn = new Response(followed, { status, statusText, headers });
  for (const name of ['body', 'bodyUsed'] as const)
    Object.defineProperty(response, name, { get: () => standIn[name], configurable: true });
  for (const name of BODY_MEMBERS) {
    const method: unknown = Reflect.get(standIn, name);
    if (typeof method !== 'function') continue;
    defineMember(response, name, (): unknown => Reflect.apply(method, standIn, []) as unknown);
  }
  return true;
}

/** The response that a replay returns for a recorded one. */
export function reviveResponse(recorded: unknown): unknown {
  const { response, body } = toMembers(recorded);
  const { status, contentType, isNodeStream } = toMembers(response);
  const revived = new Response(body as string | Buffer<ArrayBuffer>, {
    status: typeof status === 'number' ? status : 200,
    headers: typeof contentType === 'string' ? { 'content-type': contentType } : {},
  });
  if (isNodeStream === true) {
    const read = (): Readable => Readable.from([Buffer.from(body as string | Buffer)]);
    Object.defineProperty(revived, 'body', { get: read, configurable: true });
  }
  return revived;
}

/** A body while it is read. If it is too long to be recorded, its size and hash are recorded. */
class BodyReading implements StreamFollower {
  private readonly hash = createHash('sha256');
  private readonly gatherer: AnswerGatherer | undefined;
  private chunks: Buffer[] | undefined = [];
  private size = 0;
  private isDone = false;

  constructor(
    private readonly recording: BodyRecording,
    private readonly head: ResponseHead,
  ) {
    this.gatherer = recording.reader?.gather?.(recording.request);
  }

  add(chunk: unknown): void {
    const { recorder } = this.recording.span.start;
    if (this.isDone || !(chunk instanceof Uint8Array)) return;
    this.recording.guard('reading a body', () => {
      this.gatherer?.add(chunk);
      this.hash.update(chunk);
      this.size += chunk.length;
      if (this.size > LIMITS.mediaBytes || recorder.isFull) this.chunks = undefined;
      if (this.chunks === undefined) return;
      // The reader of the stream may take the memory over.
      this.chunks.push(Buffer.from(chunk));
      recorder.held(this.recording.span, chunk.length);
    });
  }

  succeed(): void {
    if (this.isDone) return;
    const { answer, output } = this.finish();
    this.recording.end(answer, output);
  }

  fail(error: unknown): void {
    if (this.isDone) return;
    this.isDone = true;
    this.recording.fail(error);
  }

  cancel(): void {
    if (this.isDone) return;
    const { output } = this.finish();
    this.recording.span.finish('cancelled', output && new Captured(output.utf8, output.meta, false));
  }

  private finish(): { readonly answer: unknown; readonly output: Captured | undefined } {
    this.isDone = true;
    const { recording, gatherer, chunks, head, size } = this;
    const answer = recording.guard('reading a body', () => gatherer?.answer());
    recording.note(() => (answer === undefined ? undefined : recording.reader?.answer(answer)));
    const { definition, recorder } = recording.span.start;
    if (chunks !== undefined) {
      const body = readable(Buffer.concat(chunks), head.contentType);
      return { answer, output: recorder.fields.captureOutput(definition, { response: head, body }) };
    }
    const cut = { response: { ...head, size, sha256: this.hash.digest('hex') } };
    const output = recorder.fields.captureOutput(definition, cut);
    return { answer, output: output && new Captured(output.utf8, output.meta, false) };
  }
}

/** Converts bytes that are text to a string, which is searched for secrets and can be displayed. */
function readable(bytes: Buffer, contentType = ''): string | Buffer {
  return !/^(?:audio|image|video)\//.test(contentType) && isUtf8(bytes) ? bytes.toString() : bytes;
}
