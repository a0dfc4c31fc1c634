import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProcessState, ownIdentity, parseIdentity } from './process-identity.js';

describe('The identity of a process', () => {
  it('survives being written down', () => {
    expect(parseIdentity(JSON.stringify(ownIdentity()))).toEqual(ownIdentity());
  });

  it.each(['', '{', 'null', '7', '{}', '{"pid":1,"threadId":0,"space":"","startedAt":7}'])(
    'is undefined for %j',
    (text) => {
      expect(parseIdentity(text)).toBeUndefined();
    },
  );

  it('reports whether a process lives', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const identity = { ...ownIdentity(), pid: child.pid!, startedAt: '' };
    expect(findProcessState(ownIdentity())).toBe('alive');
    expect(findProcessState(identity)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(findProcessState(identity)).toBe('dead');
  });

  it('fault 26: is not that of another process with the same id', () => {
    expect(findProcessState({ ...ownIdentity(), startedAt: '1' })).toBe('dead');
  });

  it('reports nothing about another machine, or a thread of a living process', () => {
    expect(findProcessState({ ...ownIdentity(), space: 'elsewhere' })).toBe('unknown');
    expect(findProcessState({ ...ownIdentity(), threadId: 3 })).toBe('unknown');
  });
});
