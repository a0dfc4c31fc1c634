import { addTracerModule, nestAdd } from './nest-add.js';

const FRESH = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;

function run(files: Record<string, string>): { files: Record<string, string>; lines: string[] } {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  nestAdd()(
    {
      exists: (path) => path in files,
      readText: (path) => files[path] ?? '',
      overwrite: (path, content) => void (files[path] = content),
      create: (path, content) => void (files[path] = content),
    },
    { logger: { info: log, warn: log } },
  );
  return { files, lines };
}

describe('nest add', () => {
  it('imports TracerModule into the root module', () => {
    const { files } = run({ 'src/app.module.ts': FRESH });
    expect(files['src/app.module.ts']).toBe(`import { Module } from '@nestjs/common';
import { AppController } from './app.controller';
import { TracerModule } from '@dacapo/nestjs';

@Module({
  imports: [TracerModule.forRoot()],
  controllers: [AppController],
})
export class AppModule {}
`);
  });

  it.each([
    ['{"dependencies":{"@nestjs/config":"4.0.0"}}', true],
    ['{"scripts":{"start":"node --env-file=.env dist/main"}}', true],
    ['{"dependencies":{"@nestjs/core":"12.0.0"}}', false],
  ])('adds the variables to .env.example if the application reads .env: %s', (manifest, isNamed) => {
    const { files } = run({ 'src/app.module.ts': FRESH, 'package.json': manifest });
    expect(files['.env.example']?.includes('TRACER_API_KEY=') ?? false).toBe(isNamed);
  });

  it('keeps existing imports and variables', () => {
    const { files } = run({
      'src/app.module.ts': FRESH.replace('imports: []', 'imports: [A, B.forRoot({ x: [1] })]'),
      '.env.example': 'PORT=3000',
    });
    expect(files['src/app.module.ts']).toContain(
      'imports: [TracerModule.forRoot(), A, B.forRoot({ x: [1] })]',
    );
    expect(files['.env.example']).toBe(
      'PORT=3000\nTRACER_API_KEY=\nTRACER_SERVICE_URL=http://127.0.0.1:4100\n',
    );
  });

  it('changes nothing the second time', () => {
    const { files } = run({ 'src/app.module.ts': FRESH });
    const once = { ...files };
    expect(run(files).files).toEqual(once);
  });

  it('describes the manual steps if it cannot parse the module', () => {
    const { files, lines } = run({ 'src/app.module.ts': 'export const modules = [];\n' });
    expect(files['src/app.module.ts']).toBe('export const modules = [];\n');
    expect(lines[0]).toMatch(/Add TracerModule.forRoot\(\)/);
  });

  it.each([
    [
      'a module without imports',
      '@Module({ providers: [A] })\nclass M {}',
      'imports: [TracerModule.forRoot()],',
    ],
    [
      'imports over several lines',
      '@Module({\n  imports: [\n    A,\n  ],\n})\nclass M {}',
      '[\n    TracerModule.forRoot(),\n    A,',
    ],
    ['double quotes', 'import { A } from "a";\n@Module({})\nclass M {}', 'from "@dacapo/nestjs";'],
  ])('changes %s', (_form, source, expected) => {
    expect(addTracerModule(source)).toContain(expected);
  });

  it('puts its import below the last, where no line ends with a semicolon', () => {
    const source = FRESH.replaceAll(';', '');
    expect(addTracerModule(source)?.split('\n').slice(0, 4)).toEqual([
      "import { Module } from '@nestjs/common'",
      "import { AppController } from './app.controller'",
      "import { TracerModule } from '@dacapo/nestjs'",
      '',
    ]);
  });

  it('ignores imports that are nested or in a comment', () => {
    const providers = "[{ provide: ')', useFactory: () => make({ imports: [A] }) }]";
    expect(
      addTracerModule(`@Module({ providers: ${providers}, /* imports: [C] */ imports: [B] })`),
    ).toContain(
      `@Module({ providers: ${providers}, /* imports: [C] */ imports: [TracerModule.forRoot(), B] })`,
    );
    expect(addTracerModule(`@Module({ providers: ${providers} })`)).toContain(
      '@Module({\n  imports: [TracerModule.forRoot()],',
    );
  });

  it.each(['imports: shared', 'imports', '...common, providers: []'])(
    'leaves imports from elsewhere unchanged: %s',
    (metadata) => {
      expect(addTracerModule(`@Module({ ${metadata} })\nclass M {}`)).toBeUndefined();
    },
  );
});
