import { newTraceId, type ScoreRecord } from '@dacapo/protocol';
import { type Answer, API } from '@dacapo/protocol/api';
import { source } from 'axe-core';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { span } from './dashboard/recorded.js';
import { signIn, startDashboard } from './dashboard/start-dashboard.js';
import { watchInput } from './dashboard/watch-input.js';
import { until } from './support/until.js';

let dashboard: Awaited<ReturnType<typeof startDashboard>>;
let page: Page;
const ids = Array.from({ length: 6 }, newTraceId);
const QUESTIONS = ['one', 'two', 'three', 'four', 'five', 'six'];

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await signIn(dashboard);
  // The newest is first in the queue.
  const spans = ids.map((id, at) =>
    span(id, 'answer', -at * 60_000, {
      input: [`Question ${QUESTIONS[at]}`],
      output: `Answer ${QUESTIONS[at]}`,
    }),
  );
  await dashboard.recorder.ingest([...spans, span(newTraceId(), 'other', 60_000, { output: 'other' })]);
  await dashboard.recorder.post(API.scores.add.path, {
    scores: [true, true, 0.9, false, false].map((value, at) => ({
      trace_id: ids[at],
      name: 'correct',
      value,
      explanation: `Reason ${QUESTIONS[at]}`,
      author: { kind: 'evaluator', name: 'judge' },
    })),
  });
});

beforeEach(async () => {
  await page.goto('/review?query=key:answer');
  await page.getByRole('article').waitFor();
});

afterAll(() => dashboard.close());

const byPeople = async (name: string): Promise<ScoreRecord[]> =>
  (
    await dashboard.recorder.get<Answer<typeof API.scores.list>>(`${API.scores.list.path}?name=${name}`)
  ).items.filter(({ author }) => author.kind === 'person');

const shows = (question: string): Promise<void> =>
  page.getByRole('article').getByText(`Question ${question}`).waitFor();

describe('the queue of calls to score', () => {
  it('scores calls by keyboard alone, and compares people with the judge', async () => {
    const input = await watchInput(page);
    await page.reload();
    await shows('one');
    await page.keyboard.press('y');
    await shows('two');
    await page.keyboard.press('n');
    await shows('three');
    await page.keyboard.press('s');
    await shows('four');
    await page.keyboard.press('n');
    await shows('five');
    await page.getByText('3 scored').waitFor();
    // The page sends scores in the background.
    await until(async () => (await byPeople('correct')).length === 3);
    expect((await byPeople('correct')).map(({ trace_id, value }) => [trace_id, value])).toEqual([
      [ids[3], false],
      [ids[1], false],
      [ids[0], true],
    ]);
    // Agreed 2 of 3. By chance: 1/3 × 2/3 for yes and 2/3 × 1/3 for no, so (2/3 − 4/9) / (1 − 4/9).
    const result = page.getByText(/over 3 calls\. Equal in 2 of 3\./);
    expect(await result.textContent()).toMatch(/^Cohen’s kappa 0\.4, 95 % CI /);
    expect(await input()).toEqual({ clicks: 0, keys: 4 });
    const list = page.getByRole('list', { name: 'Disagreements' });
    await list.getByText('judge: yes').waitFor();
    await list.getByText('Reason two').waitFor();
    const link = list.getByRole('link');
    expect(await link.getAttribute('href')).toBe(`/traces/${ids[1]}`);
  });

  it('begins with the first call without a score, moves by j and k, and undoes the last score', async () => {
    await shows('three');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await shows('five');
    await page.keyboard.press('k');
    await shows('four');
    await page.keyboard.press('j');
    await page.keyboard.press('n');
    await page.getByText('1 scored').waitFor();
    await page.keyboard.press('u');
    await shows('five');
    await page.getByText('1 scored').waitFor({ state: 'detached' });
    await until(async () => (await byPeople('correct'))[0]?.value === null);
    const [undone] = await byPeople('correct');
    expect(undone).toMatchObject({ trace_id: ids[4], value: null });
  });

  it('scores from 1 to 5 under another name, by mouse', async () => {
    await page.getByLabel('Score', { exact: true }).fill('tone');
    await page.getByLabel('Scale').selectOption('1 to 5');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('group', { name: 'Score tone' }).getByRole('button', { name: '4' }).click();
    await shows('two');
    await until(async () => (await byPeople('tone')).length > 0);
    expect(await byPeople('tone')).toEqual([expect.objectContaining({ trace_id: ids[0], value: 4 })]);
    expect(new URL(page.url()).searchParams.get('scale')).toBe('1-5');
  });

  it('says what is wrong with a query line', async () => {
    await page.getByLabel('Calls', { exact: true }).fill('staus:ok');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/status/)
      .waitFor();
  });

  it('ends when all calls are scored or skipped', async () => {
    for (let press = 0; press < ids.length; press++) await page.keyboard.press('s');
    await page.getByText('All calls are scored or skipped.').waitFor();
    await page.keyboard.press('k');
    await page.getByRole('article').waitFor();
  });

  it.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)(
    'breaks no rule of WCAG 2.2 AA with the %s theme, %i pixels wide',
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      await page.getByRole('list', { name: 'Disagreements' }).waitFor();
      await page.evaluate(source);
      const { violations } = await page.evaluate<{ violations: object[] }>('axe.run(document)');
      expect(violations).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0);
      const shots = process.env['DACAPO_TEST_SCREENSHOTS'];
      if (shots) await page.screenshot({ path: join(shots, `review-${width}.png`), fullPage: true });
      expect(dashboard.faults).toEqual([]);
    },
  );
});
