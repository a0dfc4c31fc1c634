'use strict';

const Module = require('node:module');
const { existsSync, readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const LIBRARY = /^@dacapo\/(\w+)(?:\/(internal|testing))?$/;

/** Makes this process load TypeScript like Jest, with our packages from their sources under `root`. */
exports.loadSources = (root) => {
  const resolve = Module._resolveFilename;
  Module._extensions['.ts'] = compileTypeScript;
  Module._resolveFilename = (request, parent, ...rest) =>
    resolve.call(Module, sourceOf(root, request, parent?.filename) ?? request, parent, ...rest);
};

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

function sourceOf(root, request, from) {
  if (!from?.endsWith('.ts')) return undefined;
  const [, library, entry = 'index'] = LIBRARY.exec(request) ?? [];
  if (library !== undefined) return join(root, 'libs', library, 'src', `${entry}.ts`);
  if (!request.startsWith('.')) return undefined;
  const path = join(dirname(from), request.replace(/\.js$/, '.ts'));
  return existsSync(path) ? path : undefined;
}
