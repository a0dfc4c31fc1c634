import { killWhileForwarding } from './support/kill-while-forwarding.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('SIGKILL while spans are forwarded', () => {
  it('loses no acknowledged span', async () => {
    expect(await killWhileForwarding(temporaryDirectory(), { kills: 2, collectors: 1 })).toEqual([]);
  });
});
