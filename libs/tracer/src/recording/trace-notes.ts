import { LIMITS } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import type { JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';

/** Characters of notes that wait in a trace; more are sent at once. */
const MAX_WAITING_LENGTH = 512 * 1024;
/** Characters, and names, of notes that the root carries; more go as a patch, so that its line holds what else it may hold. */
const MAX_CARRIED_LENGTH = 64 * 1024;
const MAX_CARRIED_NAMES = 500;

const NOTHING = '' as ByteString;

/** What was noted on a trace: its session stays, metadata and contexts wait here until they leave. */
export class TraceNotes {
  /** As a member of a record. */
  private session = NOTHING;
  private isSessionTold = true;
  private metadata: Map<string, string> | undefined;
  private contexts: Map<string, string> | undefined;
  private length = 0;

  /** Whether something has not left yet. */
  get isWaiting(): boolean {
    return !this.isSessionTold || this.metadata !== undefined || this.contexts !== undefined;
  }

  /** Whether so much waits that it must leave at once. */
  get isLarge(): boolean {
    return this.length > MAX_WAITING_LENGTH;
  }

  setSession(id: string, fields: FieldCapture): void {
    const shown = fields.maskText(id).slice(0, LIMITS.labelLength);
    this.session = encodeText(`,"session_id":${JSON.stringify(shown)}`);
    this.isSessionTold = false;
  }

  addMetadata(note: JsonLike, fields: FieldCapture): void {
    this.metadata = this.merge(this.metadata, note, fields);
  }

  addContext(note: JsonLike, fields: FieldCapture): void {
    this.contexts = this.merge(this.contexts, note, fields);
  }

  /** What a span that ends tells of its trace, as members of its record. */
  takeForSpan(isRoot: boolean): ByteString {
    this.isSessionTold = true;
    const { metadata, contexts, session } = this;
    if (!isRoot || (metadata === undefined && contexts === undefined)) return session;
    const names = (metadata?.size ?? 0) + (contexts?.size ?? 0);
    if (names > MAX_CARRIED_NAMES || this.length > MAX_CARRIED_LENGTH) return session;
    return (session + this.take('trace_metadata', 'trace_contexts')) as ByteString;
  }

  /** The rest, as the line of a patch that was made at `at`; `undefined` when all has left. */
  takePatch(traceId: string, at: () => string): ByteString | undefined {
    if (!this.isWaiting) return undefined;
    const session = this.isSessionTold ? NOTHING : this.session;
    this.isSessionTold = true;
    const rest = this.take('metadata', 'contexts');
    return `{"trace":{"id":"${traceId}","at":"${at()}"${session}${rest}}}` as ByteString;
  }

  private take(metadataName: string, contextsName: string): ByteString {
    const { metadata, contexts } = this;
    let members = '';
    if (metadata !== undefined) members += `,"${metadataName}":${joinEntries(metadata)}`;
    if (contexts !== undefined) members += `,"${contextsName}":${joinEntries(contexts)}`;
    this.metadata = this.contexts = undefined;
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
