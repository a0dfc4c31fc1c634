import { findRxjsCopy } from '../../src/context/observables/rxjs-copy.js';
import {
  holdSubscribersContext,
  releaseSubscribersContext,
} from '../../src/context/observables/subscribe-wrapper.js';
import { CREATION_PROGRAMS, NOT_APPLICABLE } from './creation-cases.js';
import type { Program } from './kit.js';
import { OPERATOR_PROGRAMS } from './operator-cases.js';
import { type RxjsVersion, VERSIONS } from './rxjs-version.js';
import { runUsers, type Seen } from './users.js';

const PROGRAMS = [
  ...Object.entries(OPERATOR_PROGRAMS).map(([name, program]) => ['operators', name, program] as const),
  ...Object.entries(CREATION_PROGRAMS).map(([name, program]) => ['rx', name, program] as const),
];

async function runKept(version: RxjsVersion, program: Program): Promise<Seen[]> {
  const holder = {};
  const copy = findRxjsCopy(version.rx.EMPTY);
  if (copy === undefined) throw new Error('RxJS was not recognised');
  holdSubscribersContext(holder, copy);
  try {
    return await runUsers(version, program);
  } finally {
    releaseSubscribersContext(holder);
  }
}

describe.each(VERSIONS)('RxJS %s', (_version, version) => {
  const programs = PROGRAMS.filter(([entry, name]) => name in version[entry]);

  it('has a program for each export, or a reason why not', () => {
    const { operators, creations } = version;
    const listed = [OPERATOR_PROGRAMS, CREATION_PROGRAMS, NOT_APPLICABLE];
    expect(Object.keys(operators).filter((name) => !listed.some((list) => name in list))).toEqual([]);
    // An operator and a function that makes an Observable may have the same name.
    const twofold = Object.keys(creations).filter((name) => creations[name] !== operators[name]);
    expect(twofold.filter((name) => !(name in CREATION_PROGRAMS))).toEqual([]);
  });

  it.each(programs)(
    '%s: %s returns for 50 users what it returned, each in its own context',
    async (_entry, _name, program) => {
      const before = await runUsers(version, program);
      const kept = await runKept(version, program);
      expect(kept.map(({ log }) => log)).toEqual(before.map(({ log }) => log));
      expect(kept.flatMap(({ strayed }) => strayed)).toEqual([]);
    },
  );

  it('mixes users where nothing keeps their context', async () => {
    const [, , program] = programs.find(([, name]) => name === 'mergeMap') ?? [];
    const seen = await runUsers(version, program as Program);
    expect(seen.every(({ strayed }) => strayed.length > 0)).toBe(true);
  });
});
