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
/** Includes the arguments of commands. */
const VALUES: readonly string[] = [...VALUE_KEYS, 'args'];
const MAP = new Set(['Map']);
/** Byte types that may contain a text. */
const BYTES = new Set([
  'Buffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'head',
]);

/** Returns the pointers of bytes that may be a text. */
function bytesAt(meta: FieldMeta | undefined): ReadonlySet<string> {
  return new Set(
    Object.entries(meta?.types ?? {}).flatMap(([pointer, note]) => (isBytes(note) ? [pointer] : [])),
  );
}

function isBytes(note: JsonValue): boolean {
  const type = isJsonObject(note) ? note['type'] : note;
  return typeof type === 'string' && BYTES.has(type);
}

/** Removes the notes on bytes that were replaced by text. */
function withoutBytes({ types = {}, ...meta }: FieldMeta = {}): FieldMeta {
  return { ...meta, types: Object.fromEntries(Object.entries(types).filter(([, note]) => !isBytes(note))) };
}

/** The last stage of capture. Passes most fields after a quick check, and redacts the others. */
export class RedactionStage implements Secrets {
  private readonly redactor: Redactor;
  /** Whether every field must be redacted, because the options have a hook or patterns. */
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

  /** What a property's name indicates: see `KEY_FLAGS`. */
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

  /** Masks the secrets in a text outside of values, such as the name of a span. */
  maskText(text: string): string {
    return this.byPatterns ? this.redactor.maskText(text) : text;
  }

  /** Masks credentials in an id, such as a user id, but not the id itself. */
  maskIdentifier(id: string): string {
    return this.byPatterns ? this.redactor.maskIdentifier(id) : id;
  }

  /** Masks secrets that are split across the items of a stream. Returns the kept items; `undefined` if no secret was found. */
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

  /** Redacts the result of a walk. */
  finish(walker: Walker): Captured {
    const { out, meta, replayable, rebuildable, notReadFiles } = walker;
    const utf8 = out.toByteString();
    const captured = new Captured(utf8, meta, replayable, rebuildable);
    const shown = this.mustLook(walker, utf8) ? this.redacted(walker, captured) : captured;
    if (notReadFiles === undefined) return shown;
    return new Captured(shown.utf8, shown.meta, false, false, shown.replayable ? notReadFiles : undefined);
  }

  /** Whether the text of a walk may contain a secret. */
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

  /** Whether bytes of a text or of JSON may contain a secret, by the built-in patterns. Has false positives, but no false negatives. */
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

/** Returns the pointers; if there are very many, those of their containers, which then count as masked. */
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
