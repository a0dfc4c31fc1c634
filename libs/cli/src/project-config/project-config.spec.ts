import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveInside } from './inside-folder.js';
import { checkUnchanged, readProjectConfig, replaySettingsFor, testSettings } from './project-config.js';

const REPLAY = { module: 'dist/support.js', keys: ['support.*'] };

describe('dacapo.config.json', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dacapo-config-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (config: unknown): void => {
    writeFileSync(
      join(folder, 'dacapo.config.json'),
      typeof config === 'string' ? config : JSON.stringify(config),
    );
  };
  const refusal = (config: unknown): string => {
    write(config);
    try {
      readProjectConfig(folder);
    } catch (error) {
      return (error as Error).message.replace(`${folder}/`, '');
    }
    throw new Error('accepted');
  };

  it('has defaults that let nothing run live and cost nothing', () => {
    write({
      replay: REPLAY,
      test: { command: ['npx', 'jest'] },
      prepare: [
        ['npm', 'ci'],
        ['npm', 'run', 'npm'],
      ],
    });
    expect(readProjectConfig(folder)).toEqual({
      folder,
      file: join(folder, 'dacapo.config.json'),
      hash: expect.stringMatching(/^[\da-f]{64}$/),
      replay: { ...REPLAY, export: undefined, node: [], sources: ['src'], live: [], maxUsd: 0 },
      test: { command: ['npx', 'jest'], cassettes: 'test/cassettes' },
      prepare: [
        ['npm', 'ci'],
        ['npm', 'run', 'npm'],
      ],
    });
  });

  it.each([
    ['a missing list of keys', { replay: { module: 'a.js' } }, 'replay.keys'],
    ['no key', { replay: { ...REPLAY, keys: [] } }, 'replay.keys must hold one at least'],
    [
      'a misspelt limit',
      { replay: { ...REPLAY, maxUSD: 1 } },
      'Unknown field "replay.maxUSD". Did you mean "maxUsd"?',
    ],
    ['an unknown section', { replays: REPLAY }, 'Unknown field "replays". Did you mean "replay"?'],
    [
      'a negative budget',
      { replay: { ...REPLAY, maxUsd: -1 } },
      'replay.maxUsd must be a number of at least 0',
    ],
    ['a budget that is a text', { replay: { ...REPLAY, maxUsd: '1' } }, 'replay.maxUsd must be a number'],
    [
      'a live word that is neither type nor key',
      { replay: { ...REPLAY, live: ['*'] } },
      'replay.live[0] must be a span type',
    ],
    ['a live key without a name', { replay: { ...REPLAY, live: ['key= '] } }, 'replay.live[0] must be'],
    [
      'a module outside',
      { replay: { ...REPLAY, module: '../a.js' } },
      'replay.module must be a path inside the project',
    ],
    ['an absolute module', { replay: { ...REPLAY, module: '/a.js' } }, 'replay.module must be a path inside'],
    [
      'cassettes outside',
      { test: { command: ['jest'], cassettes: 'a/../../b' } },
      'test.cassettes must be a path inside',
    ],
    ['an empty command', { test: { command: [] } }, 'test.command must hold one at least'],
    ['a command that is one text', { test: { command: 'npx jest' } }, 'test.command must be an array'],
    ['an empty step', { prepare: [[]] }, 'prepare[0] must hold one at least'],
    ['a list', [], 'must be an object'],
    ['text that is not JSON', '{ replay: }', 'is not JSON'],
  ])('refuses %s', (_, config, message) => {
    expect(refusal(config)).toMatch(/^dacapo\.config\.json: /);
    expect(refusal(config)).toContain(message);
  });

  it('names an example when the file is missing', () => {
    expect(() => readProjectConfig(folder)).toThrow(
      /does not exist\. Create it, for example with \{"replay"/,
    );
  });

  it('refuses a file that was changed or removed after it was read', () => {
    write({ replay: REPLAY });
    const config = readProjectConfig(folder);
    expect(() => {
      checkUnchanged(config);
    }).not.toThrow();
    write({ replay: { ...REPLAY, live: ['llm'] } });
    expect(() => {
      checkUnchanged(config);
    }).toThrow('was changed after this command started');
    rmSync(config.file);
    expect(() => {
      checkUnchanged(config);
    }).toThrow('was changed after this command started');
  });

  it.each([
    ['support.*', 'support.answer', true],
    ['support.*', 'support.', true],
    ['support.*', 'support', false],
    ['support.*', 'a.support.answer', false],
    ['*.answer', 'support.answer', true],
    ['*', 'anything\nat all', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['support.answer', 'support.answer', true],
    ['support.answer', 'supportXanswer', false],
  ])('with the key pattern %s, %j is allowed: %s', (pattern, key, isAllowed) => {
    write({ replay: { ...REPLAY, keys: [pattern] } });
    const config = readProjectConfig(folder);
    const settings = (): unknown => replaySettingsFor(config, key);
    if (isAllowed) expect(settings()).toBe(config.replay);
    else expect(settings).toThrow('allows replays of');
  });

  it('names the missing section', () => {
    write({});
    const config = readProjectConfig(folder);
    expect(() => replaySettingsFor(config, 'a')).toThrow('has no "replay". Add it');
    expect(() => testSettings(config)).toThrow('has no "test". Add it');
  });

  it('resolves only paths that stay inside the folder, also through links', () => {
    mkdirSync(join(folder, 'inner'));
    symlinkSync(tmpdir(), join(folder, 'out'));
    symlinkSync('inner', join(folder, 'in'));
    symlinkSync('nowhere', join(folder, 'broken'));
    expect(resolveInside(folder, 'inner/new/a.ndjson')).toMatch(/inner\/new\/a\.ndjson$/);
    expect(resolveInside(folder, 'in/a.ndjson')).toMatch(/inner\/a\.ndjson$/);
    expect(resolveInside(folder, './a/../b')).toMatch(/\/b$/);
    for (const path of [
      '..',
      '../a',
      'a/../../b',
      '/etc/passwd',
      'C:\\a',
      '\\\\server\\a',
      'a\0b',
      'out/a',
      'broken/a',
      'broken',
    ])
      expect(resolveInside(folder, path)).toBeUndefined();
  });
});
