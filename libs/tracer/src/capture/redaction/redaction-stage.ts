import type { FieldMeta, JsonValue } from '@dacapo/protocol';
import type { ResolvedCaptureOptions } from '../capture-options.js';
import type { Captured } from '../captured.js';
import type { Walker } from '../walk/walker.js';
import { type Redacted, Redactor } from './redactor.js';
import { maySecretsHide } from './suspicion.js';
import { MASKED } from './token.js';

const POINTERS_TOLD = 1000;

/** The last stage of capture: lets most fields pass at a glance, and redacts the rest. */
export class RedactionStage {
  readonly isSuspectName: (name: string) => boolean;
  private readonly redactor: Redactor;
  /** A hook or a pattern of the options must see everything. */
  private readonly always: boolean;
  private readonly byPatterns: boolean;

  constructor(private readonly options: ResolvedCaptureOptions) {
    const { redact, redactPatterns } = options;
    this.redactor = new Redactor(options);
    this.isSuspectName = this.redactor.isSuspectName;
    this.always = redact !== undefined || (redactPatterns !== false && redactPatterns.length > 0);
    this.byPatterns = redactPatterns !== false;
  }

  /** What is sent of what a walk wrote. */
  finish(walker: Walker): Captured {
    const json = walker.out.toText();
    if (this.always || walker.metSuspectName || this.isSuspect(walker, json))
      return this.redacted(walker, json);
    return { json, meta: walker.notes.toMeta(), replayable: walker.replayable };
  }

  private isSuspect({ out }: Walker, text: string): boolean {
    return (
      this.byPatterns &&
      maySecretsHide(
        { text, bytes: out.bytes, length: out.length, marks: out.marks, digits: out.digits },
        this.redactor.isSecretName,
      )
    );
  }

  private redacted(walker: Walker, json: string): Captured {
    const { notes, replayable } = walker;
    try {
      const redacted = this.redactor.redact(JSON.parse(json) as JsonValue, (pointer) => notes.isMap(pointer));
      if (redacted.masked.length + redacted.altered.length === 0)
        return { json, meta: notes.toMeta(), replayable };
      const text = JSON.stringify(redacted.value);
      if (Buffer.byteLength(text) > this.options.maxFieldBytes) return MASKED_FIELD;
      return { json: text, meta: metaOf(walker, redacted), replayable };
    } catch {
      return MASKED_FIELD;
    }
  }
}

function metaOf({ notes }: Walker, { masked, altered }: Redacted): FieldMeta {
  notes.drop(masked, altered);
  return { ...notes.toMeta(), redacted: [...masked, ...altered].slice(0, POINTERS_TOLD) };
}

const MASKED_FIELD: Captured = {
  json: JSON.stringify(MASKED),
  meta: { redacted: [''] },
  replayable: false,
};
