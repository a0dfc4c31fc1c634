import { CapturedIo } from '../../test/captured-io.js';
import { showWaiting } from './waiting-line.js';

/** A command at a terminal, with a clock that ticks when told to. */
function start(isTerminal = true) {
  const io = new CapturedIo();
  Object.assign(io.stderr, { isTTY: isTerminal });
  let tick = (): void => undefined;
  const waiting = showWaiting(io, 'dacapo import', (onTick) => {
    tick = onTick;
    return () => {
      tick = () => undefined;
    };
  });
  return {
    ...waiting,
    captured: io,
    tick: () => {
      tick();
    },
  };
}

describe('The line of a command that works for more than a second', () => {
  it('shows the seconds on stderr, and disappears before the result', () => {
    const { io, captured, tick } = start();
    tick();
    tick();
    expect(captured.err).toBe('\r\u001b[2Kdacapo import: 1 s\r\u001b[2Kdacapo import: 2 s');
    io.stdout.write('done\n');
    expect(captured.err.endsWith('2 s\r\u001b[2K')).toBe(true);
    expect(captured.out).toBe('done\n');
  });

  it('does not come back after the command printed something, or asked', async () => {
    const printing = start();
    printing.io.stderr.write('Deleting.\n');
    printing.tick();
    expect(printing.captured.err).toBe('Deleting.\n');
    const { io, captured, tick } = start();
    await io.confirm('Go on?');
    tick();
    expect(captured.err).toBe('');
  });

  it('is erased when the command ends without output', () => {
    const { end, captured, tick } = start();
    tick();
    end();
    expect(captured.err.endsWith(' 1 s\r\u001b[2K')).toBe(true);
  });

  it('is not shown without a terminal', () => {
    const { captured, tick } = start(false);
    tick();
    expect(captured.err).toBe('');
  });
});
