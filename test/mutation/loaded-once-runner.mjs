import { createRequire } from 'node:module';
import { join } from 'node:path';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { GROUP, GROUPS } from '../../scripts/test-mutation.mjs';
import { DeclaredTests } from './declared-tests.mjs';

/** Global that mutated code reads for the active mutant, and where it records the running test. */
const changed = (globalThis.__stryker__ ??= {});

const KEPT = `.cache/mutation/${GROUP}.jsonl`;

/** Tests start from a vm script, because its timeout also stops endless loops. */
const starting = new Script('__stryker__.start()');

/** Timeout of a test with a mutation: on a busy machine one second can become several. */
const LONGEST_MS = 8_000;
const LATE = { message: 'Timed out' };

/** Tests above this duration run last, because a fast test fails for most mutations. */
const QUICK_MS = 50;

/** An uncaught error, such as in a timer, belongs to the running test. */
let reportUncaught = () => {};

/**
 * Runs the tests of a group for Stryker in modules that are loaded once. A mutation is active while its tests run, up to the
 * first failure. Jest, which reloads all modules for each mutation, would take hours.
 */
class LoadedOnceRunner {
  #tests = [];
  /** Whether no mutation has run in the modules yet. */
  #isFresh = true;
  #isSpoilt = false;

  /** No mutation is active while modules load, so that they need not be reloaded. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    const root = process.cwd();
    const require = createRequire(join(root, 'package.json'));
    // Few random values are enough for hundreds of mutations, and shrinking is not needed.
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
      reportUncaught(error);
    });
  }

  async dryRun({ timeout }) {
    const tests = [];
    for (const test of this.#tests) {
      const startedAt = performance.now();
      changed.currentTestId = test.id;
      const failure = await runTest(test, timeout);
      changed.currentTestId = undefined;
      const timeSpentMs = performance.now() - startedAt;
      tests.push({ id: test.id, name: test.id, timeSpentMs, ...toResult(failure) });
    }
    return { status: 'complete', tests, mutantCoverage: changed.mutantCoverage };
  }

  /** @throws if state of an earlier mutation may have failed the test; Stryker then retries in another process */
  async mutantRun({ activeMutant, testFilter, hitLimit }) {
    if (this.#isSpoilt) throw new Error('A mutation left state behind.');
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    const tests = this.#tests.filter(({ id }) => testFilter?.includes(id) ?? true);
    for (const [index, test] of tests.entries()) {
      Object.assign(changed, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
      const startedAt = performance.now();
      const failure = await runTest(test, LONGEST_MS);
      test.isSlow ||= performance.now() - startedAt > QUICK_MS;
      const isEndless = failure === LATE || changed.hitCount > (hitLimit ?? Infinity);
      Object.assign(changed, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
      if (failure === undefined) continue;
      this.#isSpoilt = (await runTest(test, LONGEST_MS)) !== undefined;
      if (this.#isSpoilt && !isFresh) throw new Error('An earlier mutation may have left state behind.');
      this.#putFirst(test);
      if (isEndless) return { status: 'timeout', reason: 'Endless loop' };
      return { status: 'killed', killedBy: [test.id], failureMessage: failure.message, nrOfTests: index + 1 };
    }
    return { status: 'survived', nrOfTests: tests.length };
  }

  /** Moves the failed test to the front: it probably fails for the next, adjacent mutation, too. Slow tests stay last. */
  #putFirst(test) {
    const others = this.#tests.filter((other) => other !== test);
    this.#tests = [test, ...others].sort((a, b) => Number(a.isSlow ?? false) - Number(b.isSlow ?? false));
  }
}

/** Files with mutations. They load first, because lazy loading would happen with an active mutation. */
function changedAmong(files) {
  return files.filter((path) => path.endsWith('.ts') && readFileSync(path, 'utf8').includes('stryMutAct_'));
}

function testsAmong(files) {
  return GROUPS[GROUP].tests.flatMap((pattern) =>
    files.filter((path) => new RegExp(pattern).test(path) && !path.includes('simulated-')),
  );
}

async function runTest({ run }, timeoutMs) {
  changed.start = run;
  let timer;
  const interrupted = new Promise((resolve, reject) => {
    timer = setTimeout(resolve, timeoutMs, LATE);
    reportUncaught = reject;
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

function toResult(failure) {
  // Stryker's numbers for success and failure.
  return failure === undefined ? { status: 0 } : { status: 1, failureMessage: failure.message };
}

/** Writes the result of each mutation immediately, so that an aborted run shows its progress. */
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
