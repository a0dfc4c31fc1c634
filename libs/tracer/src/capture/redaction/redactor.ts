import {
  FLAT_HEADERS,
  type MaskedValue,
  type JsonValue,
  isSecretValue,
  maskValue,
  type NameRule,
  secretNameRule,
  SHORTEST_SECRET,
  TextMasker,
  type TypedPlaces,
} from '@dacapo/protocol';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';
import { applyHook } from './hook.js';
import { saltedToken } from './token.js';

/** Members of an object that indicate that other members may be secret. */
const TELLING_NAMES = new Set(['kty', 'apiVersion']);

/** Removes secrets from records; no other code does. Works on JSON, so that no object of the application is touched. */
export class Redactor {
  /** Finds places that may contain a secret, by the built-in patterns. */
  readonly hints: TextMasker['hints'];
  private readonly nameRule: NameRule;
  private readonly texts: TextMasker;
  private readonly identifiers: TextMasker;
  private readonly mask: (secret: string) => string;
  private readonly hook: ResolvedCaptureOptions['redact'];

  constructor(options: ResolvedCaptureOptions) {
    this.nameRule = secretNameRule(options.redactKeys);
    this.mask = (secret) => saltedToken(secret, options.redactionSecret());
    const { redactKeys, redactPatterns, pii } = options;
    const hasOwnNames = redactKeys !== false && redactKeys.length > 0;
    this.texts = new TextMasker(this.mask, redactPatterns, this.nameRule, hasOwnNames, pii);
    this.hints = this.texts.hints;
    this.identifiers = new TextMasker(this.mask, [], this.nameRule, hasOwnNames);
    this.hook = options.redact;
  }

  /** Whether a value with this property name may be secret. */
  readonly isSecretName = (name: string): boolean => this.nameRule(name) !== undefined;

  /** Whether a property with this name needs redaction: its value may be secret, or the name itself contains a secret. */
  readonly isSuspectName = (name: string): boolean =>
    this.isSecretName(name) ||
    TELLING_NAMES.has(name) ||
    FLAT_HEADERS.test(name) ||
    this.maskText(name) !== name;

  /** Whether a text with this property name is masked as a whole. */
  isSecretText(name: string, text: string): boolean {
    const strength = this.nameRule(name);
    return strength !== undefined && isSecretValue(strength, name, text);
  }

  /** Masks the secrets in a text outside of values, such as the name of a span. */
  maskText(text: string): string {
    return text.length < SHORTEST_SECRET ? text : this.texts.mask(text);
  }

  /** Masks credentials in an id, such as a user id. The application's own patterns do not apply to it. */
  maskIdentifier(id: string): string {
    return id.length < SHORTEST_SECRET ? id : this.identifiers.mask(id);
  }

  /**
   * @param json is modified
   * @throws what the hook throws; `TypeError` when it returns a promise
   */
  redact(json: JsonValue, places: TypedPlaces): MaskedValue {
    const { value, masked, ...rest } = maskValue(
      json,
      { texts: this.texts, mask: this.mask, nameRule: this.nameRule },
      places,
    );
    if (this.hook === undefined) return { value, masked, ...rest };
    const replaced = [...masked];
    return { value: applyHook(this.hook, value, replaced), masked: replaced, ...rest };
  }
}
