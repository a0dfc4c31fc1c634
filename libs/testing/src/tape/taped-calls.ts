import type { SpanRecord } from '@dacapo/protocol';
import {
  type AnyFunction,
  areAlike,
  ArgumentNormalizer,
  type ByteString,
  CLIENT_ANSWERS,
  type Codec,
  decodeText,
  findDifferingPaths,
  NetworkDeniedError,
  type OpenedCall,
  openedCallArguments,
  recordedCallArguments,
  type ReplayedCalls,
  type SpanDefinition,
  withFileCodecs,
} from '@dacapo/tracer/engine';
import { types } from 'node:util';
import type { RecordedRoot } from '../cassette/to-recorded-calls.js';
import { CassetteMissError } from '../errors.js';
import type { CassetteOptions } from './cassette-options.js';
import { describeDenial, describeMiss, describeRootMiss } from './describe-miss.js';
import { TapePolicy } from './tape-policy.js';
import { TapedRoot } from './taped-root.js';

/** A span line starts `{"span":{"id":"<16 hex>"`. */
const SPAN_LINE = /^\{"span":\{"id":"([0-9a-f]{16})"/;
const LOOPBACK = /^(localhost|127\.[\d.]+|::1|0\.0\.0\.0)(:|$)|^\/|^:/;

/** Runs the outermost calls of a test, and answers the calls inside them from the cassette. */
export class TapedCalls implements ReplayedCalls {
  readonly clientAnswers: typeof CLIENT_ANSWERS = CLIENT_ANSWERS;
  /** In the order of the calls. */
  readonly roots: TapedRoot[] = [];
  /** A text for each call or connection that the cassette does not answer. */
  readonly misses: string[] = [];
  /** Whether the recording has no call with the key of any miss: the code went on where the recording ends. */
  lacksOnlyKeys = true;
  private readonly bySpanId = new Map<string, TapedRoot | undefined>();
  private readonly free: Set<RecordedRoot>;
  private replayed: RecordedRoot | undefined;
  private readonly policy: TapePolicy;
  private readonly normalizer: ArgumentNormalizer;

  /** @throws InvalidArgumentError when a path of the options cannot be read */
  constructor(
    private readonly name: string,
    readonly recorded: readonly RecordedRoot[],
    private readonly options: CassetteOptions,
  ) {
    this.free = new Set(recorded);
    this.policy = new TapePolicy(options);
    this.normalizer = new ArgumentNormalizer(options.normalize, 'normalize', true);
  }

  /** Recorded outermost calls that the test did not make. */
  get unmade(): readonly RecordedRoot[] {
    return [...this.free];
  }

  /** The next call with the key of this one is a replay of it, whatever its arguments. */
  expectReplay(root: RecordedRoot): void {
    this.replayed = root;
  }

  /** Whether the test has an answer for calls with the key. */
  hasAnswer(key: string): boolean {
    return this.policy.hasAnswer(key);
  }

  opened(call: OpenedCall): void {
    const { parentId } = call.start;
    const above = parentId === undefined ? undefined : this.bySpanId.get(parentId);
    const root = above ?? this.openRoot(call);
    this.bySpanId.set(call.spanId, root);
    root?.calls.opened(call, root !== above);
  }

  chooseFunction(call: OpenedCall, fn: AnyFunction): AnyFunction {
    const root = this.bySpanId.get(call.spanId);
    if (root === undefined) return this.chooseOutside(call, fn);
    return root.calls.chooseFunction(
      call,
      root.spanId === call.spanId ? fn : this.policy.replaceByAnswer(call.start.definition.key, fn),
    );
  }

  written(line: ByteString): void {
    const [, id = ''] = SPAN_LINE.exec(line) ?? [];
    const root = this.bySpanId.get(id);
    if (root?.spanId === id) root.wrote((JSON.parse(decodeText(line)) as { span: SpanRecord }).span);
  }

  /** Nothing of a test reaches the service. */
  keep(): void {
    // `written` has read what is needed.
  }

  ended(call: OpenedCall): void {
    const root = this.bySpanId.get(call.spanId);
    root?.calls.ended(call);
    if (root?.spanId === call.spanId) root.hasEnded = true;
  }

  denyConnection(spanId: string | undefined, target: string): Error | undefined {
    const root = spanId === undefined ? undefined : this.bySpanId.get(spanId);
    if (root === undefined && this.isAllowedOutside(spanId, target)) return undefined;
    const error =
      root === undefined ? new NetworkDeniedError(target) : root.calls.denyConnection(spanId, target);
    if (error !== undefined) this.addMiss(describeDenial(target, root?.key));
    return error;
  }

  clockOffsetMs(): number {
    return 0;
  }

  unanswerable(call: OpenedCall, reason: string): Error {
    const root = this.bySpanId.get(call.spanId);
    if (root !== undefined) return root.calls.unanswerable(call, reason);
    return this.fail(`- ${call.start.definition.key}: ${reason}.`);
  }

  unrecorded(definition: SpanDefinition, fn: AnyFunction): AnyFunction {
    const treatment = this.policy.chooseTreatment(definition);
    if (typeof treatment === 'function') return treatment;
    if (treatment === 'run') return fn;
    throw this.fail(
      `- ${definition.key}: its call could not be recorded, so it has no place in the cassette.`,
    );
  }

  /** The test has ended: fails pending calls. */
  close(): void {
    for (const { calls } of this.roots) calls.close();
  }

  /** Sentences on parts of `normalize` that had no effect. */
  warnings(): readonly string[] {
    return this.normalizer.warnings();
  }

  private isAllowedOutside(spanId: string | undefined, target: string): boolean {
    // The test's own code may call a server that it has started; a live function may connect anywhere.
    return spanId !== undefined || LOOPBACK.test(target);
  }

  /** `undefined` if the cassette has no such outermost call. */
  private openRoot(call: OpenedCall): TapedRoot | undefined {
    const { definition } = call.start;
    const recorded = this.findRecorded(call);
    if (recorded === undefined) {
      // A model that only an adapter observes cannot be stopped.
      if (definition.type === 'llm' && !this.policy.isLive(definition)) this.addMiss(this.describe(call));
      return undefined;
    }
    this.free.delete(recorded);
    const { key } = recorded;
    const root = new TapedRoot(
      recorded,
      call,
      {
        policy: this.policy,
        normalizer: this.normalizer,
        codecs: readCodecs(call),
        nowMs,
        network: 'deny',
        onMiss: (error) => {
          const isUnrecorded = recorded.inner.every((inner) => inner.trace_function_key !== error.key);
          this.addMiss(describeMiss(error, key, recorded.call.status === 'error'), isUnrecorded);
        },
      },
      this.options.ignore ?? [],
    );
    this.roots.push(root);
    return root;
  }

  private findRecorded(call: OpenedCall): RecordedRoot | undefined {
    const { key } = call.start.definition;
    const { replayed } = this;
    if (replayed?.key === key) {
      this.replayed = undefined;
      return replayed;
    }
    const args = openedCallArguments(call, this.normalizer);
    return [...this.free].find(
      (root) =>
        root.key === key &&
        // The input of a span from another tracer need not be arguments.
        (root.call.meta?.source === 'otlp' ||
          areAlike(recordedCallArguments(root.self, this.normalizer), args)),
    );
  }

  private chooseOutside(call: OpenedCall, fn: AnyFunction): AnyFunction {
    const treatment = this.policy.chooseTreatment(call.start.definition);
    if (typeof treatment === 'function') return treatment;
    if (treatment === 'run') return fn;
    const text = this.describe(call);
    const fail = (): never => {
      throw this.fail(text);
    };
    call.isMocked = true;
    return types.isAsyncFunction(fn) ? async () => fail() : fail;
  }

  private describe(call: OpenedCall): string {
    const { key } = call.start.definition;
    const args = openedCallArguments(call, this.normalizer);
    const nearest = this.recorded.filter((root) => root.key === key);
    const differences = nearest
      .filter((root) => this.free.has(root))
      .map(({ self }) => {
        const recorded = recordedCallArguments(self, this.normalizer);
        return recorded && args ? findDifferingPaths(recorded, args) : [];
      })
      .sort((a, b) => a.length - b.length);
    return describeRootMiss(key, {
      keys: [...new Set(this.recorded.map((root) => root.key))],
      isTaken: nearest.length > 0,
      differingPaths: differences[0] ?? [],
    });
  }

  private fail(text: string): CassetteMissError {
    this.addMiss(text);
    return new CassetteMissError(this.name, [text]);
  }

  private addMiss(text: string, isUnrecorded = false): void {
    this.lacksOnlyKeys &&= isUnrecorded;
    if (!this.misses.includes(text)) this.misses.push(text);
  }
}

function readCodecs({ start }: OpenedCall): readonly Codec[] {
  return withFileCodecs(start.recorder.fields.capturer.options.codecs);
}

/** The original clock, because a test may replace it. */
const { performance } = globalThis;
const realNow = performance.now.bind(performance);
const nowMs = (): number => realNow();
