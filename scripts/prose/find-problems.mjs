import { GLOSSARY } from './glossary.mjs';

const MOST_WORDS = 25;
const RULES = GLOSSARY.map(([pattern, better]) => ({
  found: new RegExp(`\\b(?:${pattern})\\b`, 'gi'),
  better,
}));

/** Lists the problems of one paragraph, each as a sentence. */
export function findProblems(text) {
  const words = RULES.flatMap(({ found, better }) =>
    [...text.matchAll(found)].map(([word]) => `"${word}": write ${better}`),
  );
  const long = splitSentences(text)
    .map((sentence) => ({
      sentence,
      length: sentence.split(/\s+/).filter((word) => !/^code\W*$/.test(word)).length,
    }))
    .filter(({ length }) => length > MOST_WORDS)
    .map(
      ({ sentence, length }) =>
        `${length} words in "${sentence.slice(0, 60)}…": split it, ${MOST_WORDS} at most`,
    );
  return [...words, ...long];
}

function splitSentences(text) {
  return text.split(/(?<=[.!?])\s+(?=[A-Z"(\d]|code)|(?<=[:;])\s+|\s+·\s+/);
}
