import { type ExitListener, listenForExit } from './exit-hooks.js';

class Listener implements ExitListener {
  readonly messages: string[] = [];

  onBeforeExit(): void {
    this.messages.push('beforeExit');
  }

  onExit(): void {
    this.messages.push('exit');
  }
}

describe('The end of the process', () => {
  it('notifies every listener, through one listener of the process', () => {
    const listeners = [new Listener(), new Listener()];
    listenForExit(listeners[0]!);
    const before = process.listenerCount('exit');
    for (let index = 0; index < 1000; index++) listenForExit(listeners[1]!);
    expect(process.listenerCount('exit')).toBe(before);
    const listener = process.listeners('exit').at(-1) as () => void;
    listener();
    expect(listeners[0]!.messages).toEqual(['exit']);
    expect(listeners[1]!.messages.length).toBeGreaterThan(0);
  });

  it('notifies the others when one fails', () => {
    const failing = {
      onBeforeExit: () => undefined,
      onExit: () => {
        throw new Error('failed');
      },
    };
    const listener = new Listener();
    listenForExit(failing);
    listenForExit(listener);
    const onExit = process.listeners('exit').at(-1) as () => void;
    expect(onExit).not.toThrow();
    expect(listener.messages).toEqual(['exit']);
  });
});
