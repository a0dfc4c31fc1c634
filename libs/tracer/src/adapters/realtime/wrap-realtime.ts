import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { InvalidOptionError } from '../../errors.js';
import type { Recorder } from '../../recording/recorder.js';
import { replaceMethod } from '../clients/replace-method.js';
import { defineSpan } from '../../recording/span-definition.js';
import { findProvider } from '../find-provider.js';
import { LateRecorder } from '../late-recorder.js';
import { WrappedObjects } from '../wrapped-objects.js';

/** The parts of a connection that the adapter uses, of any supported package. */
interface Connection {
  /** Emits the events of the server under `every`, and sends those of the application by `send`. */
  readonly events: object;
  readonly every: string;
  readonly send: string;
  /** Has `close`. */
  readonly owner: object;
  /** Called when the connection closes on its own. */
  onClosed(closed: () => void): void;
  readonly address: unknown;
}

const SESSION = defineSpan({ key: 'realtime.session', name: 'realtime.session', type: 'agent' });

const wrapped = new WrappedObjects();

type On = (name: string, listener: (event: unknown) => void) => unknown;

/**
 * Records a session of OpenAI's Realtime API until it is closed.
 *
 * @throws InvalidOptionError when it is not a Realtime session
 */
export function wrapRealtime(session: object, recorder: Recorder | undefined): void {
  const connection = hasMembers(session) ? findConnection(session) : undefined;
  if (connection === undefined)
    throw new InvalidOptionError(
      'session',
      'is not a session of the Realtime API',
      'Pass an OpenAIRealtimeWS or OpenAIRealtimeWebSocket of openai, or a RealtimeSession of @openai/agents.',
    );
  if (recorder === undefined) return;
  const span = wrapped.has(session, recorder) ? undefined : recorder.open(SESSION, []);
  if (span === undefined) return;
  wrapped.add(session, recorder);
  const spans = new LateRecorder(recorder, async () => {
    const { RealtimeSpans } = await import('./realtime-spans.js');
    return new RealtimeSpans(recorder, span, findProvider(connection.address));
  });
  void spans.ready();
  const noting = (name: 'received' | 'sent' | 'end') => (event?: unknown) => {
    void spans.pass((loaded) => {
      recorder.guard('reading an event of a session', () => {
        loaded[name](event);
      });
    });
  };
  const received = noting('received');
  const sent = noting('sent');
  const end = noting('end');
  listen(connection.events, connection.every, received);
  replaceMethod(connection.events, connection.send, (fn, self, args) => {
    sent(args[0]);
    return Reflect.apply(fn, self, args) as unknown;
  });
  replaceMethod(connection.owner, 'close', (fn, self, args) => {
    const closed: unknown = Reflect.apply(fn, self, args);
    end();
    return closed;
  });
  connection.onClosed(() => {
    end();
  });
}

function findConnection(session: Members): Connection | undefined {
  const { socket, transport, send, on, close, url } = session;
  if (typeof close !== 'function' || typeof on !== 'function') return undefined;
  if (hasMembers(socket) && typeof send === 'function')
    return {
      events: session,
      every: 'event',
      send: 'send',
      owner: session,
      onClosed: (closed) => {
        const { addEventListener } = socket;
        if (typeof addEventListener === 'function')
          Reflect.apply(addEventListener, socket, ['close', closed]);
      },
      address: url,
    };
  if (!hasMembers(transport) || typeof transport['sendEvent'] !== 'function') return undefined;
  return {
    events: transport,
    every: '*',
    send: 'sendEvent',
    owner: session,
    onClosed: (closed) => {
      listen(transport, 'connection_change', (status) => {
        if (status === 'disconnected') closed();
      });
    },
    // The transport keeps it to itself; the package connects to OpenAI by default.
    address: toMembers(transport)['url'],
  };
}

function listen(emitter: object, name: string, listener: (event: unknown) => void): void {
  (Reflect.get(emitter, 'on') as On).call(emitter, name, listener);
}
