import { installWhatIsMissing } from './install.mjs';

/** Installs and builds what is missing or changed. Quick when nothing is. Call it inside `runMain`. */
export async function prepare() {
  await installWhatIsMissing();
  const { build } = await import('./build.mjs');
  await build();
}
