import { writeFile } from 'node:fs/promises';
import { toMembers } from '@dacapo/protocol';
import type { AnsweredCall, AnswerKind } from '../clients/answer-kind.js';
import { findSignals } from '../clients/model-recording.js';
import { revivedAnswer } from '../clients/revival.js';
import { untilAborted } from '../clients/until-aborted.js';
import { findPackage } from '../package-copies.js';
import { withVendorClass } from '../vendor-errors.js';

export const ANSWERED_GOOGLE: AnswerKind = {
  abortError: createAbortError,
  answered: (outcome, call) =>
    revivedAnswer(
      outcome,
      call,
      {
        // The package exports its error class next to the client.
        error: (error) => withVendorClass(error, findPackage(call.client, '@google/genai')?.exports),
        value: call.method.path[0] === 'files' ? writeDownload : undefined,
      },
      (parts) =>
        untilAborted(parts, findSignals(call.args), () => {
          throw createAbortError();
        }),
    ),
};

/** Writes the recorded file to where the request asks for it, as the client does. */
async function writeDownload(recorded: unknown, { args: [request] }: AnsweredCall): Promise<void> {
  const { downloadPath } = toMembers(request);
  const { body } = toMembers(recorded);
  if (typeof downloadPath !== 'string') return;
  if (typeof body === 'string' || body instanceof Uint8Array) await writeFile(downloadPath, body);
}

/** The client aborts with its own controller, so the reason of the application's signal is lost. */
function createAbortError(): unknown {
  return new DOMException('This operation was aborted', 'AbortError');
}
