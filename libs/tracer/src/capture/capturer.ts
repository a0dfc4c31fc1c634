import { type JsonValue, mediaReferences } from '@dacapo/protocol';
import { type ByteString, encodeJson } from '../byte-string.js';
import { type KeyedHash, newKeyedHash } from '../hashing.js';
import {
  type CaptureOptions,
  type ResolvedCaptureOptions,
  resolveCaptureOptions,
} from '../options/capture-options.js';
import { Captured } from './captured.js';
import {
  toErrorRecord,
  mendErrorRecord,
  splitErrorNotes,
  withoutProperties,
  withoutValues,
  withoutTexts,
} from './error-record.js';
import { prefixMeta } from './field-meta.js';
import type { MediaBuffer } from './media/media-buffer.js';
import type { Kept } from './redaction/pieces.js';
import { RedactionStage } from './redaction/redaction-stage.js';
import { KeyTable } from './walk/key-table.js';
import { Walker } from './walker.js';
import { WholeHash } from './whole-hash.js';

const WALKS_AT_ONCE = 2;

/**
 * Serializes a value once, at the time of the call.
 *
 * Never throws, and never modifies, awaits, iterates or consumes a value. Of the application's code it runs `toJSON` and codecs
 * (once per object), Proxy traps, and functions in the options. It never runs a getter, not even one of an array item.
 *
 * Not recorded: symbol-keyed, inherited and non-enumerable properties (except those of a thrown error), and extra properties of an
 * array. `forComparison` notes where a value has such data.
 */
export class Capturer {
  readonly options: ResolvedCaptureOptions;
  private readonly mediaLimit: number;
  private readonly redaction: RedactionStage;
  private readonly keys: KeyTable;
  private idle: Walker | undefined;
  private walks = 0;
  private comparing: Capturer | undefined;

  /**
   * @param media holds images, sounds and files until their records are sent; without it, they are recorded inline
   * @throws InvalidOptionError when an option is invalid
   */
  constructor(
    options?: CaptureOptions,
    readonly media?: MediaBuffer,
    private readonly walkerType: typeof Walker = Walker,
  ) {
    this.options = resolveCaptureOptions(options);
    const { maxMediaBytes, metadataOnly } = this.options;
    this.mediaLimit = media === undefined || metadataOnly ? 0 : maxMediaBytes;
    this.redaction = new RedactionStage(this.options);
    this.keys = new KeyTable(this.redaction.flagName);
  }

  /** Whether the running code is the application's, called while a value is recorded. */
  get isCapturing(): boolean {
    return this.walks > 0 || this.comparing?.isCapturing === true;
  }

  /**
   * Returns a capturer for values that a replay compares with recorded ones. It also notes data that a recording omits, so that the
   * verdict is `unknown`. It is slower.
   *
   * @param walkerType the class that writes these values; only replays load it
   */
  forComparison(walkerType: typeof Walker): Capturer {
    const { redactionSecret, ...rest } = this.options;
    return (this.comparing ??= new Capturer(
      { ...rest, redactionSecret: redactionSecret() },
      undefined,
      walkerType,
    ));
  }

  /** Masks the secrets in a text outside of values, such as a session id or the name of a span. */
  maskText(text: string): string {
    return this.redaction.maskText(text);
  }

  /** Whether a property name suggests that its value is secret. */
  readonly isTellingName = (name: string): boolean => this.keys.get(name).flags !== 0;

  /** Masks credentials in an id, such as a user id, but not the id itself. */
  maskIdentifier(id: string): string {
    return this.redaction.maskIdentifier(id);
  }

  /** Masks secrets that are split across the items of a stream. Returns the kept items; `undefined` if no secret was found. */
  maskPieces(items: readonly Captured[], kept: Kept): readonly Captured[] | undefined {
    return this.options.metadataOnly ? undefined : this.redaction.maskPieces(items, kept);
  }

  /** Creates a hash keyed with the redaction secret. */
  newKeyedHash(): KeyedHash {
    return newKeyedHash(this.options.redactionSecret());
  }

  /**
   * Captures one value. `undefined` becomes `null` with a note.
   *
   * @param refersToMedia `false` for values that are sent without a span, because media are sent only with spans
   */
  capture(value: unknown, refersToMedia = true): Captured {
    // A hook or `toJSON` may add a note to a span, which starts a nested walk. The nested walk must not call them again.
    if (this.walks === WALKS_AT_ONCE) return UNREADABLE;
    const walker = this.idle ?? this.newWalker();
    this.idle = undefined;
    this.walks++;
    try {
      walker.mediaLimit = refersToMedia ? this.mediaLimit : 0;
      walker.open();
      walker.write(value, -1, '');
      if (this.options.metadataOnly) return withheld(value, walker.out.length);
      const captured = this.redaction.finish(walker);
      if (walker.media.size > 0) this.keepMedia(walker, captured);
      return captured;
    } catch {
      return UNREADABLE;
    } finally {
      this.walks--;
      walker.close();
      this.idle = walker;
    }
  }

  /** Keeps only media that the value still references after masking. */
  private keepMedia({ media }: Walker, { meta }: Captured): void {
    for (const { id } of mediaReferences(meta).values()) {
      const found = media.get(id);
      if (found !== undefined) this.media?.keep(id, found.type, found.bytes);
    }
  }

  private newWalker(): Walker {
    const { options, keys, redaction, walkerType } = this;
    const standIns = { codec: new Map(), toJSON: new Map() };
    const wholeHash = new WholeHash(options, keys, standIns, redaction, walkerType);
    return new walkerType(options, keys, standIns, redaction, wholeHash);
  }

  /** Captures the arguments of a call as a JSON array. */
  captureArguments(args: readonly unknown[], refersToMedia = true): Captured {
    const captured = this.capture(args, refersToMedia);
    if (captured.utf8.startsWith('[')) return captured;
    return Captured.of(`[${captured.json}]`, captured.meta, captured.replayable);
  }

  /** Captures a value as a JSON object. If the result is not an object, it is wrapped as `{ value }`. */
  captureObject(object: object, refersToMedia = true): Captured {
    const captured = this.capture(object, refersToMedia);
    if (captured.utf8.startsWith('{')) return captured;
    return Captured.of(
      `{"value":${captured.json}}`,
      prefixMeta('/value', captured.meta),
      captured.replayable,
    );
  }

  /**
   * Captures a thrown value as the JSON of an `ErrorRecord`, redacted like any value.
   *
   * @param areValuesRecorded `false` if the call's arguments or result are not recorded. Client errors contain the request and the
   * response, so properties, and messages that quote them, are then omitted too
   */
  captureError(thrown: unknown, areValuesRecorded = true): ByteString {
    if (this.options.metadataOnly)
      return encodeJson(withoutTexts(toErrorRecord(thrown, () => ({ json: '' }))));
    const record = toErrorRecord(thrown, (object) => this.capture(object, false));
    if (!areValuesRecorded || !this.options.output || !this.options.input)
      return this.errorText(this.capture(withoutValues(record), false));
    const captured = this.capture(record, false);
    // With its properties, the record is too large or cannot be masked.
    const isLost = !captured.utf8.startsWith('{');
    return this.errorText(isLost ? this.capture(withoutProperties(record), false) : captured);
  }

  private errorText({ utf8, json, meta }: Captured): ByteString {
    if (meta === undefined && utf8.startsWith('{"name":')) return utf8;
    const { notes, isCut } = splitErrorNotes(meta);
    const mended = mendErrorRecord(JSON.parse(json) as JsonValue);
    return encodeJson({ ...mended, ...(isCut && { cut: true }), ...(notes && { meta: notes }) });
  }
}

/** Describes a value that is not recorded by its kind (list, object or text) and size. */
function withheld(value: unknown, bytes: number): Captured {
  const empty = Array.isArray(value) ? '[]' : typeof value === 'object' && value !== null ? '{}' : 'null';
  return Captured.of(
    typeof value === 'string' ? '""' : empty,
    { types: { '': { type: 'opaque', class: 'Unrecorded' } }, truncated: { '': { bytes, kept: 0 } } },
    false,
  );
}

const UNREADABLE = Captured.of(
  '"[Unreadable]"',
  { types: { '': { type: 'opaque', class: 'Unreadable' } } },
  false,
);
