import {
  countOpenings,
  hasMoreMembers,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  LIMITS,
} from '@dacapo/protocol';
import {
  type OtlpSource,
  type OtlpSpan,
  readJsonResource,
  readJsonScope,
  readJsonSpan,
} from '@dacapo/protocol/otlp';
import { CONTAINER_BYTES, type Reservation } from '../../memory/memory-budget.js';
import type { Turns } from '../../memory/turns.js';
import { SourcePart } from '../source-part.js';
import {
  FrameError,
  MOST_SPAN_BYTES,
  MOST_SPAN_VALUES,
  type SpanFrame,
  type SplitBody,
  TooManySpansError,
} from '../span-frame.js';
import { JsonCursor } from './json-cursor.js';

/**
 * Finds the spans of an `ExportTraceServiceRequest` in JSON. Each is parsed on its own, so invalid JSON in one span does not affect the
 * others. If the brackets of the body do not match, the spans before that point are returned.
 *
 * @throws TooManySpansError when it has more than `LIMITS.bodyLines` spans, resources and scopes
 */
export async function splitJson(body: string, turns: Pick<Turns, 'next'>): Promise<SplitBody> {
  const splitter = new JsonSplitter(body);
  const problems: string[] = [];
  try {
    const walk = splitter.walk();
    while (walk.next().done !== true) await turns.next();
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    problems.push(`The body ${error.message}`);
  }
  return { frames: splitter.frames, problems };
}

/** Its methods yield when other work should run. */
class JsonSplitter {
  readonly frames: SpanFrame[] = [];
  private readonly cursor: JsonCursor;
  private items = 0;

  constructor(private readonly body: string) {
    this.cursor = new JsonCursor(body);
  }

  walk(): Generator<void> {
    return this.cursor.members((name) =>
      name === 'resourceSpans' ? this.cursor.items(() => this.walkResource()) : this.cursor.skip(),
    );
  }

  private *walkResource(): Generator<void> {
    this.count();
    const resource = toResource();
    yield* this.cursor.members((name) => {
      if (name === 'scopeSpans') return this.cursor.items(() => this.walkScope(resource));
      return name === 'resource' ? this.walkPart(resource) : this.cursor.skip();
    });
  }

  private *walkScope(resource: Resource): Generator<void> {
    this.count();
    const scope = toScope();
    yield* this.cursor.members((name) => {
      if (name === 'spans') return this.cursor.items(() => this.walkSpan(resource, scope));
      return name === 'scope' ? this.walkPart(scope) : this.cursor.skip();
    });
  }

  private *walkPart(part: Resource | Scope): Generator<void> {
    part.content = yield* this.walkText();
  }

  private *walkSpan(resource: Resource, scope: Scope): Generator<void> {
    this.count();
    this.frames.push(new JsonFrame(yield* this.walkText(), resource, scope));
  }

  private *walkText(): Generator<void, string> {
    const [start, end] = yield* this.cursor.place();
    return this.body.slice(start, end);
  }

  private count(): void {
    if (++this.items > LIMITS.bodyLines) throw new TooManySpansError();
  }
}

type Resource = ReturnType<typeof toResource>;
type Scope = ReturnType<typeof toScope>;

const toResource = () =>
  new SourcePart(countValues, (text: string) => readJsonResource(parseObject(text)), {});
const toScope = () => new SourcePart(countValues, (text: string) => readJsonScope(parseObject(text)), {});

class JsonFrame implements SpanFrame {
  constructor(
    private readonly text: string,
    readonly resource: Resource,
    private readonly scope: Scope,
  ) {}

  get byteLength(): number {
    return this.text.length + this.resource.byteLength + this.scope.byteLength;
  }

  get sourceWeight(): number {
    return this.resource.weight + this.scope.weight;
  }

  weigh(memory: Reservation): void {
    memory.grow(CONTAINER_BYTES * countValues(this.text));
  }

  decode(): OtlpSpan {
    return readJsonSpan(parseObject(this.text));
  }

  source(): OtlpSource {
    return { resource: this.resource.value, scope: this.scope.value };
  }

  extract(): string {
    const { resource, scope } = this;
    const scopeSpans = `{"scope":${scope.content ?? '{}'},"spans":[${this.text}]}`;
    return `{"resourceSpans":[{"resource":${resource.content ?? '{}'},"scopeSpans":[${scopeSpans}]}]}`;
  }
}

/** The values of a span. Brackets in texts count too, because the texts may be JSON. */
function countValues(text: string): number {
  if (text.length > MOST_SPAN_BYTES) throw new FrameError(`has more than ${MOST_SPAN_BYTES} characters`);
  if (isDeeperThan(text, LIMITS.jsonDepth)) throw new FrameError(`nests deeper than ${LIMITS.jsonDepth}`);
  if (hasMoreMembers(text, MOST_SPAN_VALUES))
    throw new FrameError(`has more than ${MOST_SPAN_VALUES} members`);
  const values = countOpenings(text);
  if (values > MOST_SPAN_VALUES) throw new FrameError(`has more than ${MOST_SPAN_VALUES} values`);
  return values;
}

function parseObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FrameError('is not JSON');
  }
  if (!isJsonObject(value)) throw new FrameError('must be an object');
  return value;
}
