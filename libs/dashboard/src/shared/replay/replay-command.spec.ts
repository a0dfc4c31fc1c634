import { replayCommand } from './replay-command.js';

describe('the command that replays calls', () => {
  it('names each trace once, in one command for each key', () => {
    const calls = [
      { key: 'a', traceId: '1' },
      { key: "it's b", traceId: '2' },
      { key: 'a', traceId: '3' },
      { key: 'a', traceId: '1' },
    ];
    expect(replayCommand(calls).split('\n')).toEqual([
      'npx dacapo replay dist/main.js --key a --trace-id 1 --trace-id 3',
      String.raw`npx dacapo replay dist/main.js --key 'it'\''s b' --trace-id 2`,
    ]);
    expect(replayCommand([])).toBe('');
  });
});
