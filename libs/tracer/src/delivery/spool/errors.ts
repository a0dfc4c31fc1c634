import { TracerError } from '../../errors.js';

/** Records wait that were made under another key of this service, or for it. They are not sent under this one. */
export class OtherKeyWaitingError extends TracerError {
  readonly code = 'TRACER_OTHER_KEY_WAITING';

  constructor(folders: readonly { readonly keyHint: string | undefined; readonly files: number }[]) {
    const named = folders.map(({ keyHint, files }) => `${files} under ${keyHint ?? 'another key'}`);
    super(
      `Spool files wait under other keys: ${named.join(', ')}. ` +
        'Send or delete them with `dacapo spool`, or name the key in delivery.previousKeys.',
    );
  }
}
