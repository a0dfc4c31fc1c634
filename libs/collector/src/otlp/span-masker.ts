import {
  type CaptureMeta,
  type ErrorRecord,
  type FieldMeta,
  type HintBudget,
  isInside,
  type JsonObject,
  type JsonValue,
  LIMITS,
  type MaskRules,
  maskValue,
  nameStrength,
  type NameStrength,
  redactionToken,
  type SpanRecord,
  TextMasker,
  type UsageRecord,
} from '@dacapo/protocol';
import { createHmac, randomBytes } from 'node:crypto';
import { RememberedTexts } from './remembered-texts.js';

const LABELS = [
  'name',
  'trace_function_key',
  'session_id',
  'user_id',
  'environment',
  'release',
  'test_run_id',
] as const;
const NAMES_KEPT = 4096;
/** Of a longer name, the end decides. */
const LONGEST_NAME = 256;
/** Most work per span: places of possible secrets, and KiB of text around them. A unit takes 20 to 40 µs. */
const MOST_WORK = 1500;
/** Most characters of all pointers of a field. */
const MOST_POINTER_LENGTH = 256 * 1024;

/**
 * Masks spans by the built-in names and patterns of the tracer, also in JSON inside texts. Each process has a random salt, so equal secrets
 * have equal tokens within one process only.
 */
export class SpanMasker {
  private readonly names = new Map<string, NameStrength | undefined>();
  private readonly rules: MaskRules;
  private readonly budget: HintBudget = { left: MOST_WORK };

  /** @param salt for the tokens; random in each process */
  constructor(readonly salt: Uint8Array = randomBytes(32)) {
    const mask = (secret: string): string =>
      redactionToken(createHmac('sha256', this.salt).update(secret).digest('hex'));
    const nameRule = (name: string): NameStrength | undefined => this.rateName(name);
    const texts = new RememberedTexts(new TextMasker(mask, [], nameRule, false, [], this.budget));
    this.rules = { texts, mask, nameRule, opensJson: true };
  }

  /** @param span is changed */
  mask(span: SpanRecord): SpanRecord {
    this.budget.left = MOST_WORK;
    const { span_data: data } = span;
    const meta: CaptureMeta = { ...data.meta };
    if (data.input !== undefined) data.input = this.maskField('input', data.input, meta) as JsonValue[];
    if (data.output !== undefined) data.output = this.maskField('output', data.output, meta);
    if (data.contexts !== undefined)
      data.contexts = this.maskField('contexts', data.contexts, meta) as JsonObject[];
    if (data.prompt !== undefined) data.prompt = this.maskField('prompt', data.prompt, meta) as string;
    if (data.error !== undefined)
      data.error = maskValue(data.error as unknown as JsonValue, this.rules).value as unknown as ErrorRecord;
    if (Object.keys(meta).length > 0) data.meta = meta;
    if (data.usage !== undefined)
      data.usage = maskValue(data.usage as JsonObject, this.rules).value as UsageRecord;
    for (const label of LABELS) {
      const text = span[label];
      if (text !== undefined) span[label] = this.maskText(text).slice(0, LIMITS.labelLength);
    }
    if (span.tags !== undefined)
      span.tags = span.tags.map((tag) => this.maskText(tag).slice(0, LIMITS.tagLength));
    if (span.trace_metadata !== undefined)
      span.trace_metadata = maskValue(span.trace_metadata, this.rules).value as JsonObject;
    if (span.trace_contexts !== undefined)
      span.trace_contexts = maskValue(span.trace_contexts, this.rules).value as JsonObject;
    return span;
  }

  /** @param value is changed */
  maskValue(value: JsonValue): JsonValue {
    return maskValue(value, this.rules).value;
  }

  maskText(text: string): string {
    return this.rules.texts.mask(text);
  }

  private maskField(
    field: 'input' | 'output' | 'contexts' | 'prompt',
    json: JsonValue,
    meta: CaptureMeta,
  ): JsonValue {
    const { value, masked, altered, renamed } = maskValue(json, this.rules);
    if (masked.length + altered.length === 0) return value;
    const known: FieldMeta = meta[field] ?? {};
    meta[field] = {
      ...known,
      redacted: [...new Set([...(known.redacted ?? []), ...listPlaces([...masked, ...altered], renamed)])],
    };
    if (field === 'input') meta.replayable = false;
    return value;
  }

  /** A name with dots, such as `http.request.header.authorization`, is as secret as its last part. */
  private rateName(name: string): NameStrength | undefined {
    if (name.length > LONGEST_NAME) return this.rateName(name.slice(-LONGEST_NAME));
    if (this.names.has(name)) return this.names.get(name);
    if (this.names.size >= NAMES_KEPT) this.names.clear();
    const last = name.slice(name.lastIndexOf('.') + 1);
    const strength = nameStrength(name) ?? (last === name ? undefined : nameStrength(last));
    this.names.set(name, strength);
    return strength;
  }
}

/** Pointers to the replaced values, or to the whole field where the pointers are very long. */
function listPlaces(pointers: readonly string[], renamed: readonly string[]): readonly string[] {
  if (pointers.reduce((length, pointer) => length + pointer.length, 0) > MOST_POINTER_LENGTH) return [''];
  // A pointer repeats property names, so it would reveal the secret in a masked name.
  const hidden = new Set(renamed);
  return pointers.filter((pointer) => !isInside(pointer, hidden));
}
