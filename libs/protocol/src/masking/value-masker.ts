import { isDeeperThan } from '../framing/json-bounds.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import { pointerTo } from '../values/pointer.js';
import type { NameRule } from './secret-names.js';
import {
  isHeaderList,
  isLogin,
  isPrivatePart,
  isSecretData,
  isSecretValue,
  readNamedPair,
} from './secret-values.js';
import type { TextMasker } from './text-masker.js';

/** Shorter texts hold no secret. */
export const SHORTEST_SECRET = 8;
/** In a list under a weak name (`tokens`) secrets are as long at least; pieces of text are shorter. */
const SHORTEST_LISTED = 16;
/** Lists in which names and values alternate, as Node has the headers of a message. */
export const FLAT_HEADERS = /^raw(?:headers|trailers)$/i;
const FLAG = /^--[\w-]{1,64}$/;
/** `-u ann:hunter2` of curl; the user of a container is a number. */
const USER_AND_PASSWORD = /^(?=.*[A-Za-z])[^\s:/]{1,256}:[^\s:/]+$/;

/** What masking made of one value. */
export interface MaskedValue {
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

/** How values are masked. */
export interface MaskRules {
  readonly texts: Pick<TextMasker, 'mask'>;
  /** The token in place of a secret. */
  readonly mask: (secret: string) => string;
  readonly nameRule: NameRule;
  /** Texts that are lists or objects in JSON are masked as values. Default: by their patterns alone. */
  readonly opensJson?: boolean;
}

const NO_PLACES: TypedPlaces = { maps: new Set(), bytes: new Set(), masked: new Set() };

/**
 * Masks the secrets in a value by the names and the texts in it.
 *
 * @param json nobody else's: it is changed
 */
export function maskValue(json: JsonValue, rules: MaskRules, places: TypedPlaces = NO_PLACES): MaskedValue {
  const pass = new MaskingPass(rules, places);
  const value = pass.value(json, '');
  const { masked, altered, renamed, structured } = pass;
  return { value, masked, altered, renamed, structured };
}

/** One value on its way through the rules. */
class MaskingPass {
  readonly masked: string[] = [];
  readonly altered: string[] = [];
  readonly renamed: string[] = [];
  readonly structured: string[] = [];

  private readonly texts: MaskRules['texts'];
  private readonly mask: (secret: string) => string;
  private readonly nameRule: NameRule;

  constructor(
    private readonly rules: MaskRules,
    private readonly places: TypedPlaces,
  ) {
    this.texts = rules.texts;
    this.mask = rules.mask;
    this.nameRule = rules.nameRule;
  }

  /** @param name what it stands under */
  value(json: JsonValue, pointer: string, name = ''): JsonValue {
    if (typeof json === 'string') return this.places.masked.has(json) ? json : this.text(json, pointer);
    if (Array.isArray(json)) return this.array(json, pointer, name);
    return isJsonObject(json) ? this.object(json, pointer, name) : json;
  }

  private text(text: string, pointer: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    if (this.places.bytes.has(pointer)) return this.bytes(text, pointer);
    const redacted = this.texts.mask(this.rules.opensJson === true ? this.maskJson(text) : text);
    if (redacted !== text) this.altered.push(pointer);
    return redacted;
  }

  /** A text that is JSON, without the secrets that the names in it tell. */
  private maskJson(text: string): string {
    if (!/^\s*[[{]/.test(text) || isDeeperThan(text, LIMITS.jsonDepth)) return text;
    try {
      const { value, masked, altered, renamed } = maskValue(JSON.parse(text) as JsonValue, this.rules);
      return masked.length + altered.length + renamed.length === 0 ? text : JSON.stringify(value);
    } catch {
      return text;
    }
  }

  /** What bytes say as a text; a part of them cannot be replaced. */
  private bytes(base64: string, pointer: string): string {
    const text = atob(base64);
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
    const pair = readNamedPair(object);
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
