import {
  type FieldMeta,
  isInside,
  isJsonObject,
  type JsonValue,
  NAME_KEYS,
  VALUE_KEYS,
} from '@dacapo/protocol';
import { hmacSha256 } from '../../hashing.js';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';
import { Captured } from '../captured.js';
import type { Secrets } from '../walk/field-text.js';
import { KEY_FLAGS } from '../walk/key-table.js';
import type { Walker } from '../walker.js';
import { maskEvents } from './events.js';
import { type Kept, maskPieces } from './pieces.js';
import { Redactor } from './redactor.js';
import { MASKED } from './token.js';

const MOST_POINTERS = 1000;
const PAIR = KEY_FLAGS.name | KEY_FLAGS.value;
const NAME_PROPERTY = new RegExp(`"(?:${NAME_KEYS.join('|')})":"([^"\\\\]{1,64})"`, 'g');
/** Of commands too. */
const VALUES: readonly string[] = [...VALUE_KEYS, 'args'];
const MAP = new Set(['Map']);
/** Of types that may hold a text. */
const BYTES = new Set([
  ...['Buffer', 'Uint8Array', 'Uint8ClampedArray', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'head'],
]);

/** Where a field has bytes that may be a text. */
function bytesAt(meta: FieldMeta | undefined): ReadonlySet<string> {
  return new Set(
    Object.entries(meta?.types ?? {}).flatMap(([pointer, note]) => (isBytes(note) ? [pointer] : [])),
  );
}

function isBytes(note: JsonValue): boolean {
  const type = isJsonObject(note) ? note['type'] : note;
  return typeof type === 'string' && BYTES.has(type);
}

/** The notes on a field whose bytes are written as texts. */
function withoutBytes({ types = {}, ...meta }: FieldMeta = {}): FieldMeta {
  return { ...meta, types: Object.fromEntries(Object.entries(types).filter(([, note]) => !isBytes(note))) };
}

/** The last stage of capture: lets most fields pass at a glance, and redacts the rest. */
export class RedactionStage implements Secrets {
  private readonly redactor: Redactor;
  /** A hook or a pattern of the options must see everything. */
  private readonly always: boolean;
  private readonly byPatterns: boolean;
  readonly masksLongTexts: boolean;

  constructor(private readonly options: ResolvedCaptureOptions) {
    const { redact, redactPatterns } = options;
    this.redactor = new Redactor(options);
    this.always = redact !== undefined || (redactPatterns !== false && redactPatterns.length > 0);
    this.byPatterns = redactPatterns !== false || options.pii.length > 0;
    this.masksLongTexts = this.byPatterns && !this.always && options.pii.length === 0;
  }

  /** What a property's name tells: see `KEY_FLAGS`. */
  readonly flagName = (name: string): number =>
    (this.redactor.isSuspectName(name) ? KEY_FLAGS.suspect : 0) |
    ((NAME_KEYS as readonly string[]).includes(name) ? KEY_FLAGS.name : 0) |
    (VALUES.includes(name) ? KEY_FLAGS.value : 0);

  keyedHash(data: string | Uint8Array): string {
    return hmacSha256(this.options.redactionSecret(), data);
  }

  isSecretText(name: string, text: string): boolean {
    return this.redactor.isSecretText(name, text);
  }

  get isAnythingSecret(): boolean {
    return this.options.redact !== undefined;
  }

  /** A text that is no value, such as the name of a span, without the secrets in it. */
  maskText(text: string): string {
    return this.byPatterns ? this.redactor.maskText(text) : text;
  }

  /** An id that names somebody on purpose, without credentials. */
  maskIdentifier(id: string): string {
    return this.byPatterns ? this.redactor.maskIdentifier(id) : id;
  }

  /** The items of a stream that are kept, without the secrets that came in pieces; `undefined`: there are none. */
  maskPieces(items: readonly Captured[], kept: Kept): readonly Captured[] | undefined {
    if (!this.byPatterns) return undefined;
    const pieces = items.map(({ json, meta }) => ({
      json: JSON.parse(json) as JsonValue,
      bytes: bytesAt(meta),
    }));
    const mask = (text: string): string => this.redactor.maskText(text);
    const maskOne = (text: string, of: Kept): string => maskEvents(text, mask, of);
    const masked = maskPieces(pieces, (text, of) => maskOne(mask(text), of), maskOne, kept);
    return masked?.items.slice(kept.from, kept.to).map((json, index) => {
      const { meta, replayable } = items[kept.from + index] as Captured;
      const isReadable = masked.readable.has(kept.from + index);
      return Captured.of(
        JSON.stringify(json),
        isReadable ? withoutBytes(meta) : meta,
        replayable && !isReadable,
      );
    });
  }

  /** What is sent of what a walk wrote. */
  finish(walker: Walker): Captured {
    const { out, meta, replayable, rebuildable, notReadFiles } = walker;
    const utf8 = out.toByteString();
    const captured = new Captured(utf8, meta, replayable, rebuildable);
    const shown = this.mustLook(walker, utf8) ? this.redacted(walker, captured) : captured;
    if (notReadFiles === undefined) return shown;
    return new Captured(shown.utf8, shown.meta, false, false, shown.replayable ? notReadFiles : undefined);
  }

  /** Whether what a walk wrote may hold a secret, or anything at all be one. */
  maySecretsHide(walker: Walker): boolean {
    return this.mustLook(walker, walker.out.toByteString());
  }

  private mustLook(walker: Walker, utf8: string): boolean {
    const { metNames } = walker;
    return (
      this.always ||
      (metNames & KEY_FLAGS.suspect) !== 0 ||
      ((metNames & PAIR) === PAIR && this.namesSecretBesideValue(utf8)) ||
      (this.options.pii.length > 0 && /[\d@]/.test(utf8)) ||
      (this.byPatterns && walker.out.someUnread(this.isSuspect))
    );
  }

  /** Whether bytes, of a text or of JSON, may hold a secret by the built-in patterns. Wrong only in finding too much. */
  private readonly isSuspect = (bytes: Uint8Array, from: number, to: number): boolean =>
    this.redactor.hints.some(bytes, from, to, () => true);

  private namesSecretBesideValue(utf8: string): boolean {
    for (const [, name = ''] of utf8.matchAll(NAME_PROPERTY))
      if (this.redactor.isSecretName(name)) return true;
    return false;
  }

  private redacted({ notes, maskedTexts }: Walker, captured: Captured): Captured {
    try {
      const json = JSON.parse(captured.json) as JsonValue;
      const { value, masked, altered, renamed, structured } = this.redactor.redact(json, {
        maps: notes.findPointers(MAP),
        bytes: notes.findPointers(BYTES),
        masked: maskedTexts,
      });
      if (masked.length + altered.length === 0) return captured;
      const isWhole = notes.drop(masked, altered, renamed, structured);
      const hidden = new Set(renamed);
      const meta = notes.toMeta();
      const pointers = [...masked, ...altered, ...(meta?.redacted ?? [])];
      const redactions = limitPointers(pointers.filter((pointer) => !isInside(pointer, hidden)));
      const redacted = Captured.of(
        JSON.stringify(value),
        { ...meta, redacted: redactions },
        captured.replayable && isWhole,
        captured.rebuildable && isWhole,
      );
      return redacted.utf8.length <= this.options.maxFieldBytes ? redacted : MASKED_FIELD;
    } catch {
      return MASKED_FIELD;
    }
  }
}

/** All of them or, of very many, what holds them: nothing that was replaced counts as recorded. */
function limitPointers(pointers: readonly string[]): string[] {
  let kept = [...new Set(pointers)];
  for (let depth = deepest(kept); kept.length > MOST_POINTERS; depth--)
    kept = [...new Set(kept.map((pointer) => pointer.split('/').slice(0, depth).join('/')))];
  return kept;
}

function deepest(pointers: readonly string[]): number {
  return pointers.reduce((most, pointer) => Math.max(most, pointer.split('/').length), 0);
}

const MASKED_FIELD = Captured.of(JSON.stringify(MASKED), { redacted: [''] }, false);
