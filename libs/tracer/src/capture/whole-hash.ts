import { hashOfForm, type JsonValue, readValue, type WireHash } from '@dacapo/protocol';
import { types } from 'node:util';
import { decodeText } from '../byte-string.js';
import { sha256 } from '../hashing.js';
import type { ResolvedCaptureOptions } from '../options/capture-options.js';
import type { Secrets } from './walk/field-text.js';
import type { KeyTable } from './walk/key-table.js';
import type { StandIns } from './walk/walk.js';
import type { Walker } from './walker.js';

/** What one field may write, once more, to hash arrays and objects. The last one may go over it by as much again. */
const REWRITTEN_BYTES = 2 * 1024 * 1024;
/** What one more costs, however small it is. */
const LEAST_REWRITTEN = 4 * 1024;
const MAX_DEPTH = 400;
const LONGEST_FORM = 4 * REWRITTEN_BYTES;

/**
 * Hashes of arrays and objects that a walk cuts: a second walk writes the whole, within bounds, and the hash is of its
 * canonical form (`hashOfForm` of the protocol). There is none where even that is cut, or holds what is only named. Where it may hold a
 * secret the hash is keyed: of a plain one the secret could be guessed. Neither `toJSON` nor a codec runs again for it; the traps of a Proxy do.
 */
export class WholeHash {
  private walker: Walker | undefined;
  private left = REWRITTEN_BYTES;

  constructor(
    private readonly options: ResolvedCaptureOptions,
    private readonly keys: KeyTable,
    private readonly standIns: StandIns,
    private readonly redaction: Secrets & { maySecretsHide(walker: Walker): boolean },
    private readonly walkerType: typeof Walker,
  ) {}

  /** For the next field. */
  reset(): void {
    this.left = REWRITTEN_BYTES;
    this.standIns.codec.clear();
    this.standIns.toJSON.clear();
  }

  /** None when the cost would pass its bounds, or something is not known. Never throws. */
  of(value: object): WireHash {
    // Traps may take any time, and answer otherwise.
    if (types.isProxy(value)) return {};
    // An item takes two bytes at least.
    if (this.left <= 0 || (Array.isArray(value) && value.length > REWRITTEN_BYTES / 2)) return {};
    const { redaction } = this;
    const walker = (this.walker ??= new this.walkerType(
      { ...this.options, maxFieldBytes: REWRITTEN_BYTES, maxDepth: MAX_DEPTH },
      this.keys,
      this.standIns,
      redaction,
    ));
    walker.masksLongTexts = false;
    walker.keepsTails = false;
    walker.open();
    try {
      walker.write(value, -1, '');
      this.left -= walker.isWhole ? walker.out.length + LEAST_REWRITTEN : REWRITTEN_BYTES;
      if (!walker.isWhole) return {};
      const json = JSON.parse(decodeText(walker.out.toByteString())) as JsonValue;
      const isSecret = redaction.maySecretsHide(walker);
      const hash = hashOfForm(
        readValue({ json, meta: walker.meta }),
        isSecret ? (form) => redaction.keyedHash(form) : sha256,
        LONGEST_FORM,
      );
      return hash === undefined ? {} : { [isSecret ? 'hmac' : 'sha256']: hash };
    } catch {
      return {};
    } finally {
      walker.close();
    }
  }
}
