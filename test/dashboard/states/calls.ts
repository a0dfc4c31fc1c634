import { newTraceId } from '@dacapo/protocol';
import type { Page } from 'playwright-core';
import { SESSION } from '../demo-account.js';
import { open, openByKey, openFromMenu, type PageState, press } from './page-state.js';

const SEARCH = '/traces?status=error&text=ledger&since=24h';

const selectTwo = async (page: Page): Promise<void> => {
  for (const nth of [0, 1]) await page.getByRole('checkbox').nth(nth).check();
  await page.getByText('2 traces selected').waitFor();
};

/** The overview, traces and sessions. */
export const CALLS: PageState[] = [
  { name: 'overview', path: '/', shown: 'TimeoutError, new', isMain: true },
  { name: 'overview-without-calls', path: '/?period=24h&against=period', shown: 'What got worse' },
  { name: 'traces', path: '/traces', shown: 'handle-refund' },
  { name: 'traces-selected', path: SEARCH, shown: 'could not acquire the', steps: selectTwo, isMain: true },
  { name: 'traces-without-match', path: '/traces?session_id=none', shown: 'No trace matches these filters.' },
  {
    name: 'traces-first-run',
    viewer: 'newcomer',
    path: '/',
    shown: 'Waiting for your first call …',
    isMain: true,
  },
  {
    name: 'traces-filter-editor',
    path: '/traces',
    shown: 'handle-refund',
    steps: async (page) => {
      await press('Add filter')(page);
      await page.getByRole('dialog', { name: 'Add filter' }).waitFor();
    },
    isPlaced: true,
  },
  {
    name: 'traces-columns',
    path: '/traces',
    shown: 'handle-refund',
    steps: press('Columns'),
    isPlaced: true,
  },
  {
    name: 'traces-save-view',
    path: '/traces?status=error',
    shown: 'LedgerLockTimeout',
    steps: open('Save view', 'Save view'),
  },
  {
    name: 'traces-add-to-dataset',
    path: SEARCH,
    shown: 'could not acquire the',
    steps: async (page) => {
      await selectTwo(page);
      await openByKey('d', 'Add to dataset')(page);
    },
  },
  {
    name: 'trace',
    path: (demo) => `/traces/${demo.traces.ticket}`,
    shown: 'route-ticket',
    steps: async (page) => {
      await page.getByRole('treeitem', { name: /^route-llm/ }).click();
      await page.getByRole('heading', { name: 'route-llm', level: 2 }).waitFor();
      await page.keyboard.press('c');
    },
    isMain: true,
  },
  {
    name: 'trace-with-error',
    path: (demo) => `/traces/${demo.traces.refund}`,
    shown: 'could not acquire the ledger lock',
  },
  {
    name: 'trace-of-a-conversation',
    path: (demo) => `/traces/${demo.traces.turn}`,
    shown: 'POST /chat',
    steps: async (page) => {
      await page.getByRole('treeitem', { name: /^support\.chat/ }).click();
      await page.getByText('Hold').or(page.getByText('The same way.')).first().waitFor();
    },
  },
  {
    name: 'trace-as-flames',
    path: (demo) => `/traces/${demo.traces.ticket}`,
    shown: 'route-llm',
    steps: press('Flames'),
  },
  {
    name: 'trace-replay-command',
    path: (demo) => `/traces/${demo.traces.ticket}`,
    shown: 'route-llm',
    steps: open('Replay command', 'npx dacapo replay'),
  },
  {
    name: 'trace-share',
    path: (demo) => `/traces/${demo.traces.ticket}`,
    shown: 'route-llm',
    steps: open('Share', 'Create link'),
  },
  {
    name: 'trace-delete',
    path: (demo) => `/traces/${demo.traces.ticket}`,
    shown: 'route-llm',
    steps: openFromMenu('Actions for this trace', /^Delete trace/, /^1 trace with/),
  },
  { name: 'trace-not-found', path: `/traces/${newTraceId()}`, shown: 'Trace not found.' },
  {
    name: 'trace-comparison',
    path: ({ traces }) => `/traces/${traces.recorded}/compare?with=${traces.replayed}`,
    shown: 'spans in both',
    steps: press('route-llm'),
  },
  {
    name: 'trace-comparison-without-other',
    path: (demo) => `/traces/${demo.traces.ticket}/compare`,
    shown: 'The address has no second trace.',
  },
  { name: 'sessions', path: '/sessions', shown: SESSION },
  { name: 'sessions-empty', viewer: 'newcomer', path: '/sessions', shown: /^No sessions/ },
  { name: 'session', path: `/sessions/${SESSION}`, shown: 'The light stays red.', isMain: true },
  { name: 'session-not-found', path: '/sessions/none', shown: 'No recorded traces in this session.' },
  {
    name: 'session-delete',
    path: `/sessions/${SESSION}`,
    shown: 'The light stays red.',
    steps: openFromMenu('Actions for this session', /^Delete session/, /^3 traces with/),
  },
];
