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
 * Turns values into the text that is sent, once, at the time of the call.
 *
 * Never throws, never writes to a value, never awaits, iterates or reads from one that would be consumed, and runs no
 * getter of the host, of items of arrays neither. Code of the host that does run: `toJSON` of classes that have one and codecs, once for an object, traps
 * of a Proxy, and what else the options hold. Not recorded: symbol-keyed, inherited and non-enumerable properties (but for those of a thrown error), names on
 * an array beside its items. `forComparison` notes where there are such.
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
   * @param media where media of values wait; absent: they are recorded where they are
   * @throws InvalidOptionError naming the option that cannot work.
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

  /** The code that runs now is the host's, and runs because a value is being recorded. */
  get isCapturing(): boolean {
    return this.walks > 0 || this.comparing?.isCapturing === true;
  }

  /**
   * The same for values that are compared with recorded ones, where time matters less: it notes where a value has data that no recording
   * shows, so that the verdict is `unknown`.
   *
   * @param walkerType writes these values; only replays load it
   */
  forComparison(walkerType: typeof Walker): Capturer {
    const { redactionSecret, ...rest } = this.options;
    return (this.comparing ??= new Capturer(
      { ...rest, redactionSecret: redactionSecret() },
      undefined,
      walkerType,
    ));
  }

  /** A text that is no value, such as the id of a session or the name of a span, without the secrets in it. */
  maskText(text: string): string {
    return this.redaction.maskText(text);
  }

  /** Whether the value of a property may be secret because of the property's name. */
  readonly isTellingName = (name: string): boolean => this.redaction.flagName(name) !== 0;

  /** An id that names somebody on purpose, without credentials. */
  maskIdentifier(id: string): string {
    return this.redaction.maskIdentifier(id);
  }

  /** Those of items that came one by one that are kept, without the secrets that came in pieces; `undefined`: there are none. */
  maskPieces(items: readonly Captured[], kept: Kept): readonly Captured[] | undefined {
    return this.options.metadataOnly ? undefined : this.redaction.maskPieces(items, kept);
  }

  /** A hash that only who has the redaction secret can make. */
  newKeyedHash(): KeyedHash {
    return newKeyedHash(this.options.redactionSecret());
  }

  /**
   * Records one value. `undefined` has the text `null` and a note.
   *
   * @param refersToMedia `false` for values that travel without a span: nobody sends the media that they refer to
   */
  capture(value: unknown, refersToMedia = true): Captured {
    // A hook or a toJSON may note something on a span: then there is a walk inside a walk, which calls them again.
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

  /** Those that the value still refers to: what was masked leaves no bytes. */
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

  /** Records the arguments of a call: the text is always an array. */
  captureArguments(args: readonly unknown[], refersToMedia = true): Captured {
    const captured = this.capture(args, refersToMedia);
    if (captured.utf8.startsWith('[')) return captured;
    return Captured.of(`[${captured.json}]`, captured.meta, captured.replayable);
  }

  /** Records what is to be an object: the text is one always, with what is none under `value`. */
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
   * Records what was thrown as the JSON of an `ErrorRecord`, redacted like any value.
   *
   * @param areValuesRecorded `false`: arguments or results of the call are not recorded. Errors of clients hold the request and its answer
   * as properties, so these are not recorded either, nor are messages that quote them.
   */
  captureError(thrown: unknown, areValuesRecorded = true): ByteString {
    if (this.options.metadataOnly)
      return encodeJson(withoutTexts(toErrorRecord(thrown, () => ({ json: '' }))));
    const record = toErrorRecord(thrown, (object) => this.capture(object, false));
    if (!areValuesRecorded || !this.options.output || !this.options.input)
      return this.errorText(this.capture(withoutValues(record), false));
    const captured = this.capture(record, false);
    // The record is too large with its properties, or cannot be masked with them.
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

/** What is told of a value that stays where it is: whether it is a list, an object or a text, and its size. */
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
