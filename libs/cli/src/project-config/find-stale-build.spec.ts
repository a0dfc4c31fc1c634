import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findStaleBuild } from './find-stale-build.js';
import { readProjectConfig } from './project-config.js';

describe('a stale build', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dacapo-stale-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const write = (path: string, seconds: number): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, seconds, seconds);
  };
  const find = (replay: object = {}): unknown => {
    const config = { replay: { module: 'dist/a.js', keys: ['a'], ...replay } };
    writeFileSync(join(folder, 'dacapo.config.json'), JSON.stringify(config));
    return findStaleBuild(readProjectConfig(folder));
  };

  it('is one whose newest source is newer than the newest file next to the module', () => {
    write('src/inner/b.ts', 200);
    write('dist/a.js', 100);
    expect(find()).toEqual({ source: join('src', 'inner', 'b.ts'), module: 'dist/a.js' });
    write('dist/b.js', 300);
    expect(find()).toBeUndefined();
  });

  it('is one without any built file', () => {
    write('src/a.ts', 200);
    expect(find()).toMatchObject({ source: join('src', 'a.ts') });
  });

  it('is none when the module is a source itself, or there are no sources', () => {
    write('src/a.ts', 200);
    write('src/b.ts', 300);
    expect(find({ module: 'src/a.ts' })).toBeUndefined();
    expect(find({ sources: ['lib'] })).toBeUndefined();
  });

  it('ignores files that no build reads', () => {
    write('dist/a.js', 100);
    write('dist/node_modules/x/index.js', 900);
    write('src/notes.pdf', 500);
    write('src/a.ts', 50);
    expect(find()).toBeUndefined();
  });

  it('is told from the module alone when that is in the folder of the project', () => {
    write('a.js', 100);
    write('other.js', 900);
    write('src/a.ts', 200);
    expect(find({ module: 'a.js' })).toMatchObject({ module: 'a.js' });
  });
});
