/** What does not arrive in pi as it was (shuttles/contract/shuttle.ts). */
import type { Loss } from '../../contract/shuttle.ts';

export const losses: readonly Loss[] = [
  {
    kind: 'images',
    text: 'Images other than PNG, JPEG, GIF and WebP, images that are only referred to and those too large for a request become a line of text; images of an answer follow behind it.',
  },
  {
    kind: 'resultImages',
    text: 'Images in results of failed calls and of tools that pi does not have follow behind the answer, under a label.',
  },
  {
    kind: 'foreignCalls',
    text: 'Calls of tools that pi does not have are told as text, with their results quoted.',
  },
  { kind: 'callIds', text: 'Ids of tool calls are changed where a provider would not take them or where one comes again.' },
  { kind: 'errorMark', text: 'That a call failed is said in words where the call is told as text.' },
  { kind: 'emptyTexts', text: 'Empty texts are left out, and an empty result reads "(no output)".' },
  { kind: 'longTexts', text: 'Outputs and texts are shortened in their middle when the thread is too long for a model.' },
  { kind: 'oldTurns', text: 'The oldest turns are left out when the thread is too long for a model; the baton stands for them.' },
  { kind: 'unsendable', text: 'NUL and halves of characters become the replacement character, since servers refuse them.' },
  { kind: 'grouping', text: 'Answers in a row become one, and a result stands right behind its call.' },
];
