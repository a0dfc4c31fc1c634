import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lifeOf, ownIdentity, parseIdentity } from './process-identity.js';

describe('The identity of a process', () => {
  it('survives being written down', () => {
    expect(parseIdentity(JSON.stringify(ownIdentity()))).toEqual(ownIdentity());
  });

  it.each(['', '{', 'null', '7', '{}', '{"pid":1,"threadId":0,"space":"","startedAt":7}'])(
    'is none in %j',
    (text) => {
      expect(parseIdentity(text)).toBeUndefined();
    },
  );

  it('tells that a process lives, and when it has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const identity = { ...ownIdentity(), pid: child.pid!, startedAt: '' };
    expect(lifeOf(ownIdentity())).toBe('alive');
    expect(lifeOf(identity)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(lifeOf(identity)).toBe('dead');
  });

  it('fault 26: is not that of another process with the same id', () => {
    expect(lifeOf({ ...ownIdentity(), startedAt: '1' })).toBe('dead');
  });

  it('says nothing of another machine, and nothing of a thread of a process that lives', () => {
    expect(lifeOf({ ...ownIdentity(), space: 'elsewhere' })).toBe('unknown');
    expect(lifeOf({ ...ownIdentity(), threadId: 3 })).toBe('unknown');
  });
});
