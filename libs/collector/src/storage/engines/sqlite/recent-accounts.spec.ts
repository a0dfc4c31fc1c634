import { RecentAccounts } from './recent-accounts.js';

it('knows whether another account wrote in the last ten seconds', () => {
  const accounts = new RecentAccounts();
  accounts.note('a', 0);
  expect(accounts.hasOthers('a', 0)).toBe(false);
  accounts.note('b', 1000);
  expect(accounts.hasOthers('a', 2000)).toBe(true);
  expect(accounts.hasOthers('b', 2000)).toBe(true);
  accounts.note('b', 9000);
  expect(accounts.hasOthers('b', 9999)).toBe(true);
  expect(accounts.hasOthers('b', 10_000)).toBe(false);
  expect(accounts.hasOthers('a', 18_999)).toBe(true);
});
