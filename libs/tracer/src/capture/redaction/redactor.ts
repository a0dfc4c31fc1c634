import {
  isHeaderList,
  isJsonObject,
  isLogin,
  isPrivatePart,
  isSecretData,
  isSecretValue,
  type JsonObject,
  type JsonValue,
  nameBesideValue,
  type NameRule,
  pointerTo,
  secretNameRule,
  TextMasker,
} from '@dacapo/protocol';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';
import { SHORTEST_SECRET } from '../walk/field-text.js';
import { applyHook } from './hook.js';
import { redactionToken } from './token.js';

/** In a list under a weak name (`tokens`) secrets are as long at least; pieces of text are shorter. */
const SHORTEST_LISTED = 16;
/** Lists in which names and values alternate, as Node has the headers of a message. */
const FLAT_HEADERS = /^raw(?:headers|trailers)$/i;
/** Members of an object that tell that others of it may be secret. */
const TELLING_NAMES = new Set(['kty', 'apiVersion']);

const FLAG = /^--[\w-]{1,64}$/;
/** `-u ann:hunter2` of curl; the user of a container is a number. */
const USER_AND_PASSWORD = /^(?=.*[A-Za-z])[^\s:/]{1,256}:[^\s:/]+$/;

/** What redaction made of one field. */
export interface Redacted {
  readonly value: JsonValue;
  /** What was replaced as a whole. JSON Pointers. */
  readonly masked: readonly string[];
  /** Strings of which a part was replaced. */
  readonly altered: readonly string[];
  /** Properties of whose name a part was replaced, where they stood: their own pointers tell the secret. */
  readonly renamed: readonly string[];
  /** Those of `masked` that were no strings in JSON. */
  readonly structured: readonly string[];
}

/** Pointers of what is written as something else in JSON. */
export interface TypedPlaces {
  /** Written as pairs. */
  readonly maps: ReadonlySet<string>;
  /** Written as base64. */
  readonly bytes: ReadonlySet<string>;
  /** Not pointers but texts: they were masked when they were written. */
  readonly masked: ReadonlySet<string>;
}

/** The one place where secrets leave a record. Works on its JSON, so that no object of the host is touched. */
export class Redactor {
  /** Finds places where a secret may be, by the built-in patterns. */
  readonly hints: TextMasker['hints'];
  private readonly nameRule: NameRule;
  private readonly texts: TextMasker;
  private readonly identifiers: TextMasker;
  private readonly mask: (secret: string) => string;
  private readonly hook: ResolvedCaptureOptions['redact'];

  constructor(options: ResolvedCaptureOptions) {
    this.nameRule = secretNameRule(options.redactKeys);
    this.mask = (secret) => redactionToken(secret, options.redactionSecret());
    const { redactKeys, redactPatterns, pii } = options;
    const hasOwnNames = redactKeys !== false && redactKeys.length > 0;
    this.texts = new TextMasker(this.mask, redactPatterns, this.nameRule, hasOwnNames, pii);
    this.hints = this.texts.hints;
    this.identifiers = new TextMasker(this.mask, [], this.nameRule, hasOwnNames);
    this.hook = options.redact;
  }

  /** Whether a value of this name may be secret. */
  readonly isSecretName = (name: string): boolean => this.nameRule(name) !== undefined;

  /** Whether a property of this name calls for redaction: its value may be secret, or the name itself holds a secret. */
  readonly isSuspectName = (name: string): boolean =>
    this.isSecretName(name) ||
    TELLING_NAMES.has(name) ||
    FLAT_HEADERS.test(name) ||
    this.maskText(name) !== name;

  /** Whether a text of this name is masked as a whole. */
  isSecretText(name: string, text: string): boolean {
    const strength = this.nameRule(name);
    return strength !== undefined && isSecretValue(strength, name, text);
  }

  /** A text that is no value, such as the name of a span, without the secrets in it. */
  maskText(text: string): string {
    return text.length < SHORTEST_SECRET ? text : this.texts.mask(text);
  }

  /** An id that names somebody on purpose: patterns of the application's own leave it alone. */
  maskIdentifier(id: string): string {
    return id.length < SHORTEST_SECRET ? id : this.identifiers.mask(id);
  }

  /**
   * @param json nobody else's: it is changed
   * @throws what the hook throws; a `TypeError` when it answers with a promise
   */
  redact(json: JsonValue, places: TypedPlaces): Redacted {
    const pass = new RedactionPass(this.texts, this.mask, this.nameRule, places);
    const { masked, altered, renamed, structured } = pass;
    const value = pass.value(json, '');
    const redacted = this.hook === undefined ? value : applyHook(this.hook, value, masked);
    return { value: redacted, masked, altered, renamed, structured };
  }
}

/** One field on its way through the built-in rules. */
class RedactionPass {
  readonly masked: string[] = [];
  readonly altered: string[] = [];
  readonly renamed: string[] = [];
  readonly structured: string[] = [];

  constructor(
    private readonly texts: TextMasker,
    private readonly mask: (secret: string) => string,
    private readonly nameRule: NameRule,
    private readonly places: TypedPlaces,
  ) {}

  /** @param name what it stands under */
  value(json: JsonValue, pointer: string, name = ''): JsonValue {
    if (typeof json === 'string') return this.places.masked.has(json) ? json : this.text(json, pointer);
    if (Array.isArray(json)) return this.array(json, pointer, name);
    return isJsonObject(json) ? this.object(json, pointer, name) : json;
  }

  private text(text: string, pointer: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    if (this.places.bytes.has(pointer)) return this.bytes(text, pointer);
    const redacted = this.texts.mask(text);
    if (redacted !== text) this.altered.push(pointer);
    return redacted;
  }

  /** What bytes say as a text; a part of them cannot be replaced. */
  private bytes(base64: string, pointer: string): string {
    const text = Buffer.from(base64, 'base64').toString('latin1');
    return this.texts.mask(text) === text ? base64 : this.masking(base64, pointer);
  }

  private array(array: JsonValue[], pointer: string, name: string): JsonValue {
    const holdsPairs = this.places.maps.has(pointer) || array.every(isPair);
    const isFlat = FLAT_HEADERS.test(name) || (!holdsPairs && isHeaderList(array));
    const isListed = this.nameRule(name) === 'weak';
    for (const [i, item] of array.entries()) {
      const at = pointerTo(pointer, i);
      const before = i > 0 ? array[i - 1] : undefined;
      if (holdsPairs && Array.isArray(item)) array[i] = this.pair(item, at);
      else if (
        typeof before === 'string' &&
        (isFlat ? i % 2 === 1 && this.isSecret(before, item) : this.isSecretOption(before, item))
      )
        array[i] = this.masking(item, at);
      else array[i] = isListed ? this.listed(name, item, at) : this.value(item, at);
    }
    return array;
  }

  /** In a list or an object under a weak name. */
  private listed(name: string, value: JsonValue, pointer: string): JsonValue {
    const isSecret =
      typeof value === 'string' && value.length >= SHORTEST_LISTED && this.isSecret(name, value);
    return isSecret ? this.masking(value, pointer) : this.value(value, pointer);
  }

  private pair(pair: JsonValue[], pointer: string): JsonValue {
    const [name, value = null] = pair;
    if (typeof name !== 'string' || !this.isSecret(name, value)) return this.array(pair, pointer, '');
    pair[1] = this.masking(value, pointerTo(pointer, 1));
    return pair;
  }

  private object(object: JsonObject, pointer: string, under: string): JsonValue {
    const redacted: [string, JsonValue][] = [];
    const pair = nameBesideValue(object);
    const isListed = this.nameRule(under) === 'weak';
    for (const [name, value] of Object.entries(object)) {
      const at = pointerTo(pointer, name);
      const isSecret =
        (this.isSecret(name, value) && !isLogProbability(object, name)) ||
        isPrivatePart(object, name) ||
        isLogin(object, name) ||
        (pair?.valueKey === name && this.isSecret(pair.name, value));
      const shown = this.text(name, pointer);
      if (shown !== name) this.renamed.push(at);
      if (isSecret) redacted.push([shown, this.masking(value, at)]);
      else if (isListed && typeof value === 'string') redacted.push([shown, this.listed(under, value, at)]);
      else if (isSecretData(object, name) && isJsonObject(value))
        redacted.push([shown, this.allMasked(value, at)]);
      else redacted.push([shown, this.value(value, at, name)]);
    }
    return Object.fromEntries(redacted);
  }

  private allMasked(values: JsonObject, pointer: string): JsonObject {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.masking(value, pointerTo(pointer, name))]),
    );
  }

  private masking(value: JsonValue, pointer: string): string {
    this.masked.push(pointer);
    if (typeof value !== 'string') this.structured.push(pointer);
    return this.mask(typeof value === 'string' ? value : JSON.stringify(value));
  }

  private isSecret(name: string, value: JsonValue): boolean {
    const strength = this.nameRule(name);
    return strength !== undefined && isSecretValue(strength, name, value);
  }

  /** In a list of a command's arguments: an option that says secret, and what is no option after it. */
  private isSecretOption(before: string, item: JsonValue): boolean {
    if (typeof item !== 'string' || item.startsWith('-')) return false;
    return before === '-u' ? USER_AND_PASSWORD.test(item) : FLAG.test(before) && this.isSecret(before, item);
  }
}

function isPair(item: JsonValue): boolean {
  return Array.isArray(item) && item.length === 2 && typeof item[0] === 'string';
}

/** A model's answer lists each piece of text as `{ token, logprob }`. */
function isLogProbability(object: JsonObject, name: string): boolean {
  return name === 'token' && Object.hasOwn(object, 'logprob');
}
