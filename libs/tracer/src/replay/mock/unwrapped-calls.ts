import type { MadeCall } from './made-call.js';

interface Seen {
  readonly call: MadeCall;
  /** Whether the policy requires an answer from the recording. */
  readonly isToBeAnswered: boolean;
  readonly openedNo: number;
  endedNo: number;
  isWrapped: boolean;
}

/**
 * Finds model calls outside of wrapped functions: an adapter observed them, so the model ran regardless of the policy. A call
 * with another model call inside counts as that one.
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

  /** Counts by key, and whether they ran against the policy. */
  find(): { key: string; isAgainstPolicy: boolean }[] {
    const all = [...this.seen.values()];
    const around = new Set(all.flatMap(({ call }) => [...above(call)]));
    const requests = all.filter(({ isWrapped }) => isWrapped);
    const unwrapped = all.filter((seen) => {
      if (seen.isWrapped || around.has(seen.call)) return false;
      const request = requests.findIndex((other) => isRequestDuring(other, seen));
      // One request explains one call: of two concurrent calls, the other one ran.
      if (request !== -1) requests.splice(request, 1);
      return request === -1;
    });
    return unwrapped.map(({ call, isToBeAnswered }) => ({
      key: call.path.at(-1) ?? '',
      isAgainstPolicy: isToBeAnswered && ![...above(call)].some(({ isLive }) => isLive),
    }));
  }
}

/** LangChain does not report where the code of a model runs, so the request of a wrapped client is a sibling of the run, not a child. */
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
