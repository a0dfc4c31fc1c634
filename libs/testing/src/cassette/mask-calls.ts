import {
  BUILT_IN_PATTERNS,
  type CaptureMeta,
  type FieldMeta,
  isInside,
  type JsonValue,
  type MaskRules,
  maskValue,
  PHRASE_PATTERNS,
  readNotes,
  SECRET_NAMES,
  secretNameRule,
  TextMasker,
} from '@dacapo/protocol';
import { sha256 } from '@dacapo/tracer/engine';
import { randomBytes } from 'node:crypto';
import type { CassetteCall } from './cassette.js';

const TOKEN = /\[redacted:[0-9a-f]{8,}\]/g;
const MASKED = /^\[redacted(?::[0-9a-f]{8,})?\]$/;
const DIGITS = 12;

/**
 * Masks calls by the built-in rules, also those that a tracer has masked. Tokens are numbered in the order of the file: they do not
 * depend on a salt, so nobody can find the secret of a token by trying, and they are the same on every machine.
 */
export function maskCalls(calls: readonly CassetteCall[]): CassetteCall[] {
  const masker = new CallMasker();
  return calls.map((call) => masker.mask(call));
}

/** Identifies the rules of this version. */
export function hashRedactionRules(): string {
  const patterns = [...BUILT_IN_PATTERNS, ...PHRASE_PATTERNS].map(({ expression }) => String(expression));
  return sha256(JSON.stringify([patterns, SECRET_NAMES], writeExpression)).slice(0, 16);
}

function writeExpression(_: string, value: unknown): unknown {
  if (value instanceof RegExp) return String(value);
  return value instanceof Set ? [...(value as Set<unknown>)] : value;
}

class CallMasker {
  private readonly salt = randomBytes(32);
  private readonly numbers = new Map<string, string>();
  private readonly rules: MaskRules;

  constructor() {
    const mask = (secret: string): string =>
      MASKED.test(secret) ? secret : `[redacted:${sha256(this.salt, secret).slice(0, DIGITS)}]`;
    const nameRule = secretNameRule([]);
    this.rules = { texts: new TextMasker(mask, [], nameRule), mask, nameRule };
  }

  mask(call: CassetteCall): CassetteCall {
    const meta: CaptureMeta = { ...call.meta };
    const masked = {
      ...call,
      name: this.rules.texts.mask(call.name),
      ...(call.input && { input: this.maskField(call.input, meta, 'input') }),
      ...(call.output !== undefined && { output: this.maskField(call.output, meta, 'output') }),
      ...(call.error && { error: this.maskPlain(call.error) }),
      ...(call.contexts && { contexts: this.maskPlain(call.contexts) }),
      ...(call.usage && { usage: this.maskPlain(call.usage) }),
    };
    if (meta.stream?.returned !== undefined) {
      const { value, notes } = this.maskNoted(meta.stream.returned, meta.stream.returned_meta);
      meta.stream = { ...meta.stream, returned: value, ...(notes && { returned_meta: notes }) };
    }
    if (meta.stream?.chunks !== undefined) {
      const { value, notes } = this.maskNoted(meta.stream.chunks, meta.stream.chunks_meta);
      meta.stream = { ...meta.stream, chunks: value, ...(notes && { chunks_meta: notes }) };
    }
    return this.numberTokens({ ...masked, ...(Object.keys(meta).length > 0 && { meta }) });
  }

  private maskField<T extends JsonValue>(json: T, meta: CaptureMeta, field: 'input' | 'output'): T {
    const { value, notes } = this.maskNoted(json, meta[field]);
    if (notes !== undefined) meta[field] = notes;
    return value as T;
  }

  private maskNoted(
    json: JsonValue,
    notes: FieldMeta | undefined,
  ): { readonly value: JsonValue; readonly notes: FieldMeta | undefined } {
    const { value, masked, altered, renamed } = maskValue(
      structuredClone(json),
      this.rules,
      findPlaces(notes),
    );
    const pointers = [...masked, ...altered];
    if (pointers.length === 0) return { value, notes };
    const hidden = new Set(renamed);
    const added = pointers.filter((pointer) => !isInside(pointer, hidden));
    const known = new Set(notes?.redacted);
    const isNew = (pointer: string): boolean => !known.has(pointer);
    if (!added.some(isNew)) return { value, notes };
    const redacted = [...new Set([...known, ...added])].sort();
    return { value, notes: { ...dropMasked(notes, masked.filter(isNew)), redacted } };
  }

  private maskPlain<T extends object>(value: T): T {
    return maskValue(structuredClone(value) as unknown as JsonValue, this.rules).value as unknown as T;
  }

  private numberTokens(call: CassetteCall): CassetteCall {
    const text = JSON.stringify(call);
    const numbered = text.replace(TOKEN, (token) => {
      const known = this.numbers.get(token);
      if (known !== undefined) return known;
      const number = `[redacted:${(this.numbers.size + 1).toString(16).padStart(DIGITS, '0')}]`;
      this.numbers.set(token, number);
      return number;
    });
    return numbered === text ? call : (JSON.parse(numbered) as CassetteCall);
  }
}

const BYTES = new Set(['bytes', 'head']);

function findPlaces(notes: FieldMeta | undefined): {
  maps: Set<string>;
  bytes: Set<string>;
  masked: Set<string>;
} {
  const { types } = readNotes(notes);
  const pointersOf = (isWanted: (type: string) => boolean): Set<string> =>
    new Set(types.flatMap(([pointer, { type }]) => (isWanted(type) ? [pointer] : [])));
  return {
    maps: pointersOf((type) => type === 'Map'),
    bytes: pointersOf((type) => BYTES.has(type)),
    masked: new Set(),
  };
}

/** Without notes on values that are not there any more. */
function dropMasked(notes: FieldMeta | undefined, masked: readonly string[]): FieldMeta {
  if (notes === undefined) return {};
  const gone = new Set(masked);
  const keep = <T>(entries: Record<string, T> | undefined): Record<string, T> | undefined => {
    const kept = Object.entries(entries ?? {}).filter(([pointer]) => !isInside(pointer, gone));
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  const kept: FieldMeta = { ...notes };
  delete kept.types;
  delete kept.truncated;
  const [types, truncated] = [keep(notes.types), keep(notes.truncated)];
  return { ...kept, ...(types && { types }), ...(truncated && { truncated }) };
}
