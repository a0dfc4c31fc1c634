import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { TracerTestingModule } from '@dacapo/nestjs/testing';

/** The application as one minified file, as it would be deployed. */
function bundleApplication(): string {
  const files = ['bundle.mjs', 'bundled-application.ts'].map((name) => join(__dirname, name));
  return execFileSync(process.execPath, files, { encoding: 'utf8' });
}

function loadModule(code: string): Type {
  const loaded: { exports: { BundledModule?: Type } } = { exports: {} };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the bundle, with the packages of this test
  new Function('require', 'module', 'exports', code)(require, loaded, loaded.exports);
  return loaded.exports.BundledModule!;
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('a bundled and minified application on %s', (_platform, createAdapter) => {
  let app: INestApplication;

  afterEach(() => app.close());

  it('records each request in its own trace and session, and nothing under NoTrace', async () => {
    const code = bundleApplication();
    expect(code).not.toMatch(/class (UsersController|AskingInterceptor)\b/);
    app = await NestFactory.create(
      loadModule(code),
      createAdapter() as ExpressAdapter,
      { logger: false } as object,
    );
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const users = Array.from({ length: 50 }, (_, index) => `user-${index}`);
    const paths = users.flatMap((user) => [`users/${user}`, `health/${user}`]);
    await Promise.all(paths.map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).text()));
    const { spans, traces } = app.get(TracerTestingModule);
    const requests = spans.filter(({ trace_function_key: key }) => key !== 'ask');
    expect(new Set(requests.map(({ trace_function_key: key }) => key))).toEqual(
      new Set(['GET /users/:user']),
    );
    const sessions = new Map(traces.map(({ id, session_id: session }) => [id, session]));
    const calls = spans
      .filter(({ trace_function_key: key }) => key === 'ask')
      .map(
        ({ trace_id: trace, span_data: { input } }) =>
          `${sessions.get(trace)} ${input?.[0] as string} ${input?.[1] as string}`,
      );
    const expected = users.flatMap((user) => [`${user} ${user} interceptor`, `${user} ${user} handler`]);
    expect(calls.sort()).toEqual(expected.sort());
  });
});
