/** The first word of a process that replays cassettes. It is no command of the help: only this program starts it. */
export const REPLAY_CHILD = 'replay-cassettes';
