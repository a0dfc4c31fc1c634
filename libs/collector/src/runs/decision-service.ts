import { checkIgnorable, decideAgain, expectedItems, InvalidArgumentError } from '@dacapo/evaluation';
import {
  type Author,
  type DecideRequest,
  type DecisionRecord,
  formatTimestamp,
  type JudgedItem,
  type Page,
  ProtocolError,
  type TestRunTotals,
} from '@dacapo/protocol';
import type { Answer, API } from '@dacapo/protocol/api';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type PageRequest, readPosition, takePage } from '../cursor.js';
import { ScoreService } from '../scores/score-service.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ItemKey, ItemState, StoredTestRun } from '../storage/ports/test-run.js';
import { AcceptanceService } from './acceptance-service.js';
import { IgnoredItems } from './ignored-items.js';
import { countJudged } from './judged-totals.js';

type Decided = Answer<(typeof API)['decisions']['decide']>;
type Refused = NonNullable<Decided['refused']>[number];
type SettledRun = StoredTestRun & { totals: TestRunTotals };

/** An item whose judgement changes. */
interface Judged {
  state: ItemState;
  judgement: JudgedItem['judgement'];
}

/** The score of an item that a person judged `better` or `worse`. */
const LABEL = 'better';
const SCORES_AT_ONCE = 1000;

/** People's decisions on finished runs. */
@Injectable()
export class DecisionService {
  constructor(
    private readonly meta: MetaStore,
    private readonly acceptances: AcceptanceService,
    private readonly ignoredItems: IgnoredItems,
    private readonly scores: ScoreService,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws NotFoundException, InvalidCursorError */
  async list(accountId: string, runId: string, page: PageRequest): Promise<Page<DecisionRecord>> {
    await this.find(accountId, runId);
    const { after: [after] = [] } = readPosition(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const decisions = await this.meta.decisions.list(accountId, runId, range);
    const { kept: items, ...next } = takePage(decisions, page.limit, ({ no }) => [no]);
    return { items, ...next };
  }

  /**
   * Judges items, changes the ignored paths, and evaluates the gate again. Items that cannot be judged so are reported and stay as they
   * are. The decision is stored before the outcomes that it accepts: if the process dies in between, later runs do not expect them.
   *
   * @throws NotFoundException when the run does not exist
   * @throws ConflictException when the run cannot be decided, somebody else decided meanwhile, or nothing changes
   * @throws ProtocolError when a path cannot be ignored, or an item is judged twice
   */
  async decide(accountId: string, runId: string, request: DecideRequest): Promise<Decided> {
    const run = await this.findSettled(accountId, runId);
    const { no: latestNo = 0 } = run.decided ?? {};
    if (latestNo !== request.after) throw decidedMeanwhile(runId, latestNo, request.after);
    const [before] = await this.meta.decisions.list(accountId, runId, { limit: 1 });
    const paths = changePaths(before?.ignore ?? [], request);
    const { judged, refused } = await this.readJudged(accountId, runId, request.judgements ?? []);
    const isPathChanged = paths.ignored.length > 0 || paths.compared.length > 0;
    if (judged.length === 0 && !isPathChanged) {
      const [first] = refused;
      throw new ConflictException(
        first === undefined
          ? 'The decision changes nothing. Judge an item, or ignore a path.'
          : `Item ${first.item_no} cannot be judged: ${first.detail}`,
      );
    }
    const ignored = isPathChanged ? await this.ignoredItems.find(accountId, runId, paths.ignore) : undefined;
    const totals = countJudged(run.totals, await this.mergeStates(accountId, runId, judged, ignored));
    const record: DecisionRecord = {
      no: latestNo + 1,
      ...(await this.evaluate(accountId, run, totals)),
      author: request.author ?? (await this.nameAccount(accountId)),
      decided_at: formatTimestamp(this.clock.nowUs()),
      ...(request.note !== undefined && { note: request.note }),
      totals,
      ignore: paths.ignore,
      change: { ...countChanges(judged), ignored: paths.ignored, compared: paths.compared },
    };
    const isStored = await this.meta.decisions.add(accountId, runId, {
      traceFunctionKey: run.traceFunctionKey,
      record,
      judgements: judged.map(({ state: { item }, judgement }) => ({
        item,
        judgement: judgement === 'none' ? null : judgement,
      })),
      ...(ignored && { ignoredItems: ignored.map(({ item }) => item) }),
    });
    if (!isStored) throw decidedMeanwhile(runId, undefined, request.after);
    await this.keep(accountId, run, judged, record);
    return { decision: record, ...(refused.length > 0 && { refused }) };
  }

  private async readJudged(
    accountId: string,
    runId: string,
    judgements: readonly JudgedItem[],
  ): Promise<{ judged: Judged[]; refused: Refused[] }> {
    const keys = judgements.map(({ item_no: itemNo, repetition = 0 }): ItemKey => [itemNo, repetition]);
    if (new Set(keys.map((key) => key.join())).size < keys.length)
      throw new ProtocolError('judgements', 'must name each item once');
    const accepting = keys.filter((_, index) => isAccepting(judgements[index]?.judgement));
    const states = await this.meta.decisions.readStates(accountId, runId, keys);
    const byKey = new Map(states.map((state) => [state.item.join(), state]));
    const unacceptable = await this.acceptances.checkAll(accountId, runId, accepting);
    const [judged, refused]: [Judged[], Refused[]] = [[], []];
    for (const { item_no, repetition = 0, judgement, verdict } of judgements) {
      const key = [item_no, repetition].join();
      const state = byKey.get(key);
      const detail = whyNotJudged(state, verdict) ?? unacceptable.get(key);
      if (state === undefined || detail !== undefined)
        refused.push({ item_no, ...(repetition > 0 && { repetition }), detail: detail ?? 'Item not found' });
      else judged.push({ state, judgement });
    }
    return { judged, refused };
  }

  /** The items that the new decision counts differently from their verdicts. */
  private async mergeStates(
    accountId: string,
    runId: string,
    judged: readonly Judged[],
    ignored: readonly ItemState[] | undefined,
  ): Promise<ItemState[]> {
    const states = new Map<string, ItemState>();
    for (const state of await this.meta.decisions.listJudged(accountId, runId))
      states.set(state.item.join(), ignored === undefined ? state : { ...state, isIgnored: false });
    for (const state of ignored ?? []) states.set(state.item.join(), state);
    for (const { state, judgement } of judged) {
      const key = state.item.join();
      const changed = { ...(states.get(key) ?? { ...state, isIgnored: false }) };
      delete changed.judgement;
      states.set(key, { ...changed, ...(judgement !== 'none' && { judgement }) });
    }
    return [...states.values()];
  }

  /** @throws ConflictException when the summary does not hold what the gate decided */
  private async evaluate(
    accountId: string,
    run: SettledRun,
    totals: TestRunTotals,
  ): Promise<Pick<DecisionRecord, 'passed' | 'checks'>> {
    const uncalled = await this.meta.decisions.countUncalled(accountId, run.id);
    const reported = run.summary?.['unplayed'];
    const summary = {
      ...run.summary,
      unplayed: typeof reported === 'number' ? Math.max(reported, uncalled) : (reported ?? uncalled),
    };
    try {
      return decideAgain(summary, totals, expectedItems({ ...run, expected_items: run.expectedItems }));
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new ConflictException(
        `The gate of test run ${run.id} cannot be evaluated again: ${error.message}`,
      );
    }
  }

  /** Accepts or withdraws the outcomes of the judged items, and labels them. */
  private async keep(
    accountId: string,
    run: SettledRun,
    judged: readonly Judged[],
    { author, decided_at, note }: DecisionRecord,
  ): Promise<void> {
    const accepting = judged.filter(({ judgement }) => isAccepting(judgement));
    const acceptance = { author, accepted_at: decided_at, ...(note !== undefined && { note }) };
    await this.acceptances.acceptAll(
      accountId,
      run,
      accepting.map(({ state }) => state.item),
      acceptance,
    );
    for (const { state, judgement } of judged)
      if (!isAccepting(judgement) && isAccepting(state.judgement))
        await this.acceptances.withdraw(accountId, run.id, state.item);
    const labels = judged
      .filter(({ state, judgement }) => isLabel(judgement) || isLabel(state.judgement))
      .map(({ state: { item }, judgement }) => ({
        test_run_id: run.id,
        item_no: item[0],
        ...(item[1] > 0 && { repetition: item[1] }),
        name: LABEL,
        value: isLabel(judgement) ? judgement === 'better' : null,
      }));
    for (let start = 0; start < labels.length; start += SCORES_AT_ONCE)
      await this.scores.add(accountId, labels.slice(start, start + SCORES_AT_ONCE), author);
  }

  private async findSettled(accountId: string, runId: string): Promise<SettledRun> {
    const run = await this.find(accountId, runId);
    const { finishedAt, totals } = run;
    if (finishedAt === undefined || totals === undefined)
      throw new ConflictException(`Test run ${runId} is not finished. Decide when all its items are stored.`);
    return { ...run, totals };
  }

  private async find(accountId: string, runId: string): Promise<StoredTestRun> {
    const run = await this.meta.testRuns.find(accountId, runId);
    if (run === undefined) throw new NotFoundException(`Test run ${runId} not found`);
    return run;
  }

  private async nameAccount(accountId: string): Promise<Author> {
    return { kind: 'person', name: (await this.meta.accounts.find(accountId))?.name ?? accountId };
  }
}

function decidedMeanwhile(runId: string, latest: number | undefined, after: number): ConflictException {
  const is = latest === undefined ? 'a newer one' : latest === 0 ? 'none' : `${latest}`;
  return new ConflictException(
    `The latest decision on test run ${runId} is ${is}, not ${after}. Look at it, and decide again.`,
  );
}

/** @throws ProtocolError when a path cannot be ignored */
function changePaths(
  before: readonly string[],
  { ignore = [], compare = [] }: DecideRequest,
): { ignore: string[]; ignored: string[]; compared: string[] } {
  for (const path of ignore) {
    try {
      checkIgnorable(path);
    } catch (error) {
      if (error instanceof InvalidArgumentError)
        throw new ProtocolError('ignore', 'is invalid', error.message);
      throw error;
    }
  }
  const ignored = [...new Set(ignore)].filter((path) => !before.includes(path));
  const compared = [...new Set(compare)].filter((path) => before.includes(path));
  if (ignored.some((path) => compare.includes(path)))
    throw new ProtocolError('compare', 'must not name a path that is ignored by the same decision');
  const kept = before.filter((path) => !compared.includes(path));
  return { ignore: [...kept, ...ignored].sort(), ignored, compared };
}

function whyNotJudged(state: ItemState | undefined, verdict: JudgedItem['verdict']): string | undefined {
  if (state === undefined) return 'Item not found';
  if (state.isErased) return 'The item was erased with one of its traces.';
  if (verdict === undefined || verdict === state.verdict) return undefined;
  return `Its verdict is ${state.verdict}, not ${verdict}. Look at it again.`;
}

function isAccepting(judgement: JudgedItem['judgement'] | undefined): boolean {
  return judgement === 'accepted' || judgement === 'better';
}

function isLabel(judgement: JudgedItem['judgement'] | undefined): boolean {
  return judgement === 'better' || judgement === 'worse';
}

function countChanges(judged: readonly Judged[]) {
  const count = (wanted: Judged['judgement']): number =>
    judged.filter(({ judgement }) => judgement === wanted).length;
  return {
    accepted: count('accepted'),
    better: count('better'),
    worse: count('worse'),
    cleared: count('none'),
  };
}
