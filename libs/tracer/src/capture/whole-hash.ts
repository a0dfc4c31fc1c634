import { hashCanonicalForm, type JsonValue, readValue, type WireHash } from '@dacapo/protocol';
import { types } from 'node:util';
import { decodeText } from '../byte-string.js';
import { sha256 } from '../hashing.js';
import type { ResolvedCaptureOptions } from '../options/capture-options.js';
import type { Secrets } from './walk/field-text.js';
import type { KeyTable } from './walk/key-table.js';
import type { StandIns } from './walk/walk.js';
import type { Walker } from './walker.js';

/** Limit per field for text that is written only to hash arrays and objects. The last value may exceed it by the same amount. */
const REWRITTEN_BYTES = 2 * 1024 * 1024;
/** Minimum cost of a hashed value, however small it is. */
const LEAST_REWRITTEN = 4 * 1024;
const MAX_DEPTH = 400;
const LONGEST_FORM = 4 * REWRITTEN_BYTES;

/**
 * Hashes arrays and objects that a walk cut. A second walk writes the whole value, within limits, and its canonical form is hashed
 * (`hashCanonicalForm` of the protocol). There is no hash if the second walk is cut too, or if the value contains parts that are only
 * named. The hash is keyed if the value may contain a secret, which could be guessed from a plain hash. `toJSON` and codecs do not run
 * again.
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

  /** Hashes a value. Returns no hash if that exceeds the limits, or if a part is unknown. Never throws. */
  of(value: object): WireHash {
    // Traps may take any time, and may return other values.
    if (types.isProxy(value)) return {};
    // An item takes at least two bytes.
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
      const hash = hashCanonicalForm(
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
