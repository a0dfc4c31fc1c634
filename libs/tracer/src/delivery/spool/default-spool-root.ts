import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder of all spools, unless `delivery.spoolDir` is set.
 *
 * Records contain what an application's users said, and must survive the process and a restart of the machine. So it is
 * the user's folder for state that no one edits: `$XDG_STATE_HOME/dacapo/spool` (`~/.local/state`), on macOS
 * `~/Library/Application Support/dacapo/spool`, on Windows `%LOCALAPPDATA%\dacapo\spool`. The folder for temporary
 * files, which all users share and other programs clean, is only used for a user without a home.
 */
export function defaultSpoolRoot(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  return join(stateFolder(env, platform), 'dacapo', 'spool');
}

function stateFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = env;
  if (XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME;
  if (platform === 'win32' && LOCALAPPDATA !== undefined && isAbsolute(LOCALAPPDATA)) return LOCALAPPDATA;
  const home = userHome();
  if (home === undefined) return join(tmpdir(), `dacapo-${userName()}`);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return join(home, 'AppData', 'Local');
  return join(home, '.local', 'state');
}

function userHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) && home !== '/' && home !== '/nonexistent' ? home : undefined;
  } catch {
    return undefined;
  }
}

function userName(): string {
  return String(process.getuid?.() ?? userInfo().username);
}
