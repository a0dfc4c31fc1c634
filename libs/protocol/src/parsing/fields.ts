import { describeValue, ProtocolError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { LIMITS } from '../limits.js';
import { parseTimestamp } from '../timestamp.js';

/** Reads the fields of one object. All readers throw a `ProtocolError` with the path of an invalid field. */
export class Fields {
  constructor(
    private readonly path: string,
    private readonly source: JsonObject,
  ) {}

  static of(path: string, value: unknown): Fields {
    if (!isJsonObject(value)) throw new ProtocolError(path, `must be an object, not ${describeValue(value)}`);
    return new Fields(path, value);
  }

  names(): string[] {
    return Object.keys(this.source);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.source, name) && this.source[name] !== null;
  }

  value(name: string): JsonValue | undefined {
    return Object.hasOwn(this.source, name) ? this.source[name] : undefined;
  }

  fail(name: string, problem: string): never {
    throw new ProtocolError(this.path === '' ? name : `${this.path}.${name}`, problem);
  }

  string(name: string): string {
    const value = this.value(name);
    if (typeof value !== 'string') this.fail(name, `must be a string, not ${describeValue(value)}`);
    return value;
  }

  /** A displayed and searched text: not blank, at most `LIMITS.labelLength` characters. */
  label(name: string): string {
    const text = this.text(name, LIMITS.labelLength);
    if (text.trim() === '') this.fail(name, 'must not be blank');
    return text;
  }

  /** A text of at most `most` characters. */
  text(name: string, most: number): string {
    const text = this.string(name);
    if (text.length > most) this.fail(name, `must have at most ${most} characters, not ${text.length}`);
    return text;
  }

  matching(name: string, isValid: (text: string) => boolean, shape: string): string {
    const text = this.string(name);
    if (!isValid(text)) this.fail(name, `must be ${shape}`);
    return text;
  }

  oneOf<const T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.value(name);
    const found = allowed.find((candidate) => candidate === value);
    return found ?? this.fail(name, `must be one of ${allowed.join(', ')}, not ${describeValue(value)}`);
  }

  timestamp(name: string): string {
    return this.matching(
      name,
      (text) => parseTimestamp(text) !== undefined,
      'an ISO 8601 time in UTC, such as 2026-01-31T12:00:00.000000Z',
    );
  }

  /** A finite number, 0 or more. */
  amount(name: string): number {
    const value = this.value(name);
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      this.fail(name, `must be a number of at least 0, not ${describeValue(value)}`);
    }
    return value;
  }

  /** A whole number from `least` to `most`. */
  integer(name: string, least: number, most: number): number {
    const value = this.value(name);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
      this.fail(name, `must be a whole number from ${least} to ${most}, not ${describeValue(value)}`);
    }
    return value;
  }

  /** @param most maximum number of names */
  object(name: string, most = Infinity): JsonObject {
    const value = this.value(name);
    if (!isJsonObject(value)) this.fail(name, `must be an object, not ${describeValue(value)}`);
    const { length } = Object.keys(value);
    if (length > most) this.fail(name, `must have at most ${most} names, not ${length}`);
    return value;
  }

  /** @param most maximum number of entries */
  array(name: string, most = Infinity): JsonValue[] {
    const value = this.value(name);
    if (!Array.isArray(value)) this.fail(name, `must be an array, not ${describeValue(value)}`);
    if (value.length > most) this.fail(name, `must have at most ${most} entries, not ${value.length}`);
    return value;
  }

  /** @param most maximum number of entries */
  objects(name: string, most = Infinity): JsonObject[] {
    return this.array(name, most).map((entry, index) =>
      isJsonObject(entry)
        ? entry
        : this.fail(`${name}[${index}]`, `must be an object, not ${describeValue(entry)}`),
    );
  }

  child(name: string): Fields {
    return new Fields(this.path === '' ? name : `${this.path}.${name}`, this.object(name));
  }
}
