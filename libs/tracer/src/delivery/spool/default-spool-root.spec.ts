import { homedir } from 'node:os';
import { join } from 'node:path';
import { defaultSpoolRoot } from './default-spool-root.js';

describe('The folder of all spools', () => {
  it('is where the user keeps state', () => {
    expect(defaultSpoolRoot({ XDG_STATE_HOME: '/state' }, 'linux')).toBe('/state/dacapo/spool');
    expect(defaultSpoolRoot({}, 'linux')).toBe(join(homedir(), '.local/state/dacapo/spool'));
    expect(defaultSpoolRoot({}, 'darwin')).toBe(join(homedir(), 'Library/Application Support/dacapo/spool'));
  });

  it('ignores a relative XDG_STATE_HOME, as its specification requires', () => {
    expect(defaultSpoolRoot({ XDG_STATE_HOME: 'state' }, 'linux')).toBe(
      join(homedir(), '.local/state/dacapo/spool'),
    );
  });
});
