// A file of its own, that no compiler changes: as CommonJS it would make a `require` of `import`, which loads no module
// that waits for something at its top level, and asks no loader that the user registered.
exports.importModule = (url) => import(url);
