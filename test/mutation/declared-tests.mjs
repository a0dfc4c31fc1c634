import { createRequire } from 'node:module';

const ofJest = createRequire(createRequire(import.meta.url).resolve('jest'));
const { bind } = ofJest('jest-each');
const { expect } = ofJest('expect');

/**
 * Collects the tests that files declare with the subset of Jest's functions that they use. Unlike in Jest, a test can run many
 * times in the loaded modules.
 */
export class DeclaredTests {
  /** Tests in order of declaration: `{ id, run }`. */
  all = [];
  #ids = new Set();
  #block = { name: '', before: [], after: [] };

  /** Defines Jest's functions as globals. */
  install() {
    const describe = (name, declare) => {
      const outer = this.#block;
      this.#block = { name: `${outer.name}${name} `, before: [...outer.before], after: [...outer.after] };
      declare();
      this.#block = outer;
    };
    const it = (name, body) => {
      this.#declare(`${this.#block.name}${name}`, body);
    };
    Object.assign(globalThis, {
      expect,
      describe: Object.assign(describe, { each: bind(describe, false) }),
      it: Object.assign(it, { each: bind(it, false) }),
      beforeEach: (hook) => this.#block.before.push(hook),
      afterEach: (hook) => this.#block.after.unshift(hook),
    });
  }

  #declare(name, body) {
    const block = this.#block;
    let id = name;
    for (let count = 2; this.#ids.has(id); count += 1) id = `${name} (${count})`;
    this.#ids.add(id);
    const run = async () => {
      try {
        for (const hook of block.before) await hook();
        await body();
      } finally {
        for (const hook of block.after) await hook();
      }
    };
    this.all.push({ id, run });
  }
}
