import { installWhatIsMissing } from './install.mjs';

/** Installs missing packages and builds changed ones. Fast if there is nothing to do. Call it inside `runMain`. */
export async function prepare() {
  await installWhatIsMissing();
  const { build } = await import('./build.mjs');
  await build();
}
