import type { FunctionVersionRecord } from '@dacapo/protocol';
import { requireBody, type ServiceClient } from '../service/service-client.js';
import { ServiceResponseError, ServiceUnreachableError } from '../service/errors.js';
import { FunctionNotFoundError, FunctionVersionUncheckedError } from './errors.js';

interface Entry {
  readonly record: FunctionVersionRecord;
  readonly etag: string | undefined;
  checkedMs: number;
}

export interface CatalogueSettings {
  readonly service: ServiceClient;
  readonly nowMs: () => number;
  /** Called when a cached version is used because the service does not answer. */
  readonly onStale: (error: FunctionVersionUncheckedError) => void;
}

const ENTRIES_KEPT = 200;
/** How long the active version is used before it is checked again. */
const FRESH_FOR_MS = 10_000;

/**
 * A cache of native functions' versions, in memory.
 *
 * A numbered version never changes and is fetched once. The active version is revalidated by its ETag when it is no longer fresh. While
 * the service is away, the last known version is used.
 */
export class FunctionCatalogue {
  private readonly entries = new Map<string, Entry>();
  private readonly inFlight = new Map<string, Promise<FunctionVersionRecord>>();

  constructor(private readonly settings: CatalogueSettings) {}

  /** @throws FunctionNotFoundError, ServiceResponseError, ServiceUnreachableError */
  async get(name: string, version: number | undefined): Promise<FunctionVersionRecord> {
    const id = `${name}@${version ?? 'active'}`;
    const known = this.entries.get(id);
    if (known !== undefined && (version !== undefined || this.isFresh(known))) return known.record;
    const request = this.inFlight.get(id) ?? this.ask(id, name, version, known);
    this.inFlight.set(id, request);
    try {
      return await request;
    } finally {
      this.inFlight.delete(id);
    }
  }

  private async ask(
    id: string,
    name: string,
    version: number | undefined,
    known: Entry | undefined,
  ): Promise<FunctionVersionRecord> {
    try {
      const parameters = { name, version: String(version ?? 'active') };
      const path = await this.settings.service.path(({ functions }) => functions.get, parameters);
      const headers = known?.etag === undefined ? {} : { 'if-none-match': known.etag };
      const answer = await this.settings.service.send('GET', path, { headers });
      if (answer.status === 304 && known !== undefined) {
        known.checkedMs = this.settings.nowMs();
        return known.record;
      }
      if (answer.status === 404) {
        this.entries.delete(id);
        throw new FunctionNotFoundError(name, version);
      }
      const members = ['version', 'source', 'entry'];
      const record = requireBody(answer, `GET ${path}`, members) as FunctionVersionRecord;
      this.keep(id, record, answer.headers.get('etag') ?? undefined);
      return record;
    } catch (error) {
      if (known === undefined || !isOutage(error)) throw error;
      this.settings.onStale(new FunctionVersionUncheckedError(name, known.record.version, error));
      known.checkedMs = this.settings.nowMs();
      return known.record;
    }
  }

  private isFresh(entry: Entry): boolean {
    return this.settings.nowMs() - entry.checkedMs < FRESH_FOR_MS;
  }

  private keep(id: string, record: FunctionVersionRecord, etag: string | undefined): void {
    this.entries.delete(id);
    this.entries.set(id, { record, etag, checkedMs: this.settings.nowMs() });
    const [oldest] = this.entries.keys();
    if (this.entries.size > ENTRIES_KEPT && oldest !== undefined) this.entries.delete(oldest);
  }
}

/** Whether the service is unavailable: a 5xx, no answer, or an answer of another server. The cached version then stays valid. */
function isOutage(error: unknown): error is ServiceUnreachableError | ServiceResponseError {
  return (
    error instanceof ServiceUnreachableError ||
    (error instanceof ServiceResponseError && (error.status >= 500 || error.status < 300))
  );
}
