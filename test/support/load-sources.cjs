'use strict';

const Module = require('node:module');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Each thread of each test would compile the same files. */
const CACHE = join(__dirname, '../../.cache/sources');
const LIBRARY = /^@dacapo\/(\w+)(?:\/(internal|testing|api))?$/;

/** Makes this process load TypeScript like Jest, with our packages from their sources under `root`. */
exports.loadSources = (root) => {
  const resolve = Module._resolveFilename;
  Module._extensions['.ts'] = compileTypeScript;
  Module._resolveFilename = (request, parent, ...rest) =>
    resolve.call(Module, findSource(root, request, parent?.filename) ?? request, parent, ...rest);
};

function compileTypeScript(module, path) {
  const source = readFileSync(path, 'utf8');
  const compiled = join(CACHE, createHash('sha256').update(path).update(source).digest('hex') + '.js');
  if (!existsSync(compiled)) {
    mkdirSync(CACHE, { recursive: true });
    const partial = `${compiled}.${process.hrtime.bigint()}`;
    writeFileSync(partial, transform(path, source));
    renameSync(partial, compiled);
  }
  module._compile(readFileSync(compiled, 'utf8'), path);
}

function transform(path, source) {
  return require('@swc/core').transformSync(source, {
    filename: path,
    swcrc: false,
    jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
    module: { type: 'commonjs' },
  }).code;
}

function findSource(root, request, from) {
  if (!from?.endsWith('.ts')) return undefined;
  const [, library, entry = 'index'] = LIBRARY.exec(request) ?? [];
  if (library !== undefined) return join(root, 'libs', library, 'src', `${entry}.ts`);
  if (!request.startsWith('.')) return undefined;
  const path = join(dirname(from), request.replace(/\.js$/, '.ts'));
  return existsSync(path) ? path : undefined;
}
