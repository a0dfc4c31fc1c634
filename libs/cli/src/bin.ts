import { SUPERVISED_COMMANDS } from './io.js';
import { REPLAY_CHILD } from './oracle/replay-word.js';
import { superviseReplay } from './supervision/supervise-replay.js';
import { SupervisorChannel } from './supervision/supervisor-channel.js';
import { takeWatchMark, watchEval } from './supervision/watch-eval.js';

const args = process.argv.slice(2);
const isWatched = takeWatchMark();
const channel = isWatched ? undefined : SupervisorChannel.open();
const name = args.find((arg) => !arg.startsWith('-'));
const supervised = SUPERVISED_COMMANDS.find((command) => command === name);
const asksForHelp = args.includes('--help') || args.includes('-h');

// Its first word is no command.
if (args[0] === REPLAY_CHILD)
  void import('./oracle/replay-child.js').then(({ replayInChild }) => replayInChild(args.slice(1)));
// The supervisor loads no command, so it adds little to the start of the process.
else if (supervised === undefined || channel !== undefined || isWatched)
  void import('./command-process.js').then(({ runCommand }) => runCommand(args, channel, isWatched));
else if (supervised === 'eval' && args.includes('--watch') && !asksForHelp) void watchEval(args);
else void superviseReplay(supervised, args);
