import { posix } from 'node:path';
import type { FoundSource } from './find-source.js';
import { toLiteral } from './literal.js';
import type { RunnerName } from '../oracle/test-runner.js';

/** What a test calls. */
export type Subject =
  | FoundSource
  /** A module that exports wrapped functions. */
  | { readonly kind: 'module'; readonly file: string }
  /** A person has to name the function. */
  | { readonly kind: 'unknown' };

export interface TestPlan {
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  readonly runner: RunnerName;
  readonly isEsModule: boolean;
  /** The ending of relative imports: `.js`, `.ts`, or empty. */
  readonly importEnding: '' | '.js' | '.ts';
  /** The name of the cassette: of ids alone. */
  readonly cassette: string;
  /** The folder of cassettes, unless it is the default. */
  readonly directory: string | undefined;
  readonly key: string;
  readonly subject: Subject;
  /** The application's module of a Nest application; a method needs it. */
  readonly application: { readonly file: string; readonly name: string } | undefined;
}

/** Writes the source of a test that is red while the recorded failure occurs. */
export function writeTest(plan: TestPlan): string {
  const { subject, application } = plan;
  const isMethod = subject.kind === 'method' && application !== undefined;
  const body = isMethod
    ? writeMethodTest(plan, subject)
    : writeFunctionTest(plan, subject.kind === 'method' ? { kind: 'unknown' } : subject);
  return `${writeImports(plan).join('\n')}\n\n${body}`;
}

function writeImports(plan: TestPlan): string[] {
  const { runner, subject, application } = plan;
  const from = (names: string, file: string): string => writeImport(plan, names, file);
  return [
    ...(runner === 'node' ? [from('{ it }', 'node:test')] : []),
    ...(runner === 'vitest' ? [from('{ it }', 'vitest')] : []),
    ...(subject.kind === 'method' && application !== undefined
      ? [from('{ createReplayContext }', '@dacapo/nestjs')]
      : []),
    from('{ withCassette }', '@dacapo/testing'),
    ...(subject.kind === 'method' && application !== undefined
      ? [
          from(`{ ${application.name} }`, relativeImport(plan, application.file)),
          from(`{ ${subject.className} }`, relativeImport(plan, subject.file)),
        ]
      : []),
    ...(subject.kind === 'function' ? [from(`{ ${subject.name} }`, relativeImport(plan, subject.file))] : []),
    ...(subject.kind === 'module' ? [from('* as application', relativeImport(plan, subject.file))] : []),
  ];
}

function writeImport({ file, isEsModule }: TestPlan, names: string, from: string): string {
  // TypeScript compiles imports to what the project needs.
  if (isEsModule || /\.[mc]?ts$/.test(file)) return `import ${names} from ${toLiteral(from)};`;
  return `const ${names.replace('* as ', '')} = require(${toLiteral(from)});`;
}

function relativeImport({ file, importEnding }: TestPlan, target: string): string {
  const path = posix.relative(posix.dirname(file), target);
  const relative = path.startsWith('.') ? path : `./${path}`;
  return /\.ts$/.test(relative) ? relative.replace(/\.ts$/, importEnding) : relative;
}

function writeOptions({ directory }: TestPlan): string {
  return `{ expect: 'fixed'${directory === undefined ? '' : `, directory: ${toLiteral(directory)}`} }`;
}

const ADVICE = ['// Red while this call fails as it was recorded. Add assertions on what it should return.'];

function writeFunctionTest(plan: TestPlan, subject: Exclude<Subject, { kind: 'method' }>): string {
  const { cassette, key } = plan;
  const name =
    subject.kind === 'function' ? subject.name : subject.kind === 'module' ? 'application' : 'recorded';
  const todo =
    subject.kind === 'unknown'
      ? [
          `// TODO: import the function with the key ${toLiteral(key)}, and pass it to tape.replay in place of this one.`,
          'const recorded = () => {',
          "  throw new Error('Import the recorded function in this test.');",
          '};',
          '',
        ]
      : [];
  return [
    ...todo,
    `it(${toLiteral(`${cassette}: the recorded failure is fixed`)}, () =>`,
    `  withCassette(${toLiteral(cassette)}, ${writeOptions(plan)}, async (tape) => {`,
    ...ADVICE.map((line) => `    ${line}`),
    `    await tape.replay(${name});`,
    '  }));',
    '',
  ].join('\n');
}

function writeMethodTest(plan: TestPlan, subject: Extract<Subject, { kind: 'method' }>): string {
  const { cassette, application, file } = plan;
  const { className, method } = subject;
  const args = /\.[mc]?ts$/.test(file)
    ? `...args: Parameters<${className}[${toLiteral(method)}]>`
    : '...args';
  return [
    `it(${toLiteral(`${cassette}: the recorded failure is fixed`)}, async () => {`,
    `  const context = await createReplayContext(${application?.name ?? ''});`,
    `  const service = context.app.get(${className}, { strict: false });`,
    '  try {',
    `    await withCassette(${toLiteral(cassette)}, ${writeOptions(plan)}, async (tape) => {`,
    ...ADVICE.map((line) => `      ${line}`),
    `      await tape.replay((${args}) => service.${method}(...args));`,
    '    });',
    '  } finally {',
    '    await context.close();',
    '  }',
    '});',
    '',
  ].join('\n');
}
