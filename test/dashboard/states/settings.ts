import { API } from '@dacapo/protocol/api';
import type { Page } from 'playwright-core';
import { open, openFromMenu, type PageState, press } from './page-state.js';

const MORE = 390;
const RAIL = 1440;
const UNAVAILABLE = { detail: 'The collector is starting.', status_code: 409 };

const fillAndSend =
  (label: string, text: string, button: string, shown: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByLabel(label).fill(text);
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByText(shown).first().waitFor();
  };

/** Settings, what a visitor sees, and the frame. */
export const SETTINGS: PageState[] = [
  { name: 'api-keys', path: '/api-keys', shown: 'nightly replays' },
  { name: 'api-keys-forbidden', viewer: 'reader', path: '/api-keys', shown: /scope manage/ },
  { name: 'api-keys-new', path: '/api-keys', shown: 'nightly replays', steps: open('New key', 'Key name') },
  {
    name: 'api-keys-created',
    path: '/api-keys',
    shown: 'nightly replays',
    steps: async (page) => {
      await page.route(`**${API.apiKeys.create.path}`, (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 201,
              json: {
                id: 'k',
                name: 'staging',
                api_key: 'dcp_shown_once_in_this_picture',
                scopes: ['ingest'],
              },
            })
          : route.fallback(),
      );
      await open('New key', 'Key name')(page);
      await fillAndSend('Key name', 'staging', 'Create key', 'Copy “staging” now')(page);
    },
  },
  {
    name: 'api-keys-menu',
    path: '/api-keys',
    shown: 'nightly replays',
    steps: press('Actions for nightly replays'),
    isPlaced: true,
  },
  {
    name: 'api-keys-revoke',
    path: '/api-keys',
    shown: 'nightly replays',
    steps: openFromMenu('Actions for nightly replays', 'Revoke nightly replays', 'Revoke key'),
  },
  {
    name: 'api-keys-rotate',
    path: '/api-keys',
    shown: 'nightly replays',
    steps: open('Rotate nightly replays', 'Old key stops working'),
  },
  { name: 'members', path: '/members', shown: 'Ada' },
  { name: 'members-empty', viewer: 'newcomer', path: '/members', shown: /^No members yet/ },
  { name: 'members-forbidden', viewer: 'reader', path: '/members', shown: /scope manage/ },
  { name: 'members-invite', path: '/members', shown: 'Ada', steps: open('Invite a member', 'Member name') },
  {
    name: 'members-remove',
    path: '/members',
    shown: 'Ada',
    steps: openFromMenu('Actions for Ada', 'Remove Ada', 'Remove member'),
  },
  { name: 'share-links', path: '/share-links', shown: /^trace / },
  { name: 'share-links-empty', viewer: 'newcomer', path: '/share-links', shown: 'No share links.' },
  { name: 'share-links-forbidden', viewer: 'reader', path: '/share-links', shown: /scope manage/ },
  {
    name: 'share-links-revoke',
    path: '/share-links',
    shown: /^trace /,
    steps: openFromMenu(/^Actions for trace/, /^Revoke trace/, 'Revoke link'),
  },
  { name: 'data', path: '/data', shown: 'of a session' },
  {
    name: 'data-forbidden',
    viewer: 'reader',
    path: '/data',
    shown: 'You cannot delete data of this account.',
  },
  {
    name: 'data-set-rule',
    path: '/data',
    shown: 'of a session',
    steps: async (page) => {
      await page.getByLabel('Keep for (days)').fill('30');
      await press('Set rule …')(page);
      await page.getByRole('dialog').getByText('are old enough to delete now').waitFor();
    },
  },
  {
    name: 'data-delete-account',
    path: '/data',
    shown: 'of a session',
    steps: open('Delete account …', 'signs everyone out'),
  },
  { name: 'audit-log', path: '/audit-log', shown: 'index.create' },
  { name: 'audit-log-forbidden', viewer: 'reader', path: '/audit-log', shown: /scope manage/ },
  {
    name: 'account-menu',
    path: '/audit-log',
    shown: 'index.create',
    steps: press('default'),
    only: RAIL,
    isPlaced: true,
  },
  {
    name: 'more-menu',
    path: '/audit-log',
    shown: 'index.create',
    steps: press('More'),
    only: MORE,
    isPlaced: true,
  },
  {
    name: 'rail-folded',
    path: '/traces',
    shown: 'handle-refund',
    only: RAIL,
    steps: async (page) => {
      await press('Hide labels')(page);
      // Not for the states after this one.
      await page.evaluate(`localStorage.removeItem('dacapo.rail')`);
    },
  },
  { name: 'page-not-found', path: '/nowhere', shown: 'There is no page at this address.' },
  {
    name: 'page-crashed',
    path: '/members',
    shown: 'Could not show this page.',
    answer: { path: API.members.list.path, status: 200, body: { items: [null] } },
    logs: /^TypeError: Cannot read properties of null/,
  },
  {
    name: 'service-unavailable',
    path: '/',
    shown: 'Could not reach the collector.',
    answer: { path: API.browserSessions.get.path, status: 409, body: UNAVAILABLE },
  },
  { name: 'sign-in', viewer: 'visitor', path: '/', shown: 'API key', isMain: true },
  {
    name: 'sign-in-refused-link',
    viewer: 'visitor',
    path: '/sign-in?token=guessed',
    shown: 'This sign-in link was already used',
  },
  {
    name: 'sign-in-refused-key',
    viewer: 'visitor',
    path: '/',
    shown: 'API key',
    steps: fillAndSend('API key', 'a-guess', 'Sign in', 'Invalid API key'),
  },
  { name: 'join', viewer: 'visitor', path: (demo) => demo.join, shown: 'Join Dacapo' },
  {
    name: 'join-refused',
    viewer: 'visitor',
    path: '/join#guessed',
    shown: 'Join Dacapo',
    steps: async (page) => {
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByText('Could not join.').waitFor();
    },
  },
  {
    name: 'join-welcome',
    viewer: 'visitor',
    path: '/join#any',
    shown: 'Join Dacapo',
    answer: {
      path: API.members.join.path,
      status: 200,
      body: {
        member: { id: 'm', name: 'Grace', role: 'viewer' },
        account: { id: 'a', name: 'default' },
        sign_in_code: 'dcc_shown_once_in_this_picture',
      },
    },
    steps: async (page) => {
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByText('Welcome, Grace').waitFor();
    },
  },
  { name: 'shared-trace', viewer: 'visitor', path: (demo) => demo.shared.trace, shown: 'route-llm' },
  {
    name: 'shared-trace-names-only',
    viewer: 'visitor',
    path: (demo) => demo.shared.namesOnly,
    shown: 'This link shows no inputs and outputs.',
  },
  {
    name: 'shared-run',
    viewer: 'visitor',
    path: (demo) => demo.shared.run,
    shown: 'prompt v2',
    steps: press(/^Call /),
  },
  { name: 'shared-ended', viewer: 'visitor', path: '/shared/guessed', shown: 'The link is incomplete' },
  {
    name: 'api-docs',
    viewer: 'visitor',
    path: '/api/docs',
    shown: 'Dacapo API',
    steps: async (page) => {
      await page.getByText('Lists traces, newest first unless').click();
      await page.getByRole('cell', { name: 'session_id' }).first().waitFor();
    },
  },
];
