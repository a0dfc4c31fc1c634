import { ReplayMockMissError } from '../errors.js';
import { areAlike } from './call-arguments.js';
import type { MadeCall } from './made-call.js';
import { nearest } from './nearest-text.js';
import type { UnrestorableOutcome } from './restore-outcome.js';
import type { RecordedTree } from './recorded-tree.js';
import { shorten, shortenBoth } from './shorten.js';

const LONGEST_IN_A_MESSAGE = 300;

/**
 * What a call fails with that cannot be answered.
 *
 * @param none why the outcome of the recorded call cannot be given; absent: there is no such call
 */
export function mockMiss(
  recorded: RecordedTree,
  made: MadeCall,
  isMarked: boolean,
  none?: UnrestorableOutcome,
): ReplayMockMissError {
  const { path, args } = made;
  const texts = recorded.at(path).flatMap((node) => node.args?.text ?? []);
  const nearestArguments = args && texts[nearest(args.text, texts)];
  return new ReplayMockMissError({
    path,
    isMarked,
    problem: none?.reason ?? describeProblem(recorded, made, nearestArguments),
    cure: none?.cure,
    askedArguments: args?.text,
    nearestArguments,
  });
}

function describeProblem(
  recorded: RecordedTree,
  { path, args }: MadeCall,
  closest: string | undefined,
): string {
  const alike = recorded.at(path);
  if (alike.length === 0) return 'there is no such call in it';
  if (args === undefined) return 'its arguments are not recorded, and order alone tells no call from another';
  if (args.identity === undefined && args.normalized === undefined)
    return 'its arguments were cut, and without a hash of all of them nothing tells them from others';
  if (alike.some((node) => node.args !== undefined && areAlike(node.args, args)))
    return `it holds fewer calls with the arguments ${shorten(args.text, LONGEST_IN_A_MESSAGE)}`;
  const [asked, near] = shortenBoth(args.text, closest ?? args.text, LONGEST_IN_A_MESSAGE);
  const rest = closest === undefined ? 'its calls were recorded without arguments' : `nearest: ${near}`;
  return `it has no call with the arguments ${asked}; ${rest}`;
}
