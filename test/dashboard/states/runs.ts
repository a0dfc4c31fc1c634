import { newTraceId } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { open, openByKey, type PageState, press } from './page-state.js';

const selectTwo = async (page: Page): Promise<void> => {
  for (const name of ['Select prompt v3', 'Select As recorded']) await page.getByLabel(name).check();
  await page.getByText('Compare 2 runs').waitFor();
};

const openGroup = async (page: Page): Promise<void> => {
  await press(/^category/)(page);
  await page.getByText('Baseline', { exact: true }).first().waitFor();
};

/** Runs, their comparisons, datasets, the review, functions and indexes. */
export const RUNS: PageState[] = [
  { name: 'runs', path: '/test-runs', shown: 'prompt v3' },
  { name: 'runs-selected', path: '/test-runs', shown: 'prompt v3', steps: selectTwo },
  { name: 'runs-empty', viewer: 'newcomer', path: '/test-runs', shown: 'No runs yet.' },
  {
    name: 'runs-keys',
    path: '/test-runs',
    shown: 'prompt v3',
    steps: openByKey('?', 'next and previous row'),
  },
  { name: 'run', path: (demo) => `/test-runs/${demo.runs.failed}`, shown: 'What changed', isMain: true },
  {
    name: 'run-group-open',
    path: (demo) => `/test-runs/${demo.runs.failed}`,
    shown: 'What changed',
    steps: openGroup,
  },
  { name: 'run-passed', path: (demo) => `/test-runs/${demo.runs.passed}`, shown: /^Ship$/ },
  {
    name: 'run-judged',
    path: (demo) => `/test-runs/${demo.runs.judged}`,
    shown: 'What changed',
    steps: async (page) => {
      await page.getByText(/^History/).click();
      await page.getByRole('list', { name: 'Decisions' }).waitFor();
      await openGroup(page);
    },
    isMain: true,
  },
  {
    name: 'run-without-gate',
    path: (demo) => `/test-runs/${demo.runs.plain}`,
    shown: 'No calls were replayed.',
  },
  {
    name: 'run-live',
    // Without a heartbeat, the run would be interrupted after a while.
    path: (demo) => {
      void demo.recorder.post(routePath(API.testRuns.beat, { id: demo.runs.live }), {});
      return `/test-runs/${demo.runs.live}`;
    },
    shown: /^Not decided/,
  },
  { name: 'run-not-found', path: `/test-runs/${newTraceId()}`, shown: 'Run not found.' },
  {
    name: 'run-read-only',
    viewer: 'reader',
    path: (demo) => `/test-runs/${demo.runs.failed}`,
    shown: 'What changed',
  },
  {
    name: 'run-comparison',
    path: (demo) => `/test-runs/${demo.runs.failed}/compare?with=${demo.runs.passed}&relation=regressed`,
    shown: 'changed vs same',
    steps: async (page) => {
      await press(/^Call /)(page);
      await page.getByText('This run').first().waitFor();
    },
  },
  {
    name: 'run-comparison-without-other',
    path: (demo) => `/test-runs/${demo.runs.failed}/compare`,
    shown: 'Compare with',
  },
  {
    name: 'run-grid',
    path: ({ runs }) => `/runs/compare?ids=${runs.passed},${runs.failed},${runs.third}`,
    shown: 'As recorded',
    steps: async (page) => {
      await page.getByRole('group', { name: 'Calls by runs' }).getByRole('button').first().click();
      await page.getByText('"category"').first().waitFor();
    },
  },
  { name: 'run-grid-without-runs', path: '/runs/compare', shown: 'Choose the runs to compare.' },
  { name: 'datasets', path: '/datasets', shown: 'What customers ask' },
  { name: 'datasets-empty', viewer: 'newcomer', path: '/datasets', shown: /^No datasets/ },
  {
    name: 'dataset',
    path: '/datasets/tickets',
    shown: 'Is it blue?',
    steps: async (page) => {
      await page.getByRole('checkbox').nth(1).check();
      await page.getByText('1 item selected').waitFor();
    },
  },
  { name: 'dataset-without-items', path: '/datasets/refunds', shown: 'No items yet.' },
  { name: 'dataset-not-found', path: '/datasets/none', shown: 'Dataset not found.' },
  { name: 'dataset-read-only', viewer: 'reader', path: '/datasets/tickets', shown: 'Is it blue?' },
  {
    name: 'dataset-add-item',
    path: '/datasets/tickets',
    shown: 'Is it blue?',
    steps: openByKey('a', 'Input'),
  },
  {
    name: 'dataset-split',
    path: '/datasets/tickets',
    shown: 'Is it blue?',
    steps: openByKey('s', 'First dataset'),
  },
  {
    name: 'dataset-replay-command',
    path: '/datasets/tickets',
    shown: 'Is it blue?',
    steps: openByKey('r', 'npx dacapo'),
  },
  { name: 'review', path: '/review?query=support.chat', shown: 'correct?' },
  {
    name: 'review-done',
    path: '/review?query=key:POST',
    shown: /^No calls match|correct\?/,
  },
  { name: 'review-invalid-query', path: '/review?query=staus:ok', shown: /status/ },
  { name: 'review-empty', viewer: 'newcomer', path: '/review', shown: 'No calls match.' },
  {
    name: 'review-read-only',
    viewer: 'reader',
    path: '/review?query=support.chat',
    shown: 'You cannot score calls.',
  },
  { name: 'functions', path: '/functions', shown: 'Own cost of all functions' },
  { name: 'functions-empty', viewer: 'newcomer', path: '/functions', shown: 'No calls in this period.' },
  {
    name: 'function',
    path: '/functions/summarise-thread?measure=cost',
    shown: 'release 2.15.0',
    isMain: true,
  },
  { name: 'function-versions', path: '/functions/summarise-thread?tab=versions', shown: 'From version' },
  {
    name: 'function-activate',
    path: '/functions/summarise-thread?tab=versions',
    shown: 'From version',
    steps: open('Activate version 1', 'Roll back'),
  },
  { name: 'function-runs', path: '/functions/route-ticket?tab=runs', shown: 'prompt v3' },
  { name: 'function-errors', path: '/functions/extract-invoice?tab=errors', shown: 'Request timed out' },
  { name: 'function-without-calls', path: '/functions/none', shown: 'No calls in this period.' },
  {
    name: 'function-without-versions',
    path: '/functions/none?tab=versions',
    shown: 'This function has no versions.',
  },
  {
    name: 'indexes',
    path: '/indexes',
    shown: 'Handbook',
    steps: async (page) => {
      await page.getByLabel('Query').fill('refund');
      await press('Search')(page);
      await page.getByText('A refund takes five days.').waitFor();
    },
  },
  { name: 'indexes-empty', viewer: 'newcomer', path: '/indexes', shown: 'No indexes yet.' },
];
