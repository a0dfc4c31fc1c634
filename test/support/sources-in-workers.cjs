'use strict';

// Jest loads it before each test file: threads that a test starts load it then, and with it TypeScript sources as Jest does.
const Module = require('node:module');
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const LIBRARY = /^@dacapo\/(\w+)$/;

if (isMainThread) {
  const others = (process.env.NODE_OPTIONS ?? '')
    .replace(/--require "[^"]*sources-in-workers\.cjs"/, '')
    .trim();
  process.env.NODE_OPTIONS = `${others} --require "${join(__dirname, 'sources-in-workers.cjs')}"`.trim();
} else {
  Module._extensions['.ts'] = compileTypeScript;
  const resolve = Module._resolveFilename;
  Module._resolveFilename = (request, parent, ...rest) =>
    resolve.call(Module, sourceOf(request, parent?.filename) ?? request, parent, ...rest);
}

function compileTypeScript(module, path) {
  const { transformSync } = require('@swc/core');
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    filename: path,
    swcrc: false,
    jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  });
  module._compile(code, path);
}

function sourceOf(request, from) {
  if (!from?.endsWith('.ts')) return undefined;
  const library = LIBRARY.exec(request)?.[1];
  if (library !== undefined) return join(__dirname, '../../libs', library, 'src/index.ts');
  if (!request.startsWith('.')) return undefined;
  const path = join(dirname(from), request.replace(/\.js$/, '.ts'));
  return existsSync(path) ? path : undefined;
}
