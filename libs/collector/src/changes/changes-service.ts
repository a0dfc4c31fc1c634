import { type ChangesAnswer, type ComparedFigures, formatTimestamp } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { toMetricsItem } from '../metrics/to-metrics-item.js';
import { DAY_HOURS, DAY_US, floorToPeriod, type MetricsRow } from '../storage/ports/metrics-query.js';
import { SpanStore } from '../storage/ports/span-store.js';
import { HOUR_US } from '../storage/rules/contribution.js';
import { Tally } from '../storage/rules/tally.js';
import { type ComparedFunction, findChanges } from './find-changes.js';
import { lastReleases } from './last-releases.js';
import { findNewErrors } from './new-errors.js';

/** Shorter periods are divided into hours, longer ones into days. */
const SHORT_US = 3 * DAY_US;

export interface ChangesQuery {
  sinceUs: number;
  untilUs: number;
  against: 'release' | 'period';
}

/** Calls that started in a time; with `release`, in traces of it alone. */
interface Period {
  sinceUs: number;
  untilUs: number;
  release?: string;
}

interface Compared {
  against: 'release' | 'period';
  isUnread: boolean;
  current: Period;
  baseline: Period;
}

/** What got worse since the release or the period before. */
@Injectable()
export class ChangesService {
  constructor(private readonly store: SpanStore) {}

  async find(accountId: string, query: ChangesQuery): Promise<ChangesAnswer> {
    const { against, isUnread, current, baseline } = await this.choosePeriods(accountId, query);
    const hours = chooseHours(Math.min(lengthOf(current), lengthOf(baseline)));
    const [now, before, errors] = await Promise.all([
      this.readParts(accountId, current, hours),
      this.readParts(accountId, baseline, hours),
      findNewErrors(this.store, accountId, toPeriod(current), toPeriod(baseline)),
    ]);
    const functions = pairFunctions(now.rows, before.rows);
    return {
      against,
      ...(isUnread && { releases_unread: true }),
      current: toPeriod(current),
      baseline: toPeriod(baseline),
      waiting_batches: now.waitingBatches,
      ...(errors.isCut && { failed_traces_unread: true }),
      changes: findChanges(functions, errors.kinds),
      functions: functions.map(toFigures),
    };
  }

  private async choosePeriods(accountId: string, query: ChangesQuery): Promise<Compared> {
    // Stores count whole hours or days.
    const hours = chooseHours(query.untilUs - query.sinceUs);
    const sinceUs = floorToPeriod(query.sinceUs, hours);
    const untilUs = floorToPeriod(query.untilUs + hours * HOUR_US - 1, hours);
    const lookedUs = 2 * sinceUs - untilUs;
    const periods = {
      current: { sinceUs, untilUs },
      baseline: { sinceUs: lookedUs, untilUs: sinceUs },
    };
    if (query.against === 'period' || !(await this.hasReleases(accountId)))
      return { against: 'period', isUnread: false, ...periods };
    const { rows, isTooMuch = false } = await this.store.readMetrics(accountId, {
      sinceUs: lookedUs,
      untilUs,
      hours: 1,
      replays: 'exclude',
      traceFunctionKey: '',
      groupBy: 'release',
    });
    const releases = lastReleases(rows);
    if (releases === undefined) return { against: 'period', isUnread: isTooMuch, ...periods };
    const [latest, previous] = releases;
    return {
      against: 'release',
      isUnread: false,
      current: { sinceUs: latest.sinceUs, untilUs, release: latest.release },
      baseline: { sinceUs: previous.sinceUs, untilUs, release: previous.release },
    };
  }

  /** Whether there are two. To tell when they began, all traces of the time would have to be read. */
  private async hasReleases(accountId: string): Promise<boolean> {
    const { items } = await this.store.listFacetValues(accountId, { of: 'release', prefix: '' }, 2);
    return items.length >= 2;
  }

  private readParts(accountId: string, { sinceUs, untilUs, release }: Period, hours: number) {
    return this.store.readMetrics(accountId, {
      sinceUs,
      untilUs,
      hours,
      replays: 'exclude',
      ...(release !== undefined && { where: { release } }),
    });
  }
}

/** By key, with the tallies of their hours or days. */
function pairFunctions(now: readonly MetricsRow[], before: readonly MetricsRow[]): ComparedFunction[] {
  const functions = new Map<string, { currentParts: Tally[]; baselineParts: Tally[] }>();
  const add = (rows: readonly MetricsRow[], side: 'currentParts' | 'baselineParts'): void => {
    for (const { traceFunctionKey, tally } of rows) {
      const parts = functions.get(traceFunctionKey) ?? { currentParts: [], baselineParts: [] };
      parts[side].push(tally);
      functions.set(traceFunctionKey, parts);
    }
  };
  add(now, 'currentParts');
  add(before, 'baselineParts');
  return [...functions]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([traceFunctionKey, parts]) => ({
      traceFunctionKey,
      current: sum(parts.currentParts),
      baseline: sum(parts.baselineParts),
      ...parts,
    }));
}

function sum(tallies: readonly Tally[]): Tally {
  const total = new Tally();
  for (const tally of tallies) total.add(tally);
  return total;
}

function toFigures({ traceFunctionKey, current, baseline }: ComparedFunction): ComparedFigures {
  const toItem = (tally: Tally) => toMetricsItem({ traceFunctionKey, tally });
  return {
    trace_function_key: traceFunctionKey,
    ...(current.calls > 0 && { current: toItem(current) }),
    ...(baseline.calls > 0 && { baseline: toItem(baseline) }),
  };
}

function chooseHours(lengthUs: number): number {
  return lengthUs > SHORT_US ? DAY_HOURS : 1;
}

function lengthOf({ sinceUs, untilUs }: Period): number {
  return untilUs - sinceUs;
}

function toPeriod({ sinceUs, untilUs, release }: Period): ChangesAnswer['current'] {
  return {
    since: formatTimestamp(sinceUs),
    until: formatTimestamp(untilUs),
    ...(release !== undefined && { release }),
  };
}
