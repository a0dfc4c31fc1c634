import type { MadeCall } from './made-call.js';

interface Seen {
  readonly call: MadeCall;
  /** The policy of the replay wants it answered from the recording. */
  readonly isToBeAnswered: boolean;
  readonly openedNo: number;
  endedNo: number;
  isWrapped: boolean;
}

/**
 * Finds the model calls that no wrapped function made: an adapter saw them, and whatever the replay wanted, the model was called. A call
 * with another model call inside is that one.
 */
export class UnwrappedCalls {
  private readonly seen = new Map<MadeCall, Seen>();
  private eventCount = 0;

  opened(call: MadeCall, isToBeAnswered: boolean): void {
    if (call.type !== 'llm') return;
    const openedNo = this.eventCount++;
    this.seen.set(call, { call, isToBeAnswered, openedNo, endedNo: Infinity, isWrapped: false });
  }

  wrapped(call: MadeCall): void {
    const seen = this.seen.get(call);
    if (seen !== undefined) seen.isWrapped = true;
  }

  ended(call: MadeCall): void {
    const seen = this.seen.get(call);
    if (seen !== undefined) seen.endedNo = this.eventCount++;
  }

  /** By key, and whether they ran against the policy. */
  find(): { key: string; isAgainstPolicy: boolean }[] {
    const all = [...this.seen.values()];
    const around = new Set(all.flatMap(({ call }) => [...above(call)]));
    const requests = all.filter(({ isWrapped }) => isWrapped);
    const unwrapped = all.filter((seen) => {
      if (seen.isWrapped || around.has(seen.call)) return false;
      const request = requests.findIndex((other) => isRequestDuring(other, seen));
      // One request explains one call: of two at a time the other one ran.
      if (request !== -1) requests.splice(request, 1);
      return request === -1;
    });
    return unwrapped.map(({ call, isToBeAnswered }) => ({
      key: call.path.at(-1) ?? '',
      isAgainstPolicy: isToBeAnswered && ![...above(call)].some(({ isLive }) => isLive),
    }));
  }
}

/** LangChain does not say where the code of a model runs: the request of a wrapped client is then beside the run, and not inside. */
function isRequestDuring(request: Seen, run: Seen): boolean {
  return (
    run.call.path.at(-1)?.startsWith('langchain.') === true &&
    request.openedNo > run.openedNo &&
    request.openedNo < run.endedNo &&
    [...above(run.call)].some((call) => call === request.call.parent)
  );
}

function* above({ parent }: MadeCall): Generator<MadeCall> {
  for (let call = parent; call !== undefined; call = call.parent) yield call;
}
