import { isInside, type JsonValue } from '@dacapo/protocol';
import type { ResolvedCaptureOptions } from '../../options/capture-options.js';
import { Captured } from '../captured.js';
import type { Walker } from '../walk/walker.js';
import { Redactor } from './redactor.js';
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
    const { out, notes, replayable, rebuildable } = walker;
    const utf8 = out.toByteString();
    const captured = new Captured(utf8, notes.toMeta(), replayable, rebuildable);
    const mustLook =
      this.always || walker.metSuspectName || (this.byPatterns && this.isSuspect(walker, utf8));
    return mustLook ? this.redacted(walker, captured) : captured;
  }

  /** Whether what a walk wrote may hold a secret, or anything at all be one. */
  maySecretsHide(walker: Walker): boolean {
    return (
      this.always ||
      walker.metSuspectName ||
      (this.byPatterns && this.isSuspect(walker, walker.out.toByteString()))
    );
  }

  /** The patterns look for ASCII alone: the bytes of the text do for the text. */
  private isSuspect({ out }: Walker, utf8: string): boolean {
    const { bytes, length, marks, digits } = out;
    return maySecretsHide({ text: utf8, bytes, length, marks, digits }, this.redactor.isSecretName);
  }

  private redacted({ notes }: Walker, captured: Captured): Captured {
    try {
      const json = JSON.parse(captured.json) as JsonValue;
      const { value, masked, altered, renamed } = this.redactor.redact(json, notes.mapPointers());
      if (masked.length + altered.length === 0) return captured;
      const isWhole = notes.drop(masked, altered, renamed);
      const hidden = new Set(renamed);
      const told = [...masked, ...altered].filter((pointer) => !isInside(pointer, hidden));
      const meta = { ...notes.toMeta(), redacted: toldOf(told) };
      const redacted = Captured.of(
        JSON.stringify(value),
        meta,
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
function toldOf(pointers: readonly string[]): string[] {
  let told = [...new Set(pointers)];
  for (let depth = deepest(told); told.length > POINTERS_TOLD; depth--)
    told = [...new Set(told.map((pointer) => pointer.split('/').slice(0, depth).join('/')))];
  return told;
}

function deepest(pointers: readonly string[]): number {
  return pointers.reduce((most, pointer) => Math.max(most, pointer.split('/').length), 0);
}

const MASKED_FIELD = Captured.of(JSON.stringify(MASKED), { redacted: [''] }, false);
