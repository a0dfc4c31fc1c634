import { createRequire } from 'node:module';
import { join } from 'node:path';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { GROUP, GROUPS } from '../../scripts/test-mutation.mjs';
import { DeclaredTests } from './declared-tests.mjs';

/** What changed code asks for the change that is made, and tells which test ran it. */
const changed = (globalThis.__stryker__ ??= {});

const KEPT = `.cache/mutation/${GROUP}.jsonl`;

/** Code that is evaluated can be stopped, however endless a loop is. */
const starting = new Script('__stryker__.start()');

/** Of a test with a change: on a machine that does much else one of a second takes several. */
const LONGEST_MS = 8_000;
const LATE = { message: 'It takes too long.' };

/** A test that takes longer runs after all that do not: most changes are noticed by a quick one. */
const QUICK_MS = 50;

/** An error that nobody caught, as in a timer, is one of the test that runs. */
let tellUncaught = () => {};

/**
 * Runs the tests of a group for Stryker, in modules that are loaded once: a change is switched on for as long as its tests
 * run, and the first test that fails is the last. With Jest, which loads all of them for each change, it takes hours.
 */
class LoadedOnceRunner {
  #tests = [];
  /** Modules that no change has run in. */
  #isFresh = true;
  #isSpoilt = false;

  /** No change is switched on while modules are loaded, so that none has to load them again. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    const root = process.cwd();
    const require = createRequire(join(root, 'package.json'));
    // Few values must do with each of hundreds of changes, and nobody reads the smallest one that fails.
    require('fast-check').configureGlobal({ numRuns: 40, endOnFailure: true });
    require(join(root, 'test/support/load-sources.cjs')).loadSources(root);
    const declared = new DeclaredTests();
    declared.install();
    const files = readdirSync(join(root, 'libs'), { recursive: true }).map((path) =>
      join(root, 'libs', path),
    );
    for (const path of [...changedAmong(files), ...testsAmong(files)]) require(path);
    this.#tests = declared.all;
    process.on('uncaughtException', (error) => {
      tellUncaught(error);
    });
  }

  async dryRun({ timeout }) {
    const tests = [];
    for (const test of this.#tests) {
      const startedAt = performance.now();
      changed.currentTestId = test.id;
      const failure = await failureOf(test, timeout);
      changed.currentTestId = undefined;
      const timeSpentMs = performance.now() - startedAt;
      tests.push({ id: test.id, name: test.id, timeSpentMs, ...resultOf(failure) });
    }
    return { status: 'complete', tests, mutantCoverage: changed.mutantCoverage };
  }

  /** @throws when what an earlier change left behind may have failed the test: Stryker tries again in another process */
  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    if (this.#isSpoilt) throw new Error('A change has left something behind.');
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    const tests = this.#tests.filter(({ id }) => testFilter?.includes(id) ?? true);
    for (const [index, test] of tests.entries()) {
      Object.assign(changed, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const startedAt = performance.now();
      const failure = await failureOf(test, LONGEST_MS);
      test.isSlow ||= performance.now() - startedAt > QUICK_MS;
      const isEndless = failure === LATE || changed.hitCount > (hitLimit ?? Infinity);
      Object.assign(changed, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      if (failure === undefined) continue;
      this.#isSpoilt = (await failureOf(test, LONGEST_MS)) !== undefined;
      if (this.#isSpoilt && !isFresh) throw new Error('An earlier change may have left something behind.');
      this.#putFirst(test);
      if (isEndless) return { status: 'timeout', reason: 'It runs without an end.' };
      return { status: 'killed', killedBy: [test.id], failureMessage: failure.message, nrOfTests: index + 1 };
    }
    return { status: 'survived', nrOfTests: tests.length };
  }

  /** What noticed a change probably notices the next one, which is next to it. Slow tests stay last. */
  #putFirst(test) {
    const others = this.#tests.filter((other) => other !== test);
    this.#tests = [test, ...others].sort((a, b) => Number(a.isSlow ?? false) - Number(b.isSlow ?? false));
  }
}

/** Code that loads them late would load them with a change switched on. */
function changedAmong(files) {
  return files.filter((path) => path.endsWith('.ts') && readFileSync(path, 'utf8').includes('stryMutAct_'));
}

function testsAmong(files) {
  return GROUPS[GROUP].tests.flatMap((pattern) =>
    files.filter((path) => new RegExp(pattern).test(path) && !path.includes('simulated-')),
  );
}

async function failureOf({ run }, timeoutMs) {
  changed.start = run;
  let timer;
  const interrupted = new Promise((resolve, reject) => {
    timer = setTimeout(resolve, timeoutMs, LATE);
    tellUncaught = reject;
  });
  try {
    const ended = starting.runInThisContext({ timeout: timeoutMs });
    return (await Promise.race([ended, interrupted])) === LATE ? LATE : undefined;
  } catch (error) {
    return error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      ? LATE
      : { message: String(error?.message ?? error) };
  } finally {
    clearTimeout(timer);
  }
}

function resultOf(failure) {
  // Stryker's numbers for success and failure.
  return failure === undefined ? { status: 0 } : { status: 1, failureMessage: failure.message };
}

/** Writes down what became of each change at once, so that a run that is ended tells how far it came. */
class KeptResults {
  onMutationTestingPlanReady() {
    mkdirSync('.cache/mutation', { recursive: true });
    writeFileSync(KEPT, '');
  }

  onMutantTested({ status, fileName, location, mutatorName, replacement }) {
    const line = { status, fileName, line: location.start.line, mutatorName, replacement };
    appendFileSync(KEPT, `${JSON.stringify(line)}\n`);
  }
}

export const strykerPlugins = [
  { kind: 'Reporter', name: 'kept-results', injectableClass: KeptResults },
  { kind: 'TestRunner', name: 'loaded-once', injectableClass: LoadedOnceRunner },
];
