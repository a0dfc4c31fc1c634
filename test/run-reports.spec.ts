import { startCollector } from '@dacapo/collector';
import {
  type EvaluatorContext,
  formatEvidence,
  formatInterval,
  formatNumber,
  type Gate,
  judge,
  toHtml,
  toText,
} from '@dacapo/evaluation';
import { type TestRunRecord } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { type ReplayResult, Tracer } from '@dacapo/tracer';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from './dashboard/launch-browser.js';
import { removeFolder } from './support/remove-folder.js';

const TICKETS = 200;
const GATE: Gate = {
  errors: 0,
  changed: 10,
  scores: { correct: { min: 0.9, maxDrop: 0.02 }, brief: { min: 0.1 } },
};

interface Answer {
  label: string;
  reply: string;
}

const ticket = (number: number): string => `Ticket ${number}: my parcel of ${number * 3} days ago is late`;

/** Answers a ticket. The second version mislabels, fails, and writes longer replies. */
function answer(text: string, version: 'v1' | 'v2'): Answer {
  const number = Number(/\d+/.exec(text)?.[0]);
  const isNew = version === 'v2';
  if (number % 50 === 7 && isNew) throw new TypeError(`label of ticket ${number} is undefined`);
  if (number % 50 === 9) throw new RangeError('The model is overloaded.');
  const reply = `Dear customer, your parcel of ticket ${number} is on its way. ${'We are sorry for the delay. '.repeat(8)}`;
  if (isNew && number % 5 === 1) return { label: 'other', reply: `Parcel ${number} is late.` };
  if (isNew && number % 20 === 2)
    return { label: 'delivery', reply: reply.replace('on its way', 'lost <b>forever</b>') };
  if (number % 5 === 1) return { label: 'delivery', reply: `Parcel ${number} is late.` };
  return { label: 'delivery', reply };
}

const evaluators = {
  correct: judge({
    name: 'correct',
    choices: { right: 1, wrong: 0 },
    ask: ({ output }: EvaluatorContext) => {
      const { label } = output as Answer;
      return label === 'delivery'
        ? { choice: 'right', explanation: 'A late parcel is about delivery.' }
        : { choice: 'wrong', explanation: `A late parcel is about delivery, and not about "${label}".` };
    },
  }),
  brief: ({ output }: EvaluatorContext) => 40 / Math.max(40, (output as Answer).reply.length),
};

describe('the reports of a run of 200 items', () => {
  let folder: string;
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let tracer: Tracer;
  let run: ReplayResult;

  const desk = (version: 'v1' | 'v2'): ((text: string) => Answer) =>
    tracer.withSpan('desk', { type: 'agent' }, (text: string) => {
      if (version === 'v1' || !text.includes('Ticket 3:')) lookUp(text.length);
      return answer(text, version);
    });
  let lookUp: (size: number) => number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dacapo-reports-'));
    collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
    tracer = new Tracer({ apiKey: collector.apiKey!, serviceUrl: collector.url });
    lookUp = tracer.withSpan('look-up', (size: number) => size);
    const recorded = desk('v1');
    for (let number = 0; number < TICKETS; number += 1) {
      try {
        recorded(ticket(number));
      } catch {
        // Some fail in both versions.
      }
    }
    await tracer.flush();
    run = await tracer.replay('desk', desk('v2'), {
      keep: 'none',
      name: 'Shorter prompt',
      evaluators,
      gate: GATE,
    });
  });

  afterAll(async () => {
    await tracer.shutdown();
    await collector.close();
    await removeFolder(folder);
  });

  /** Results of the functions above, counted without the product. */
  const counted = (() => {
    const outcomes = Array.from({ length: TICKETS }, (_, number) => ticket(number)).map((text) =>
      (['v1', 'v2'] as const).map((version) => {
        try {
          return answer(text, version);
        } catch {
          return undefined;
        }
      }),
    );
    const both = outcomes.flatMap(([before, now]) => (before && now ? [[before, now] as const] : []));
    const changed = both.filter(([before, now]) => before.label !== now.label || before.reply !== now.reply);
    const fails = (place: number) => outcomes.filter((pair) => pair[place] === undefined).length;
    const mean = (number: (answer: Answer) => number, place: 0 | 1): number =>
      both.reduce((sum, pair) => sum + number(pair[place]), 0) / both.length;
    const measure = (number: (answer: Answer) => number) => ({
      mean: mean(number, 1),
      change: mean(number, 1) - mean(number, 0),
      worse: both.filter(([before, now]) => number(now) < number(before)).length,
    });
    const failing = fails(0);
    const newErrors = fails(1) - failing;
    return {
      changed: changed.length,
      newErrors,
      failing,
      both: both.length,
      same: TICKETS - changed.length - newErrors,
      scores: {
        correct: measure(({ label }) => (label === 'delivery' ? 1 : 0)),
        brief: measure(({ reply }) => 40 / Math.max(40, reply.length)),
      },
    };
  })();

  const reports = (): string[] =>
    [toText(run.report()), run.toMarkdown(), run.toJUnit(), run.toHtml()].map(unescape);

  async function storedRun(): Promise<TestRunRecord> {
    const path = routePath(API.testRuns.get, { id: run.testRunId });
    const answered = await fetch(`${collector.url}${path}`, { headers: { 'api-key': collector.apiKey! } });
    return (await answered.json()) as TestRunRecord;
  }

  it('match an independent count of the same answers', () => {
    const { changed, same, newErrors, failing, both, scores } = counted;
    expect([changed, same, newErrors, failing, both]).toEqual([50, 146, 4, 4, 192]);
    for (const report of reports()) {
      expect(report).toContain(
        `${TICKETS} calls replayed, ${same} unchanged, ${changed} changed, ${newErrors} errors. Of these, ` +
          `${newErrors} new errors, ${failing} failing as before, 1 with different calls inside.`,
      );
      for (const [name, { mean, change, worse }] of Object.entries(scores)) {
        const figures = [
          formatNumber(mean),
          `${both}, 4 n/a, 4 missing`,
          formatNumber(change),
          `${worse} worse`,
        ];
        expect(findRows(report, name).some((line) => figures.every((figure) => line.includes(figure)))).toBe(
          true,
        );
      }
    }
  });

  it('show the counts that the service stored', async () => {
    const { totals } = await storedRun();
    const expectedTexts = [
      `${TICKETS} calls replayed`,
      `${totals.same} unchanged`,
      `${totals.changed} changed`,
      `${totals.error} errors`,
      `${totals.new_errors} new errors`,
      `${totals.diverged} with different calls inside`,
    ];
    expect(totals.items).toBe(TICKETS);
    expect(totals.changed).toBeGreaterThan(0);
    expect(totals.error).toBeGreaterThan(0);
    for (const report of reports()) for (const words of expectedTexts) expect(report).toContain(words);
  });

  it('show the means, changes and p that the service stored', async () => {
    const { summary } = await storedRun();
    const { scores, durations } = summary as unknown as Pick<ReplayResult, 'scores' | 'durations'>;
    expect(Object.keys(scores)).toEqual(['correct', 'brief']);
    const formatP = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${Number(p.toPrecision(2))}`);
    const rows: [string, string[]][] = Object.entries(scores).map(([name, { mean, delta, n }]) => [
      name,
      [formatNumber(mean!), `${n}, 4 n/a, 4 missing`, formatNumber(delta!.mean), formatP(delta!.p)],
    ]);
    rows.push(['Duration, ms', [formatNumber(durations!.mean), formatNumber(durations!.p95)]]);
    for (const report of reports())
      for (const [name, figures] of rows)
        expect(findRows(report, name)).toContainEqual(
          expect.stringMatching(
            new RegExp(figures.map((figure) => figure.replace(/[.+]/g, '\\$&')).join('.*')),
          ),
        );
  });

  it('name the failed checks with their limit and actual value', async () => {
    const { passed } = await storedRun();
    expect(passed).toBe(false);
    for (const report of reports()) {
      expect(report).toMatch(/Failed \d of 9 checks/);
      expect(report).toContain('changed');
      for (const failure of run.failures) expect(report).toContain(failure);
    }
  });

  it('name the items that lowered a failed score, with the explanation of the judge', () => {
    for (const report of reports())
      expect(report).toContain('A late parcel is about delivery, and not about "other".');
  });

  it('have one row for items that changed in the same way', () => {
    const [text = '', markdown = ''] = reports();
    for (const report of [text, markdown]) expect(report).toContain('39 more calls like this one: call ');
  });

  it('name each JUnit test after its call, each once', () => {
    const names = [...run.toJUnit().matchAll(/<testcase [^>]*name="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toHaveLength(TICKETS + 1);
    expect(new Set(names).size).toBe(TICKETS + 1);
    expect(names.slice(1)).toEqual([...names.slice(1)].sort());
    expect(names[1]).toMatch(/^call [0-9a-f]{16}$/);
  });

  it('show in each failed JUnit test what changed, or which test shows it', () => {
    const failed = [
      ...run.toJUnit().matchAll(/<testcase [^>]*name="(call [^"]*)"[^>]*><(?:failure|error) [^>]*>([^<]*)</g),
    ];
    expect(failed).toHaveLength(counted.changed + counted.newErrors);
    const named = new Map(failed.map(([, name = '', text = '']) => [name, text]));
    for (const text of named.values()) {
      const [, example] = /Changed in the same way as (call [\da-f]+)\./.exec(text) ?? [];
      expect(example === undefined ? text : named.get(example)).toMatch(/Candidate: |\$\.reply: /);
    }
  });

  it('fit a comment on GitHub', () => {
    expect(Buffer.byteLength(run.toMarkdown())).toBeLessThan(60_000);
  });

  describe('as a page', () => {
    let browser: Browser;
    let page: Page;
    const requests: string[] = [];
    const problems: string[] = [];

    beforeAll(async () => {
      browser = await launchBrowser();
      page = await browser.newPage();
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => problems.push(message.text()));
      await page.setContent(toHtml(run));
    });

    afterAll(() => browser.close());

    it('request nothing and obey their own security policy', () => {
      expect(requests).toEqual([]);
      expect(problems).toEqual([]);
    });

    it('open with the decision, in the style of the page', async () => {
      await page.getByRole('heading', { level: 1, name: /Failed \d of 9 checks: Shorter prompt/ }).waitFor();
      const color = await page.evaluate(`getComputedStyle(document.querySelector('h1 .failed')).color`);
      expect(color).not.toBe('rgb(0, 0, 0)');
    });

    it('show outputs as text', async () => {
      await page.getByText('lost <b>forever</b>').first().waitFor();
    });

    it('show one kind of items on request, without scripts', async () => {
      await page.getByText('New errors (4)').first().click();
      expect(await page.locator('section.kind:visible h2').allTextContents()).toEqual(['New errors (4)']);
    });

    it('match the numbers, items and explanations on the page of the run, worst items first', async () => {
      const { changed, same, newErrors, failing, both, scores } = counted;
      const opened = await browser.newPage();
      await opened.goto(collector.dashboardUrl);
      await opened.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      await opened.goto(run.testRunUrl);
      await opened.getByRole('heading', { name: 'Do not ship' }).waitFor();
      await opened.getByText('Failed 6 of 9 checks').waitFor();
      const filters = opened.getByRole('group', { name: 'Filter by verdict' }).getByRole('button');
      expect(await filters.allTextContents()).toEqual([
        `${TICKETS} all calls`,
        `${same} same`,
        `${changed} changed`,
        `${newErrors} errors`,
        `${newErrors} new errors`,
        '1 diverged',
        `${failing} failing as before`,
      ]);
      for (const failure of run.failures) await opened.getByText(failure, { exact: true }).waitFor();
      for (const [name, { mean, change, worse }] of Object.entries(scores)) {
        const row = opened
          .getByRole('region', { name: 'Scores', exact: true })
          .getByRole('row', { name: new RegExp(`^${name}`) });
        const [shownMean, , items, shownChange, evidence, changes] = await row
          .getByRole('cell')
          .allTextContents();
        expect([shownMean, items]).toEqual([formatNumber(mean), `${both}, 4 n/a, 4 missing`]);
        expect(shownChange).toBe(`−${formatNumber(-change)}`);
        expect(changes).toBe(`${worse} worse, 0 better`);
        const { delta } = run.scores[name]!;
        expect(evidence?.replaceAll('−', '-')).toContain(
          `${formatInterval(delta!.interval!)}, ${formatEvidence(delta!)}`,
        );
      }
      const duration = opened.getByRole('row', { name: /^Duration/ }).getByRole('cell');
      expect((await duration.allTextContents()).slice(0, 2)).toEqual(
        [run.durations!.mean, run.durations!.p95].map(
          (ms) => `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`,
        ),
      );
      const items = opened.getByRole('list', { name: 'Replayed calls' }).locator('> li');
      const shown = (await items.allTextContents()).map(
        (text) => /new error|baseline did not fail|changed/.exec(text)?.[0],
      );
      expect(shown.slice(0, newErrors)).toEqual(Array<string>(newErrors).fill('baseline did not fail'));
      expect(new Set(shown.slice(newErrors))).toEqual(new Set(['changed']));
      const mislabelled = items.filter({ hasText: '"other"' }).first();
      const text = await mislabelled.textContent();
      expect(text).toContain('A late parcel is about delivery, and not about "other".');
      expect(text).toMatch(/InputTicket \d+|Input.*Ticket \d+: my parcel/s);
      const named = run.report().items.filter(({ verdict }) => verdict === 'error');
      for (const { sourceSpanId } of named) await items.getByText(sourceSpanId!, { exact: true }).waitFor();
      await opened.close();
    });

    it.each([1_100, 390])('need no horizontal scrolling at %d pixels', async (width) => {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
    });
  });
});

/** A report without the escapes of its format. */
function unescape(report: string): string {
  return report
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/<\/?(?:td|tr|pre|div|th)>/g, (tag) => (tag === '</tr>' ? '\n' : ' '))
    .replace(/\\([^\w\s])/g, '$1')
    .replaceAll('\u200b', '');
}

/** The table rows that begin with the name. */
function findRows(report: string, name: string): string[] {
  return report
    .split('\n')
    .map((line) => line.replace(/^[\s|]+/, ''))
    .filter((line) => line.startsWith(name));
}
