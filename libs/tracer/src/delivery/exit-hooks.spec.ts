import { type ExitListener, listenForExit } from './exit-hooks.js';

class Listener implements ExitListener {
  readonly told: string[] = [];

  onBeforeExit(): void {
    this.told.push('beforeExit');
  }

  onExit(): void {
    this.told.push('exit');
  }
}

describe('The end of the process', () => {
  it('is told to every listener, through one listener of the process', () => {
    const listeners = [new Listener(), new Listener()];
    listenForExit(listeners[0]!);
    const before = process.listenerCount('exit');
    for (let index = 0; index < 1000; index++) listenForExit(listeners[1]!);
    expect(process.listenerCount('exit')).toBe(before);
    const tell = process.listeners('exit').at(-1) as () => void;
    tell();
    expect(listeners[0]!.told).toEqual(['exit']);
    expect(listeners[1]!.told.length).toBeGreaterThan(0);
  });

  it('is told to the others when one fails', () => {
    const failing = {
      onBeforeExit: () => undefined,
      onExit: () => {
        throw new Error('failed');
      },
    };
    const listener = new Listener();
    listenForExit(failing);
    listenForExit(listener);
    const tell = process.listeners('exit').at(-1) as () => void;
    expect(tell).not.toThrow();
    expect(listener.told).toEqual(['exit']);
  });
});
