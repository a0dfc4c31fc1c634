import { CassetteSetupError } from '../errors.js';

/** `replay` answers calls from the file. `record` writes a file that does not exist; `renew` writes it again. */
const CASSETTE_MODES = ['replay', 'record', 'renew'] as const;
export type CassetteMode = (typeof CASSETTE_MODES)[number];

/** @throws CassetteSetupError for an unknown mode, and for writing in CI */
export function chooseMode(option: CassetteMode | undefined, env: NodeJS.ProcessEnv): CassetteMode {
  const word = option ?? (env['DACAPO_CASSETTES'] || 'replay');
  const mode = CASSETTE_MODES.find((one) => one === word);
  if (mode === undefined)
    throw new CassetteSetupError(
      `DACAPO_CASSETTES is ${JSON.stringify(word)}, but must be one of ${CASSETTE_MODES.join(', ')}. Without it, cassettes are replayed.`,
    );
  if (mode !== 'replay' && isCi(env))
    throw new CassetteSetupError(
      `Cassettes are never written in CI (CI=${env['CI'] ?? ''}), but the mode is "${mode}". Record on your machine, commit the file, and remove DACAPO_CASSETTES here.`,
    );
  return mode;
}

function isCi({ CI: ci }: NodeJS.ProcessEnv): boolean {
  return ci !== undefined && !['', '0', 'false'].includes(ci);
}
