/**
 * The files that a library's manifest calls `lazy`, as `{ file: modules }`: each holds what those modules lead to and
 * neither the entries nor an earlier of these files do. What the entries lead to is the core, a file as well.
 */
export class LazyFiles {
  constructor(core, wanted, pathOf) {
    this.core = core;
    this.names = Object.keys(wanted);
    this.wanted = this.names.map((name) => wanted[name].map(pathOf));
    this.imports = new Map();
  }

  /** Notes who imports whom while the modules are read. */
  get plugin() {
    return {
      name: 'module-graph',
      moduleParsed: ({ id, importedIds }) => {
        this.imports.set(id, importedIds);
      },
    };
  }

  /** What rolldown is told. It asks once all modules are read. */
  codeSplitting(entries) {
    let files;
    const fileOf = (id) => (files ??= this.filesByModule(entries)).get(id);
    const groups = [this.core, ...this.names].map((name) => ({ name, test: (id) => fileOf(id) === name }));
    return { includeDependenciesRecursively: false, groups };
  }

  /**
   * Makes the `require` of each of the files, and the core's of other packages, one where a name of it is first used.
   * Later files keep theirs: they may extend its classes.
   *
   * @param code texts by file name
   */
  loadAtFirstUse(code) {
    const inOrder = this.names.map((name) => `${name}.js`);
    for (const [at, file] of inOrder.entries()) {
      const users = Object.keys(code).filter((user) => !inOrder.slice(at).includes(user));
      if (users.filter((user) => deferRequire(code, user, `./${file}`)).length === 0)
        throw new Error(`No file loads ${file}: has rolldown changed how it writes that?`);
    }
    const core = `${this.core}.js`;
    for (const [, specifier] of code[core].matchAll(REQUIRED_PACKAGE)) deferRequire(code, core, specifier);
    this.handOverCore(code);
  }

  /**
   * Makes what the core loads later use the core that loaded it. Where a registry of modules was emptied in between, as
   * test runners do, a `require` would bring another one, whose classes are others.
   */
  handOverCore(code) {
    const core = `${this.core}.js`;
    const slot = `globalThis[Symbol.for("@dacapo/${this.core}-that-loads")]`;
    const later = /require\("\.\/(\w+\.js)"\)/g;
    const files = new Set(Array.from(code[core].matchAll(later), ([, file]) => file));
    for (const file of files) code[file] = code[file].replace(`require("./${core}")`, `${slot} ?? $&`);
    code[core] = code[core].replace(later, 'loadLater(() => $&)').replace(
      '"use strict";',
      `$&
function loadLater(load) {
	const outer = ${slot};
	${slot} = exports;
	try {
		return load();
	} finally {
		${slot} = outer;
	}
}`,
    );
  }

  filesByModule(entries) {
    const files = new Map();
    const assign = (id, file, later) => {
      if (files.has(id) || later.includes(id)) return;
      files.set(id, file);
      for (const imported of this.imports.get(id) ?? []) assign(imported, file, later);
    };
    for (const id of entries) assign(id, this.core, this.wanted.flat());
    for (const [at, name] of this.names.entries())
      for (const id of this.wanted[at]) assign(id, name, this.wanted.slice(at + 1).flat());
    for (const id of entries) files.delete(id);
    return files;
  }
}

const REQUIRED_PACKAGE = /^let \w+ = require\("((?!node:)[^."][^"]*)"\);$/gm;

/** @returns whether the file loads it at all */
function deferRequire(code, file, specifier) {
  const eager = new RegExp(`^(?:const|let) (\\w+) = require\\("${specifier}"\\);$`, 'm');
  const [statement, variable] = eager.exec(code[file]) ?? [];
  if (statement === undefined) return false;
  const uses = code[file].matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'));
  const names = new Set(Array.from(uses, ([, name]) => name));
  const getters = Array.from(names, (name) => `\tget ${name}() { return load_${variable}().${name}; }`);
  const deferred = [
    `let loaded_${variable};`,
    `const load_${variable} = () => loaded_${variable} ??= require("${specifier}");`,
    `const ${variable} = {\n${getters.join(',\n')}\n};`,
  ];
  code[file] = code[file].replace(statement, deferred.join('\n'));
  return true;
}
