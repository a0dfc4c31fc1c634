import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Project } from '../init/project.js';
import { planTest } from './plan-test.js';
import { detectRunner } from '../oracle/test-runner.js';
import { writeTest } from './test-source.js';

async function write(
  files: Readonly<Record<string, string>>,
  { key = 'desk.answer', configured }: { key?: string; configured?: readonly string[] } = {},
): Promise<{ file: string; source: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'reproduce-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const project = await Project.open(folder);
  const runner = detectRunner(project, configured);
  const plan = await planTest(project, {
    cassette: 'a/lost',
    key,
    runner,
    config: undefined,
    out: undefined,
  });
  return { file: plan.file, source: writeTest(plan) };
}

describe('A written test', () => {
  it('imports an exported function, as an ES module for Vitest', async () => {
    const { file, source } = await write({
      'package.json': '{"type":"module","devDependencies":{"vitest":"3.0.0"}}',
      'tsconfig.json': '{}',
      'src/desk.ts': "export const answer = tracer.withSpan('desk.answer', (id: string) => id);",
    });
    expect(file).toBe('test/lost.test.ts');
    expect(source).toBe(`import { it } from 'vitest';
import { withCassette } from '@dacapo/testing';
import { answer } from '../src/desk.js';

it('a/lost: the recorded failure is fixed', () =>
  withCassette('a/lost', { expect: 'fixed' }, async (tape) => {
    // Red while this call fails as it was recorded. Add assertions on what it should return.
    await tape.replay(answer);
  }));
`);
  });

  it('imports Vitest in a project of CommonJS, too', async () => {
    const { source } = await write({
      'package.json': '{"devDependencies":{"vitest":"3.0.0"}}',
      'src/desk.js': "exports.answer = tracer.withSpan('desk.answer', (id) => id);",
    });
    expect(source).toContain("import { it } from 'vitest';");
    expect(source).not.toContain('require(');
  });

  it('starts the application of a Nest project, and calls the traced method', async () => {
    const { file, source } = await write({
      'package.json':
        '{"dependencies":{"@nestjs/core":"12"},"devDependencies":{"jest":"30"},"jest":{"rootDir":"src"}}',
      'tsconfig.json': '{}',
      'src/app.module.ts': 'export class AppModule {}',
      'src/desk.service.ts':
        "@Injectable()\nexport class DeskService {\n  @Traced('desk.answer')\n  async answer(id: string): Promise<string> {\n    return id;\n  }\n}\n",
    });
    expect(file).toBe('src/lost.test.ts');
    expect(source).toContain("import { DeskService } from './desk.service';");
    expect(source).toContain('createReplayContext(AppModule)');
    expect(source).toContain(
      "tape.replay((...args: Parameters<DeskService['answer']>) => service.answer(...args))",
    );
  });

  it('requires modules in CommonJS, for the runner of Node', async () => {
    const { file, source } = await write({
      'package.json': '{}',
      'src/desk.js': "exports.answer = tracer.withSpan('desk.answer', (id) => id);",
    });
    expect(file).toBe('test/lost.test.js');
    expect(source).toContain("const { it } = require('node:test');");
    expect(source).toContain("const { answer } = require('../src/desk.js');");
  });

  it.each([
    ['no function', ''],
    [
      'two functions',
      "export const a = t.withSpan('desk.answer', f);\nexport const b = t.withSpan('desk.answer', f);",
    ],
    ['a function that is not exported', "const answer = t.withSpan('desk.answer', f);"],
  ])('leaves a TODO if the sources have %s with the key', async (_, text) => {
    const { source } = await write({ 'package.json': '{}', 'src/desk.js': text });
    expect(source).toContain("// TODO: import the function with the key 'desk.answer'");
  });

  it('has a hostile key as a literal in one comment only', async () => {
    const key = "'); process.exit(1); ('\u2028process.exit(1)\n*/ `${process.exit(1)}`";
    const { source } = await write({ 'package.json': '{}', 'src/desk.js': '' }, { key });
    expect(source).not.toContain('\u2028');
    expect(source.split('\n').filter((line) => line.includes('process.exit'))).toEqual([
      expect.stringMatching(/^\/\/ TODO: /),
    ]);
  });
});
