/** What a model asked the person, and what they answered: omp's details say it by question, other programs only in the result's text. */
import type { JsonObject } from '../../contract/json.ts';
import { filled, objects, strings } from '../../kit/fields.ts';
import { cut } from './state.ts';

export interface Asked {
  readonly question: string;
  readonly answer?: string;
}

/** `text`: the whole of the result when it is one text; undefined: it says no answer. */
export function askedIn(questions: readonly string[], facts: JsonObject | undefined, text: string | undefined): readonly Asked[] {
  const told = [...objects(facts, 'results'), ...(facts === undefined ? [] : [facts])].flatMap((one) => {
    const question = filled(one, 'question');
    const answer = answerOf(one);
    return question === undefined ? [] : [{ question: cut(question, 2000), ...(answer === '' ? {} : { answer }) }];
  });
  if (told.length > 0) return told.slice(0, 16);
  const answer = questions.length === 1 && text !== undefined ? { answer: cut(text, 4000) } : {};
  return questions.map((question) => ({ question, ...answer }));
}

function answerOf(one: JsonObject): string {
  const own = filled(one, 'customInput');
  const note = filled(one, 'note');
  const chosen = [...strings(one, 'selectedOptions'), ...(own === undefined ? [] : [own])].join(', ');
  return cut(note === undefined ? chosen : `${chosen} (${note})`, 4000);
}
