import {
  countsTokens,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointerTo,
  secretNameRule,
  TextMasker,
} from '@dacapo/protocol';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';
import { applyHook } from './hook.js';
import { mayNameHideSecret } from './suspicion.js';
import { redactionToken } from './token.js';

const SHORTEST_SECRET = 8;

/** What redaction made of one field. */
export interface Redacted {
  readonly value: JsonValue;
  /** What was replaced as a whole. JSON Pointers. */
  readonly masked: readonly string[];
  /** Strings of which a part was replaced. */
  readonly altered: readonly string[];
  /** Properties of whose name a part was replaced, where they stood: their own pointers tell the secret. */
  readonly renamed: readonly string[];
}

/** The one place where secrets leave a record. Works on its JSON, so that no object of the host is touched. */
export class Redactor {
  readonly isSecretName: (name: string) => boolean;
  private readonly texts: TextMasker;
  private readonly mask: (secret: string) => string;
  private readonly hook: ResolvedCaptureOptions['redact'];

  constructor(options: ResolvedCaptureOptions) {
    this.isSecretName = secretNameRule(options.redactKeys);
    this.mask = (secret) => redactionToken(secret, options.redactionSalt);
    this.texts = new TextMasker(this.mask, options.redactPatterns, this.isSecretName);
    this.hook = options.redact;
  }

  /** Whether a property of this name calls for redaction: its value is secret, or the name itself holds a secret. */
  readonly isSuspectName = (name: string): boolean =>
    this.isSecretName(name) ||
    (name.length >= SHORTEST_SECRET && mayNameHideSecret(name) && this.texts.mask(name) !== name);

  /**
   * @param json nobody else's: it is changed
   * @param maps pointers of Maps, which are written as pairs
   * @throws what the hook throws; a `TypeError` when it answers with a promise
   */
  redact(json: JsonValue, maps: ReadonlySet<string>): Redacted {
    const pass = new RedactionPass(this.texts, this.mask, this.isSecretName, maps);
    const { masked, altered, renamed } = pass;
    const value = pass.value(json, '');
    if (this.hook === undefined) return { value, masked, altered, renamed };
    return { value: applyHook(this.hook, value, masked), masked, altered, renamed };
  }
}

/** One field on its way through the built-in rules. */
class RedactionPass {
  readonly masked: string[] = [];
  readonly altered: string[] = [];
  readonly renamed: string[] = [];

  constructor(
    private readonly texts: TextMasker,
    private readonly mask: (secret: string) => string,
    private readonly isSecretName: (name: string) => boolean,
    private readonly maps: ReadonlySet<string>,
  ) {}

  value(json: JsonValue, pointer: string): JsonValue {
    if (typeof json === 'string') return this.text(json, pointer);
    if (Array.isArray(json)) return this.array(json, pointer);
    return isJsonObject(json) ? this.object(json, pointer) : json;
  }

  private text(text: string, pointer: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    const redacted = this.texts.mask(text);
    if (redacted !== text) this.altered.push(pointer);
    return redacted;
  }

  private array(array: JsonValue[], pointer: string): JsonValue {
    const holdsPairs = this.maps.has(pointer);
    for (const [i, item] of array.entries()) {
      array[i] =
        holdsPairs && Array.isArray(item)
          ? this.pair(item, pointerTo(pointer, i))
          : this.value(item, pointerTo(pointer, i));
    }
    return array;
  }

  private pair(pair: JsonValue[], pointer: string): JsonValue {
    const [name, value = null] = pair;
    if (typeof name !== 'string' || !this.isSecret(name, value)) return this.array(pair, pointer);
    pair[1] = this.masking(value, pointerTo(pointer, 1));
    return pair;
  }

  private object(object: JsonObject, pointer: string): JsonValue {
    const redacted: [string, JsonValue][] = [];
    for (const [name, value] of Object.entries(object)) {
      const at = pointerTo(pointer, name);
      const secret = this.isSecret(name, value) && !isLogProbability(object, name);
      const shown = this.text(name, pointer);
      if (shown !== name) this.renamed.push(at);
      redacted.push([shown, secret ? this.masking(value, at) : this.value(value, at)]);
    }
    return Object.fromEntries(redacted);
  }

  private masking(value: JsonValue, pointer: string): string {
    this.masked.push(pointer);
    return this.mask(typeof value === 'string' ? value : JSON.stringify(value));
  }

  private isSecret(name: string, value: JsonValue): boolean {
    return this.isSecretName(name) && canBeSecret(name, value);
  }
}

/** Flags and absences are no secrets, and a number of tokens is none either. */
function canBeSecret(name: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean' || value === '') return false;
  return typeof value !== 'number' || !countsTokens(name);
}

/** A model's answer lists each piece of text as `{ token, logprob }`. */
function isLogProbability(object: JsonObject, name: string): boolean {
  return name === 'token' && Object.hasOwn(object, 'logprob');
}
