import { CopyButton } from '../ui/copy-button.js';
import { Dialog } from '../ui/dialog.js';
import { Snippet } from '../ui/snippet.js';
import { type ReplayableCall, replayCommand } from './replay-command.js';

interface ReplayDialogProps {
  calls: readonly ReplayableCall[];
  onClose: () => void;
}

/** Shows the command that replays these calls. */
export function ReplayDialog({ calls, onClose }: ReplayDialogProps) {
  return <ReplayCommandDialog code={replayCommand(calls)} what="these calls" onClose={onClose} />;
}

interface ReplayCommandProps {
  code: string;
  /** What it runs, such as `these calls`. */
  what: string;
}

export function ReplayCommandDialog({ onClose, ...command }: ReplayCommandProps & { onClose: () => void }) {
  return (
    <Dialog title="Replay command" onClose={onClose}>
      <ReplayCommand {...command} />
    </Dialog>
  );
}

export function ReplayCommand({ code, what }: ReplayCommandProps) {
  return (
    <>
      <p className="muted">
        Runs {what} again with your current code. Replace <code>dist/main.js</code> with the module that
        exports the function, or with your Nest module.
      </p>
      <Snippet title="Replay" code={code} copy={<CopyButton text={code} what="Replay" isFocused />} />
    </>
  );
}
