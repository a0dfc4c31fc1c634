import { addTracerModule } from './root-module.js';

const FRESH = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';

@Module({
  imports: [],
  controllers: [AppController],
})
export class AppModule {}
`;

describe('The root module', () => {
  it('imports TracerModule', () => {
    expect(addTracerModule(FRESH)).toBe(`import { Module } from '@nestjs/common';
import { AppController } from './app.controller';
import { TracerModule } from '@dacapo/nestjs';

@Module({
  imports: [TracerModule.forRoot()],
  controllers: [AppController],
})
export class AppModule {}
`);
  });

  it('keeps existing imports', () => {
    const source = FRESH.replace('imports: []', 'imports: [A, B.forRoot({ x: [1] })]');
    expect(addTracerModule(source)).toContain('imports: [TracerModule.forRoot(), A, B.forRoot({ x: [1] })]');
  });

  it('is found by its name among several modules', () => {
    const source =
      '@Module({ providers: [A] })\nclass Parts {}\n\n@Module({ imports: [Parts] })\nclass Root {}';
    expect(addTracerModule(source, 'Root')).toContain('imports: [TracerModule.forRoot(), Parts]');
  });

  it('does not change the second time', () => {
    const once = addTracerModule(FRESH) ?? '';
    expect(addTracerModule(once)).toBe(once);
  });

  it('does not change if it cannot be parsed', () => {
    expect(addTracerModule('export const modules = [];\n')).toBeUndefined();
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

  it.each([
    [
      'behind a comment',
      "import { A } from './a'; // the last",
      "import { A } from './a'; // the last\nimport",
    ],
    ['above a long comment', "import { A } from './a'; /* the\nlast */", "import { A } from './a';\nimport"],
    [
      'not into a comment',
      "import { A } from './a';\n/*\nimport { B } from './b';\n*/",
      "import { A } from './a';\nimport { TracerModule } from '@dacapo/nestjs';\n/*",
    ],
    [
      'into an empty one',
      "import {} from '@dacapo/nestjs';",
      "import { TracerModule } from '@dacapo/nestjs';",
    ],
    [
      'in front of a name with a comment',
      "import {\n  A, // the last\n} from '@dacapo/nestjs';",
      'import { TracerModule,\n  A, // the last\n} from',
    ],
  ])('gets its import %s', (_place, imports, expected) => {
    expect(addTracerModule(`${imports}\n@Module({})\nclass M {}`)).toContain(expected);
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
