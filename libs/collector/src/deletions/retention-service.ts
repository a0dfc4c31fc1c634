import {
  formatTimestamp,
  LIMITS,
  type PreviewRetentionRequest,
  type RetentionPolicy,
  type RetentionPreview,
  type SetRetentionRequest,
} from '@dacapo/protocol';
import {
  BadRequestException,
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Clock } from '../clock.js';
import { CollectorLogger, describeError } from '../logger.js';
import { Locks } from '../storage/coordination/locks.js';
import type { OldRuns } from '../storage/ports/copies.js';
import type { MediaUse } from '../storage/meta/media.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { DeletionService } from './deletion-service.js';

const APPLY_INTERVAL_MS = 3600 * 1000;
const DAY_US = 24 * 3600 * 1e6;
/** Completed deletions are listed this long. */
const LISTED_US = 400 * DAY_US;
/** Media whose trace has not arrived by then belong to none. */
const MEDIA_WAIT_US = DAY_US;
const TRACES_AT_ONCE = 500;
const USES_AT_ONCE = 500;
const CHECKED_DELETIONS = 200;

/** Applies retention rules when the service starts and every hour: it creates deletions of traces that are too old. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private applying: Promise<void> | undefined;

  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly deletions: DeletionService,
    private readonly locks: Locks,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  onApplicationBootstrap(): void {
    const apply = (): void => {
      this.apply().catch((error: unknown) => {
        this.logger.error(`Retention failed and is retried in an hour: ${describeError(error)}`);
      });
    };
    this.timer = setInterval(apply, APPLY_INTERVAL_MS).unref();
    apply();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.applying?.catch(() => undefined);
  }

  get(accountId: string): Promise<RetentionPolicy> {
    return this.meta.retention.get(accountId);
  }

  /** @throws BadRequestException when the account has `LIMITS.retentionRules` */
  async set(
    accountId: string,
    { trace_function_key: key, days }: SetRetentionRequest,
  ): Promise<RetentionPolicy> {
    const { keys } = await this.get(accountId);
    const isNew = key !== undefined && days !== null && keys.every((one) => one.trace_function_key !== key);
    if (isNew && keys.length >= LIMITS.retentionRules) {
      throw new BadRequestException(
        `An account has at most ${LIMITS.retentionRules} rules for keys. Remove one first`,
      );
    }
    await this.meta.retention.set(accountId, key, days);
    return this.get(accountId);
  }

  /** Counts what the rule would delete now, and all traces that it applies to. */
  async preview(
    accountId: string,
    { trace_function_key: traceFunctionKey, days }: PreviewRetentionRequest,
  ): Promise<RetentionPreview> {
    const { keys } = await this.get(accountId);
    const rule =
      traceFunctionKey === undefined
        ? { exceptKeys: keys.map(({ trace_function_key: key }) => key) }
        : { traceFunctionKey };
    const before = formatTimestamp(this.clock.nowUs() - days * DAY_US);
    const [tooOld, all] = await Promise.all([
      this.spans.deletions.count(accountId, { ...rule, before }),
      this.spans.deletions.count(accountId, rule),
    ]);
    return { ...tooOld, of_traces: all.traces };
  }

  /** Creates deletions of traces that are too old, and removes old deletions from the list. */
  apply(): Promise<void> {
    const { signal } = this.stopping;
    this.applying ??= this.locks
      .exclusively('retention', () => this.applyAll(), signal)
      .finally(() => {
        this.applying = undefined;
      });
    return this.applying;
  }

  private async applyAll(): Promise<void> {
    const nowUs = this.clock.nowUs();
    await this.spans.deletions.forget(formatTimestamp(nowUs));
    await this.meta.forget(formatTimestamp(nowUs));
    await this.meta.deletions.prune(formatTimestamp(nowUs - LISTED_US));
    await this.removeUnusedMedia(formatTimestamp(nowUs - MEDIA_WAIT_US));
    for (const accountId of await this.meta.retention.listAccounts()) {
      const { days, keys } = await this.get(accountId);
      const cutoff = (age: number): string => formatTimestamp(nowUs - age * DAY_US);
      for (const { trace_function_key: traceFunctionKey, days: age } of keys) {
        await this.applyRule(accountId, { traceFunctionKey, before: cutoff(age) });
      }
      const exceptKeys = keys.map(({ trace_function_key }) => trace_function_key);
      if (days !== undefined) await this.applyRule(accountId, { before: cutoff(days), exceptKeys });
    }
  }

  /** @param before when the traces of media were to arrive */
  private async removeUnusedMedia(before: string): Promise<void> {
    const { media } = this.meta;
    let after: MediaUse | undefined;
    do {
      const uses = await media.listUses(before, { limit: USES_AT_ONCE, ...(after && { after }) });
      for (const [accountId, traceIds] of byAccount(uses)) {
        const missing = await this.listMissing(accountId, traceIds);
        if (missing.length > 0) await media.release(accountId, missing);
      }
      after = uses.length === USES_AT_ONCE ? uses.at(-1) : undefined;
    } while (after !== undefined);
    for (const { accountId, id } of await media.listUnused()) await media.removeUnused(accountId, [id]);
  }

  private async listMissing(accountId: string, traceIds: readonly string[]): Promise<string[]> {
    const stored = await this.spans.deletions.list(accountId, { traceIds }, { limit: traceIds.length });
    return traceIds.filter((id) => !stored.traceIds.includes(id));
  }

  private async applyRule(accountId: string, rule: OldRuns): Promise<void> {
    if (await this.isRunning(accountId, rule)) return;
    if (await this.hasOld(accountId, rule)) await this.deletions.createByRule(accountId, rule);
  }

  private async isRunning(accountId: string, { traceFunctionKey }: OldRuns): Promise<boolean> {
    const records = await this.meta.deletions.list(accountId, { limit: CHECKED_DELETIONS });
    return records.some(
      ({ state, reason, scope }) =>
        state !== 'done' && reason === 'retention' && scope.trace_function_key === traceFunctionKey,
    );
  }

  private async hasOld(accountId: string, rule: OldRuns): Promise<boolean> {
    const runs = await this.meta.copies.listRunItems(accountId, { runs: rule }, 1);
    if (runs.length > 0) return true;
    let page = await this.spans.deletions.list(accountId, rule, { limit: TRACES_AT_ONCE });
    while (page.traceIds.length === 0 && page.next !== undefined) {
      const range = { limit: TRACES_AT_ONCE, after: page.next };
      page = await this.spans.deletions.list(accountId, rule, range);
    }
    return page.traceIds.length > 0;
  }
}

function byAccount(uses: readonly MediaUse[]): Map<string, string[]> {
  const traceIds = new Map<string, string[]>();
  for (const { accountId, traceId } of uses)
    traceIds.set(accountId, [...(traceIds.get(accountId) ?? []), traceId]);
  return traceIds;
}
