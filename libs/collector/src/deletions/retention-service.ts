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
import type { OldRuns } from '../storage/copy-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import { DeletionService } from './deletion-service.js';

const APPLIED_EVERY_MS = 3600 * 1000;
const DAY_US = 24 * 3600 * 1e6;
/** How long deletions that are done are listed. */
const LISTED_US = 400 * DAY_US;
const TRACES_AT_ONCE = 500;
const DELETIONS_LOOKED_AT = 200;

/** How long traces are kept. Rules are applied when the service starts, and every hour: what is too old is deleted as a job. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private applying: Promise<void> | undefined;

  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly deletions: DeletionService,
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  onApplicationBootstrap(): void {
    const apply = (): void => {
      this.apply().catch((error: unknown) => {
        this.logger.error(
          `Retention was not applied, and is tried again in an hour: ${describeError(error)}`,
        );
      });
    };
    this.timer = setInterval(apply, APPLIED_EVERY_MS).unref();
    apply();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.applying?.catch(() => undefined);
  }

  get(accountId: string): Promise<RetentionPolicy> {
    return this.meta.retention.get(accountId);
  }

  /** @throws BadRequestException when there would be too many rules */
  async set(
    accountId: string,
    { trace_function_key: key, days }: SetRetentionRequest,
  ): Promise<RetentionPolicy> {
    const { keys } = await this.get(accountId);
    const isNew = key !== undefined && days !== null && keys.every((one) => one.trace_function_key !== key);
    if (isNew && keys.length >= LIMITS.retentionRules) {
      throw new BadRequestException(
        `An account has at most ${LIMITS.retentionRules} rules of keys. Take one away first`,
      );
    }
    await this.meta.retention.set(accountId, key, days);
    return this.get(accountId);
  }

  /** What a rule would delete now, of how many: none of another rule's. */
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

  /** Begins deletions of what is too old by the clock, and forgets old deletions. */
  apply(): Promise<void> {
    this.applying ??= this.applyAll().finally(() => {
      this.applying = undefined;
    });
    return this.applying;
  }

  private async applyAll(): Promise<void> {
    const nowUs = this.clock.nowUs();
    await this.spans.deletions.forget(formatTimestamp(nowUs));
    await this.meta.deletions.prune(formatTimestamp(nowUs - LISTED_US));
    for (const accountId of await this.meta.retention.listAccounts()) {
      const { days, keys } = await this.get(accountId);
      const beforeOf = (age: number): string => formatTimestamp(nowUs - age * DAY_US);
      for (const { trace_function_key: traceFunctionKey, days: age } of keys) {
        await this.applyRule(accountId, { traceFunctionKey, before: beforeOf(age) });
      }
      const exceptKeys = keys.map(({ trace_function_key }) => trace_function_key);
      if (days !== undefined) await this.applyRule(accountId, { before: beforeOf(days), exceptKeys });
    }
  }

  private async applyRule(accountId: string, rule: OldRuns): Promise<void> {
    const isOver = (await this.isUnderWay(accountId, rule)) || !(await this.hasOld(accountId, rule));
    if (!isOver) await this.deletions.createByRule(accountId, rule);
  }

  private async isUnderWay(accountId: string, { traceFunctionKey }: OldRuns): Promise<boolean> {
    const records = await this.meta.deletions.list(accountId, { limit: DELETIONS_LOOKED_AT });
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
