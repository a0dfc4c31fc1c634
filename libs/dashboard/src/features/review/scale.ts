import type { ScoreValue } from '@dacapo/protocol';

export interface Choice {
  key: string;
  label: string;
  value: number | boolean;
}

export interface Scale {
  id: string;
  name: string;
  choices: readonly Choice[];
}

const YES_NO: Scale = {
  id: 'yes-no',
  name: 'yes or no',
  choices: [
    { key: 'y', label: 'yes', value: true },
    { key: 'n', label: 'no', value: false },
  ],
};

export const SCALES: readonly Scale[] = [
  YES_NO,
  {
    id: '1-5',
    name: '1 to 5',
    choices: [1, 2, 3, 4, 5].map((value) => ({ key: String(value), label: String(value), value })),
  },
];

export function findScale(id: string): Scale {
  return SCALES.find((scale) => scale.id === id) ?? YES_NO;
}

const HALF = 0.5;
const WORDS: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

/** The choice of a scale that a score means. A judge may write 0.8 or "yes" for true, and 3.6 for 4. `undefined` if none. */
export function toChoice(scale: Scale, value: ScoreValue): Choice | undefined {
  const meant =
    scale.id === YES_NO.id ? toYesNo(value) : typeof value === 'number' ? Math.round(value) : value;
  return scale.choices.find((choice) => choice.value === meant);
}

function toYesNo(value: ScoreValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return WORDS[value.toLowerCase()];
  if (typeof value !== 'number' || value < 0 || value > 1) return undefined;
  return value >= HALF;
}
