import { superviseReplay } from './supervision/supervise-replay.js';
import { SupervisorChannel } from './supervision/supervisor-channel.js';

const args = process.argv.slice(2);
const channel = SupervisorChannel.open();

// The supervisor loads no command, so that it costs little more than the start of a process.
if (channel === undefined && args.find((arg) => !arg.startsWith('-')) === 'replay')
  void superviseReplay(args);
else void import('./command-process.js').then(({ runCommand }) => runCommand(args, channel));
