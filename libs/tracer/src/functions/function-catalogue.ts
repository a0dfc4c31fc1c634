import { type FunctionVersionRecord, routePath, ROUTES } from '@dacapo/protocol';
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
  /** Told when a kept version is used because the service does not answer. */
  readonly onStale: (error: FunctionVersionUncheckedError) => void;
}

const ENTRIES_KEPT = 200;
/** How long the active version is taken for current without asking again. */
const FRESH_FOR_MS = 10_000;

/**
 * Versions of native functions, kept in memory.
 *
 * A numbered version never changes, so it is asked for once. The active one is asked for again when it is no longer
 * fresh, by its ETag; while the service is away the last known goes on being used.
 */
export class FunctionCatalogue {
  private readonly entries = new Map<string, Entry>();
  private readonly inFlight = new Map<string, Promise<FunctionVersionRecord>>();

  constructor(private readonly settings: CatalogueSettings) {}

  /** @throws FunctionNotFoundError, ServiceResponseError, ServiceUnreachableError */
  async get(name: string, version: number | undefined): Promise<FunctionVersionRecord> {
    const path = routePath(ROUTES.functionVersion, { name, version: String(version ?? 'active') });
    const known = this.entries.get(path);
    if (known !== undefined && (version !== undefined || this.isFresh(known))) return known.record;
    const request = this.inFlight.get(path) ?? this.ask(path, name, version, known);
    this.inFlight.set(path, request);
    try {
      return await request;
    } finally {
      this.inFlight.delete(path);
    }
  }

  private async ask(
    path: string,
    name: string,
    version: number | undefined,
    known: Entry | undefined,
  ): Promise<FunctionVersionRecord> {
    try {
      const headers = known?.etag === undefined ? {} : { 'if-none-match': known.etag };
      const answer = await this.settings.service.send('GET', path, { headers });
      if (answer.status === 304 && known !== undefined) {
        known.checkedMs = this.settings.nowMs();
        return known.record;
      }
      if (answer.status === 404) {
        this.entries.delete(path);
        throw new FunctionNotFoundError(name, version);
      }
      const members = ['version', 'source', 'entry'];
      const record = requireBody(answer, `GET ${path}`, members) as FunctionVersionRecord;
      this.keep(path, record, answer.headers.get('etag') ?? undefined);
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

  private keep(path: string, record: FunctionVersionRecord, etag: string | undefined): void {
    this.entries.delete(path);
    this.entries.set(path, { record, etag, checkedMs: this.settings.nowMs() });
    const [oldest] = this.entries.keys();
    if (this.entries.size > ENTRIES_KEPT && oldest !== undefined) this.entries.delete(oldest);
  }
}

/** A 5xx, no answer, or that of something else: the version that is kept is as good as it was. */
function isOutage(error: unknown): error is ServiceUnreachableError | ServiceResponseError {
  return (
    error instanceof ServiceUnreachableError ||
    (error instanceof ServiceResponseError && (error.status >= 500 || error.status < 300))
  );
}
