'use strict';

const { join } = require('node:path');

const OPTIONS = {
  extensionAlias: { '.js': ['.ts', '.js'] },
  tsconfig: { configFile: join(__dirname, '../../tsconfig.json') },
};

/** Resolves imports of our own files to TypeScript sources: `./name.js`, and our packages by the `paths` of tsconfig.json. */
module.exports = (name, options) => {
  const isOurs = !options.basedir.includes('node_modules');
  return options.defaultResolver(name, isOurs ? { ...options, ...OPTIONS } : options);
};
