import { LIMITS } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import type { JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';

/** Maximum characters of waiting notes in a trace; more are sent immediately. */
const MAX_WAITING_LENGTH = 512 * 1024;
/** Limits in characters and names for notes that the root carries. Longer notes are sent as a patch, so that the root's line has room. */
const MAX_CARRIED_LENGTH = 64 * 1024;
const MAX_CARRIED_NAMES = 500;

const NOTHING = '' as ByteString;

/** Trace facts that travel on each span. */
type CarriedLabel = 'session_id' | 'user_id';

/** Notes on a trace: session and user stay; tags, metadata and contexts wait here until they are sent. */
export class TraceNotes {
  private readonly labels = new Map<CarriedLabel, string>();
  /** The labels as members of a record. */
  private labelMembers = NOTHING;
  private areLabelsSent = true;
  /** All tags of the trace. */
  private readonly tags = new Set<string>();
  private waitingTags: string[] | undefined;
  private metadata: Map<string, string> | undefined;
  private contexts: Map<string, string> | undefined;
  private length = 0;

  /** Whether some notes are unsent. */
  get isWaiting(): boolean {
    const { metadata, contexts, waitingTags } = this;
    return !this.areLabelsSent || (metadata ?? contexts ?? waitingTags) !== undefined;
  }

  /** Whether the waiting notes are so large that they must be sent immediately. */
  get isLarge(): boolean {
    return this.length > MAX_WAITING_LENGTH;
  }

  setLabel(label: CarriedLabel, id: string, fields: FieldCapture): void {
    const masked = label === 'user_id' ? fields.capturer.maskIdentifier(id) : fields.capturer.maskText(id);
    this.labels.set(label, masked.slice(0, LIMITS.labelLength));
    const members = Array.from(this.labels, ([name, text]) => `,"${name}":${JSON.stringify(text)}`);
    this.labelMembers = encodeText(members.join(''));
    this.areLabelsSent = false;
  }

  /** @returns whether all of them were noted */
  addTags(tags: unknown, fields: FieldCapture): boolean {
    if (!Array.isArray(tags)) return false;
    let isWhole = true;
    for (let index = 0; index < tags.length; index++) {
      const tag: unknown = tags[index];
      const isTag = typeof tag === 'string' && tag.trim() !== '' && tag.length <= LIMITS.tagLength;
      const shown = isTag ? fields.capturer.maskText(tag).slice(0, LIMITS.tagLength) : '';
      if (this.tags.has(shown)) continue;
      if (!isTag || this.tags.size >= LIMITS.tags) {
        isWhole = false;
        if (this.tags.size >= LIMITS.tags) break;
        continue;
      }
      this.tags.add(shown);
      (this.waitingTags ??= []).push(shown);
    }
    return isWhole;
  }

  addMetadata(note: JsonLike, fields: FieldCapture): void {
    this.metadata = this.merge(this.metadata, note, fields);
  }

  addContext(note: JsonLike, fields: FieldCapture): void {
    this.contexts = this.merge(this.contexts, note, fields);
  }

  /** Trace facts of a span that ends, as members of its record. */
  takeForSpan(isRoot: boolean): ByteString {
    this.areLabelsSent = true;
    const { metadata, contexts, waitingTags, labelMembers } = this;
    if (!isRoot || (metadata ?? contexts ?? waitingTags) === undefined) return labelMembers;
    const names = (metadata?.size ?? 0) + (contexts?.size ?? 0);
    if (names > MAX_CARRIED_NAMES || this.length > MAX_CARRIED_LENGTH) return labelMembers;
    return (labelMembers + this.take('trace_metadata', 'trace_contexts')) as ByteString;
  }

  /** The unsent notes, as the line of a patch dated `at`; `undefined` without any. */
  takePatch(traceId: string, at: () => string): ByteString | undefined {
    if (!this.isWaiting) return undefined;
    const labels = this.areLabelsSent ? NOTHING : this.labelMembers;
    this.areLabelsSent = true;
    const rest = this.take('metadata', 'contexts');
    return `{"trace":{"id":"${traceId}","at":"${at()}"${labels}${rest}}}` as ByteString;
  }

  private take(metadataName: string, contextsName: string): ByteString {
    const { metadata, contexts, waitingTags } = this;
    let members = waitingTags === undefined ? '' : `,"tags":${JSON.stringify(waitingTags)}`;
    if (metadata !== undefined) members += `,"${metadataName}":${joinEntries(metadata)}`;
    if (contexts !== undefined) members += `,"${contextsName}":${joinEntries(contexts)}`;
    this.metadata = this.contexts = this.waitingTags = undefined;
    this.length = 0;
    return encodeText(members);
  }

  private merge(
    entries: Map<string, string> | undefined,
    note: JsonLike,
    fields: FieldCapture,
  ): Map<string, string> | undefined {
    const captured = fields.captureEntries(note);
    if (captured.length === 0) return entries;
    const merged = entries ?? new Map<string, string>();
    for (const [key, json] of captured) {
      const before = merged.get(key);
      this.length += before === undefined ? key.length + json.length : json.length - before.length;
      merged.set(key, json);
    }
    return merged;
  }
}

function joinEntries(entries: ReadonlyMap<string, string>): string {
  return `{${Array.from(entries, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
