/** A name is part of URLs and commands. */
const DATASET_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

export function isDatasetName(text: string): boolean {
  return DATASET_NAME.test(text);
}
